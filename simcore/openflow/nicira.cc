// SPDX-License-Identifier: MIT
//
// The actions of Nicira's extensions: registers, moves, `learn`, `resubmit`. Widths and offsets are in bits.
#include <algorithm>
#include <utility>

#include "simcore/openflow/action.h"

namespace simcore::openflow {

namespace {

enum : std::uint16_t {
  kResubmit = 1,
  kSetTunnel = 2,
  kSetQueue = 4,
  kPopQueue = 5,
  kMove = 6,
  kLoad = 7,
  kNote = 8,
  kSetTunnel64 = 9,
  kResubmitTable = 14,
  kOutputField = 15,
  kLearn = 16,
  kDecTtl = 18,
  kController = 20,
  kWriteMetadata = 22,
  kPushMpls = 23,
  kPopMpls = 24,
  kSetMplsTtl = 25,
  kDecMplsTtl = 26,
  kLoad2 = 33,
  kGroup = 40,
};

constexpr std::size_t kMostSpecs = 256;  // of one learn

const Field& field_of(std::uint32_t header) {
  const Field* const found =
      find_field(static_cast<std::uint16_t>(header >> 16), static_cast<std::uint8_t>(header >> 9 & 127U),
                 static_cast<std::uint8_t>(header & 255U));
  if (found == nullptr || (header & 256U) != 0) throw ProtocolError(error::kActionArgument);
  return *found;
}

Subfield subfield(std::uint32_t header, std::uint16_t first, std::uint16_t bits) {
  const Field& of = field_of(header);
  if (bits == 0 || first + bits > of.bits) throw ProtocolError(error::kActionArgument);
  return {&of, first, bits};
}

Subfield writable(Subfield of) {
  if (!of.field->writable) throw ProtocolError(error::kActionArgument);
  return of;
}

Action load(const Subfield& target, FieldValue value) {
  if ((value & ~target.all_bits()) != 0) throw ProtocolError(error::kActionArgument);
  Action action;
  action.type = ActionType::set_field;
  action.field = target.field;
  action.value = value << target.first;
  action.mask = target.all_bits() << target.first;
  return action;
}

Learn::Spec read_spec(std::uint16_t header, Reader& from) {
  Learn::Spec spec;
  spec.bits = header & 0x7ffU;
  if (spec.bits == 0 || spec.bits > 128) throw ProtocolError(error::kActionArgument);
  if ((header & 0x2000U) != 0) {
    const auto bytes = from.take(std::size_t{(spec.bits + 15U) / 16U} * 2);
    spec.value = read_value(bytes);
    if (spec.bits < 128) spec.value &= (FieldValue{1} << spec.bits) - 1;
  } else {
    const std::uint32_t source = from.u32();
    spec.source = subfield(source, from.u16(), spec.bits);
  }
  switch (header >> 11 & 3U) {
    case 0: {
      const std::uint32_t target = from.u32();
      spec.target = Learn::Target::match;
      spec.into = subfield(target, from.u16(), spec.bits);
      break;
    }
    case 1: {
      const std::uint32_t target = from.u32();
      spec.target = Learn::Target::load;
      spec.into = writable(subfield(target, from.u16(), spec.bits));
      break;
    }
    case 2:
      spec.target = Learn::Target::output;
      break;
    default:
      throw ProtocolError(error::kActionArgument);
  }
  if (spec.source.field == nullptr && spec.target == Learn::Target::output)
    throw ProtocolError(error::kActionArgument);
  return spec;
}

std::shared_ptr<const Learn> read_learn(Reader& from) {
  Learn learn;
  learn.idle_timeout = from.u16();
  learn.hard_timeout = from.u16();
  learn.priority = from.u16();
  learn.cookie = from.u64();
  learn.flags = from.u16();
  learn.table = from.u8();
  from.skip(1);
  learn.fin_idle_timeout = from.u16();
  learn.fin_hard_timeout = from.u16();
  if (learn.table >= kTables || (learn.flags & ~3U) != 0) throw ProtocolError(error::kActionArgument);
  while (from.left() >= 2) {
    const std::uint16_t header = from.u16();
    if (header == 0) break;
    if (learn.specs.size() == kMostSpecs) throw ProtocolError(error::kActionTooMany);
    learn.specs.push_back(read_spec(header, from));
  }
  return std::make_shared<const Learn>(std::move(learn));
}

std::uint32_t header_of(const Field& of) {
  return static_cast<std::uint32_t>(of.oxm_class << 16) | static_cast<std::uint32_t>(of.oxm_field << 9) |
         of.size;
}

void write_learn(Writer& to, const Learn& learn) {
  to.u16(learn.idle_timeout);
  to.u16(learn.hard_timeout);
  to.u16(learn.priority);
  to.u64(learn.cookie);
  to.u16(learn.flags);
  to.u8(learn.table);
  to.zeros(1);
  to.u16(learn.fin_idle_timeout);
  to.u16(learn.fin_hard_timeout);
  for (const Learn::Spec& spec : learn.specs) {
    const bool immediate = spec.source.field == nullptr;
    to.u16(static_cast<std::uint16_t>(spec.bits | static_cast<unsigned>(spec.target) << 11 |
                                      (immediate ? 0x2000U : 0U)));
    if (immediate) {
      std::uint8_t bytes[16];
      const std::span<std::uint8_t> place(bytes, std::size_t{(spec.bits + 15U) / 16U} * 2);
      write_value(place, spec.value);
      to.bytes(place);
    } else {
      to.u32(header_of(*spec.source.field));
      to.u16(spec.source.first);
    }
    if (spec.target == Learn::Target::output) continue;
    to.u32(header_of(*spec.into.field));
    to.u16(spec.into.first);
  }
}

}  // namespace

Action read_nicira(Reader from) {
  const std::size_t length = from.left() + 8;
  const std::uint16_t type = from.u16();
  const auto need = [length](std::size_t right) {
    if (length != right) throw ProtocolError(error::kActionLength);
  };
  Action action;
  switch (type) {
    case kResubmit:
    case kResubmitTable:
      need(16);
      action.type = ActionType::resubmit;
      action.port = port_of10(from.u16());
      if (type == kResubmitTable) action.table = from.u8();
      return action;
    case kSetTunnel:
      need(16);
      from.skip(2);
      return load({&field(FieldId::tunnel_id), 0, 64}, from.u32());
    case kSetTunnel64:
      need(24);
      from.skip(6);
      return load({&field(FieldId::tunnel_id), 0, 64}, from.u64());
    case kSetQueue:
      need(16);
      from.skip(2);
      action.type = ActionType::set_queue;
      action.port = from.u32();
      return action;
    case kPopQueue:
      need(16);
      action.type = ActionType::pop_queue;
      return action;
    case kNote:
      action.type = ActionType::note;
      action.text = std::make_shared<const std::vector<std::uint8_t>>(from.rest().begin(), from.rest().end());
      return action;
    case kMove: {
      need(24);
      const std::uint16_t bits = from.u16();
      const std::uint16_t source_first = from.u16();
      const std::uint16_t target_first = from.u16();
      action.type = ActionType::move;
      const std::uint32_t source = from.u32();
      action.source = subfield(source, source_first, bits);
      action.target = writable(subfield(from.u32(), target_first, bits));
      return action;
    }
    case kLoad: {
      need(24);
      const std::uint16_t place = from.u16();
      const Subfield target = writable(subfield(from.u32(), static_cast<std::uint16_t>(place >> 6),
                                                static_cast<std::uint16_t>((place & 63U) + 1)));
      return load(target, from.u64());
    }
    case kLoad2: {
      from.skip(6);
      const OxmField read = read_oxm(from);
      if (!read.field->writable) throw ProtocolError(error::kActionSetArgument);
      action.type = ActionType::set_field;
      action.field = read.field;
      action.value = read.value;
      action.mask = read.mask;
      return action;
    }
    case kOutputField: {
      need(24);
      const std::uint16_t place = from.u16();
      action.type = ActionType::output_field;
      action.source = subfield(from.u32(), static_cast<std::uint16_t>(place >> 6),
                               static_cast<std::uint16_t>((place & 63U) + 1));
      action.number = from.u16();
      return action;
    }
    case kLearn:
      action.type = ActionType::learn;
      action.learned = read_learn(from);
      return action;
    case kDecTtl:
      need(16);
      action.type = ActionType::dec_ip_ttl;
      return action;
    case kController:
      need(16);
      action.port = port_no::kController;
      action.number = from.u16();
      return action;
    default:
      throw ProtocolError(error::kActionExperimenterType);
  }
}

void write_instructions10(Writer& to, const Instructions& instructions) {
  if (instructions.apply) write_actions(to, *instructions.apply, Version::v10);
  if (instructions.metadata) {
    to.u16(0xffff);
    to.u16(32);
    to.u32(kNicira);
    to.u16(kWriteMetadata);
    to.zeros(6);
    to.u64(instructions.metadata->value);
    to.u64(instructions.metadata->mask);
  }
  if (!instructions.go_to) return;
  Action action;
  action.type = ActionType::resubmit;
  action.port = port_no::kInPort;
  action.table = *instructions.go_to;
  write_nicira(to, action);
}

void write_nicira(Writer& to, const Action& action) {
  const std::size_t begin = to.size();
  to.u16(0xffff);
  to.u16(0);
  to.u32(kNicira);
  const auto place = [](const Subfield& of) {
    return static_cast<std::uint16_t>(of.first << 6 | (of.bits - 1));
  };
  switch (action.type) {
    case ActionType::resubmit:
      to.u16(kResubmitTable);
      to.u16(port_in10(action.port));
      to.u8(action.table);
      break;
    case ActionType::move:
      to.u16(kMove);
      to.u16(action.source.bits);
      to.u16(action.source.first);
      to.u16(action.target.first);
      to.u32(header_of(*action.source.field));
      to.u32(header_of(*action.target.field));
      break;
    case ActionType::output_field:
      to.u16(kOutputField);
      to.u16(place(action.source));
      to.u32(header_of(*action.source.field));
      to.u16(action.number);
      to.zeros(6);
      break;
    case ActionType::learn:
      to.u16(kLearn);
      write_learn(to, *action.learned);
      break;
    case ActionType::dec_ip_ttl:
      to.u16(kDecTtl);
      break;
    case ActionType::push_mpls:
    case ActionType::pop_mpls:
      to.u16(action.type == ActionType::push_mpls ? kPushMpls : kPopMpls);
      to.u16(action.number);
      break;
    case ActionType::set_mpls_ttl:
      to.u16(kSetMplsTtl);
      to.u8(static_cast<std::uint8_t>(action.number));
      break;
    case ActionType::dec_mpls_ttl:
      to.u16(kDecMplsTtl);
      break;
    case ActionType::set_queue:
    case ActionType::group:
      to.u16(action.type == ActionType::group ? kGroup : kSetQueue);
      to.zeros(2);
      to.u32(action.port);
      break;
    case ActionType::pop_queue:
      to.u16(kPopQueue);
      break;
    case ActionType::note:
      to.u16(kNote);
      to.bytes(*action.text);
      break;
    default:
      to.u16(kLoad2);
      to.zeros(6);
      write_oxm(to, *action.field, action.value, action.mask);
      break;
  }
  to.pad(begin);
  to.set16(begin + 2, to.size() - begin);
}

}  // namespace simcore::openflow

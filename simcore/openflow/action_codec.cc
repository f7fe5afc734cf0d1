// SPDX-License-Identifier: MIT
#include <algorithm>

#include "simcore/openflow/action.h"

namespace simcore::openflow {

namespace {

constexpr std::uint16_t kExperimenter = 0xffff;

namespace v13 {
enum : std::uint16_t {
  kOutput = 0,
  kCopyTtlOut = 11,
  kCopyTtlIn = 12,
  kSetMplsTtl = 15,
  kDecMplsTtl = 16,
  kPushVlan = 17,
  kPopVlan = 18,
  kPushMpls = 19,
  kPopMpls = 20,
  kSetQueue = 21,
  kGroup = 22,
  kSetNwTtl = 23,
  kDecNwTtl = 24,
  kSetField = 25,
  kPushPbb = 26,
  kPopPbb = 27,
};
}  // namespace v13

namespace v10 {
enum : std::uint16_t {
  kOutput = 0,
  kSetVlanVid = 1,
  kSetVlanPcp = 2,
  kStripVlan = 3,
  kSetEthSrc = 4,
  kSetEthDst = 5,
  kSetIpSrc = 6,
  kSetIpDst = 7,
  kSetTos = 8,
  kSetPortSrc = 9,
  kSetPortDst = 10,
  kEnqueue = 11,
};
}  // namespace v10

void check_port(std::uint32_t port) {
  const bool reserved = port >= port_no::kInPort && port != port_no::kAny;
  if (port >= port_no::kMax10 && !reserved) throw ProtocolError(error::kActionOutPort);
}

Action of_type(ActionType type) {
  Action action;
  action.type = type;
  return action;
}

Action numbered(ActionType type, std::uint16_t number) {
  Action action = of_type(type);
  action.number = number;
  return action;
}

void need_length(std::size_t length, std::size_t right) {
  if (length != right) throw ProtocolError(error::kActionLength);
}

Action read_set_field(Reader body) {
  OxmField read{};
  try {
    read = read_oxm(body);
  } catch (const ProtocolError& refused) {
    if (refused.code() == error::kMatchLength) throw ProtocolError(error::kActionSetLength);
    if (refused.code() == error::kMatchField) throw ProtocolError(error::kActionSetType);
    throw ProtocolError(error::kActionSetArgument);
  }
  if (!read.field->writable) throw ProtocolError(error::kActionSetType);
  if (body.left() >= 8) throw ProtocolError(error::kActionLength);
  const auto padding = body.rest();
  if (std::ranges::any_of(padding, [](std::uint8_t byte) { return byte != 0; }))
    throw ProtocolError(error::kActionSetArgument);
  if (read.field->id == FieldId::vlan_vid && (read.mask & 0x1000) != 0 && (read.value & 0x1000) == 0)
    throw ProtocolError(error::kActionSetArgument);
  Action action = of_type(ActionType::set_field);
  action.field = read.field;
  action.value = read.value;
  action.mask = read.mask;
  return action;
}

std::uint16_t pushed_type(std::uint16_t type, std::initializer_list<std::uint16_t> right) {
  if (std::ranges::find(right, type) == right.end()) throw ProtocolError(error::kActionArgument);
  return type;
}

Action read_13(std::uint16_t type, Reader body) {
  const std::size_t length = body.left() + 4;
  switch (type) {
    case v13::kOutput: {
      need_length(length, 16);
      Action action = of_type(ActionType::output);
      action.port = body.u32();
      action.number = body.u16();
      check_port(action.port);
      return action;
    }
    case v13::kSetField:
      return read_set_field(body);
    case kExperimenter:
      if (length < 8 || length % 8 != 0) throw ProtocolError(error::kActionLength);
      if (body.u32() != kNicira) throw ProtocolError(error::kActionExperimenter);
      return read_nicira(body);
    default:
      break;
  }
  if (type > v13::kPopPbb || (type > v13::kOutput && type < v13::kCopyTtlOut) || type == 13 || type == 14)
    throw ProtocolError(error::kActionType);
  need_length(length, 8);
  switch (type) {
    case v13::kCopyTtlOut:
      return of_type(ActionType::copy_ttl_out);
    case v13::kCopyTtlIn:
      return of_type(ActionType::copy_ttl_in);
    case v13::kSetMplsTtl:
      return numbered(ActionType::set_mpls_ttl, body.u8());
    case v13::kDecMplsTtl:
      return of_type(ActionType::dec_mpls_ttl);
    case v13::kPushVlan:
      return numbered(ActionType::push_vlan,
                      pushed_type(body.u16(), {ethertype::kVlan, ethertype::kServiceVlan}));
    case v13::kPopVlan:
      return of_type(ActionType::pop_vlan);
    case v13::kPushMpls:
      return numbered(ActionType::push_mpls,
                      pushed_type(body.u16(), {ethertype::kMpls, ethertype::kMplsMulticast}));
    case v13::kPopMpls:
      return numbered(ActionType::pop_mpls, body.u16());
    case v13::kSetQueue:
    case v13::kGroup: {
      Action action = of_type(type == v13::kGroup ? ActionType::group : ActionType::set_queue);
      action.port = body.u32();
      return action;
    }
    case v13::kSetNwTtl:
      return numbered(ActionType::set_ip_ttl, body.u8());
    case v13::kDecNwTtl:
      return of_type(ActionType::dec_ip_ttl);
    case v13::kPushPbb:
      return numbered(ActionType::push_pbb, pushed_type(body.u16(), {ethertype::kPbb}));
    default:
      return of_type(ActionType::pop_pbb);
  }
}

Action set(FieldId id, FieldValue value) {
  Action action = of_type(ActionType::set_field);
  action.field = &field(id);
  action.value = value;
  action.mask = action.field->all_bits();
  return action;
}

Action read_10(std::uint16_t type, Reader body) {
  const std::size_t length = body.left() + 4;
  if (type == kExperimenter) {
    if (length < 8 || length % 8 != 0) throw ProtocolError(error::kActionLength);
    if (body.u32() != kNicira) throw ProtocolError(error::kActionExperimenter);
    return read_nicira(body);
  }
  if (type > v10::kEnqueue) throw ProtocolError(error::kActionType);
  const bool wide = type == v10::kSetEthSrc || type == v10::kSetEthDst || type == v10::kEnqueue;
  need_length(length, wide ? 16 : 8);
  switch (type) {
    case v10::kOutput: {
      Action action = of_type(ActionType::output);
      action.port = port_of10(body.u16());
      action.number = body.u16();
      check_port(action.port);
      return action;
    }
    case v10::kSetVlanVid: {
      const std::uint16_t vlan = body.u16();
      if (vlan > 0xfff) throw ProtocolError(error::kActionArgument);
      return numbered(ActionType::set_vlan_vid, vlan);
    }
    case v10::kSetVlanPcp: {
      const std::uint8_t pcp = body.u8();
      if (pcp > 7) throw ProtocolError(error::kActionArgument);
      return numbered(ActionType::set_vlan_pcp, pcp);
    }
    case v10::kStripVlan:
      return of_type(ActionType::pop_vlan);
    case v10::kSetEthSrc:
    case v10::kSetEthDst:
      return set(type == v10::kSetEthSrc ? FieldId::eth_src : FieldId::eth_dst, read_value(body.take(6)));
    case v10::kSetIpSrc:
    case v10::kSetIpDst:
      return set(type == v10::kSetIpSrc ? FieldId::ipv4_src : FieldId::ipv4_dst, body.u32());
    case v10::kSetTos: {
      const std::uint8_t tos = body.u8();
      if ((tos & 3U) != 0) throw ProtocolError(error::kActionArgument);
      return set(FieldId::ip_dscp, tos >> 2);
    }
    case v10::kSetPortSrc:
    case v10::kSetPortDst:
      return set(type == v10::kSetPortSrc ? FieldId::tcp_src : FieldId::tcp_dst, body.u16());
    default: {  // a port has one queue
      Action action = of_type(ActionType::output);
      action.port = port_of10(body.u16());
      if (action.port >= port_no::kMax && action.port != port_no::kInPort && action.port != port_no::kLocal)
        throw ProtocolError(error::kActionOutPort);
      check_port(action.port);
      body.skip(6);
      action.queue = body.u32();
      return action;
    }
  }
}

void write_13(Writer& to, const Action& action) {
  const auto head = [&to](std::uint16_t type, std::uint16_t length) {
    to.u16(type);
    to.u16(length);
  };
  const auto bare = [&](std::uint16_t type) {
    head(type, 8);
    to.zeros(4);
  };
  const auto with_u16 = [&](std::uint16_t type, std::uint16_t value) {
    head(type, 8);
    to.u16(value);
    to.zeros(2);
  };
  const auto with_u8 = [&](std::uint16_t type, std::uint16_t value) {
    head(type, 8);
    to.u8(static_cast<std::uint8_t>(value));
    to.zeros(3);
  };
  const auto with_u32 = [&](std::uint16_t type, std::uint32_t value) {
    head(type, 8);
    to.u32(value);
  };
  const auto with_field = [&](const Field& of, FieldValue value, FieldValue mask) {
    const std::size_t begin = to.size();
    head(v13::kSetField, 0);
    write_oxm(to, of, value, mask);
    to.pad(begin);
    to.set16(begin + 2, to.size() - begin);
  };
  switch (action.type) {
    case ActionType::output:
      if (action.queue) with_u32(v13::kSetQueue, *action.queue);
      head(v13::kOutput, 16);
      to.u32(action.port);
      to.u16(action.number);
      to.zeros(6);
      break;
    case ActionType::group:
      return with_u32(v13::kGroup, action.port);
    case ActionType::set_queue:
      return with_u32(v13::kSetQueue, action.port);
    case ActionType::set_field:
      return with_field(*action.field, action.value, action.mask);
    case ActionType::copy_ttl_out:
      return bare(v13::kCopyTtlOut);
    case ActionType::copy_ttl_in:
      return bare(v13::kCopyTtlIn);
    case ActionType::set_mpls_ttl:
      return with_u8(v13::kSetMplsTtl, action.number);
    case ActionType::dec_mpls_ttl:
      return bare(v13::kDecMplsTtl);
    case ActionType::push_vlan:
      return with_u16(v13::kPushVlan, action.number);
    case ActionType::pop_vlan:
      return bare(v13::kPopVlan);
    case ActionType::push_mpls:
      return with_u16(v13::kPushMpls, action.number);
    case ActionType::pop_mpls:
      return with_u16(v13::kPopMpls, action.number);
    case ActionType::set_ip_ttl:
      return with_u8(v13::kSetNwTtl, action.number);
    case ActionType::dec_ip_ttl:
      return bare(v13::kDecNwTtl);
    case ActionType::push_pbb:
      return with_u16(v13::kPushPbb, action.number);
    case ActionType::pop_pbb:
      return bare(v13::kPopPbb);
    case ActionType::set_vlan_vid:
      return with_field(field(FieldId::vlan_vid), FieldValue{0x1000U | action.number}, 0x1fff);
    case ActionType::set_vlan_pcp:
      return with_field(field(FieldId::vlan_pcp), action.number, 7);
    default:
      return write_nicira(to, action);
  }
}

void write_10(Writer& to, const Action& action) {
  const auto head = [&to](std::uint16_t type, std::uint16_t length) {
    to.u16(type);
    to.u16(length);
  };
  const auto small = [&](std::uint16_t type, std::uint16_t value) {
    head(type, 8);
    to.u16(value);
    to.zeros(2);
  };
  switch (action.type) {
    case ActionType::output:
      if (action.queue) {
        head(v10::kEnqueue, 16);
        to.u16(port_in10(action.port));
        to.zeros(6);
        to.u32(*action.queue);
        return;
      }
      head(v10::kOutput, 8);
      to.u16(port_in10(action.port));
      to.u16(action.number);
      return;
    case ActionType::set_vlan_vid:
      return small(v10::kSetVlanVid, action.number);
    case ActionType::set_vlan_pcp:
      return small(v10::kSetVlanPcp, static_cast<std::uint16_t>(action.number << 8));
    case ActionType::pop_vlan:
      return small(v10::kStripVlan, 0);
    case ActionType::set_field:
      break;
    case ActionType::move:
    case ActionType::output_field:
    case ActionType::resubmit:
    case ActionType::learn:
      return write_nicira(to, action);
    default:
      return;  // 1.0 has no word for it
  }
  const bool whole = action.mask == action.field->all_bits();
  const auto value = static_cast<std::uint64_t>(action.value);
  switch (whole ? action.field->id : FieldId::reg0) {
    case FieldId::eth_src:
    case FieldId::eth_dst:
      head(action.field->id == FieldId::eth_src ? v10::kSetEthSrc : v10::kSetEthDst, 16);
      to.u16(static_cast<std::uint16_t>(value >> 32));
      to.u32(static_cast<std::uint32_t>(value));
      to.zeros(6);
      return;
    case FieldId::ipv4_src:
    case FieldId::ipv4_dst:
      head(action.field->id == FieldId::ipv4_src ? v10::kSetIpSrc : v10::kSetIpDst, 8);
      to.u32(static_cast<std::uint32_t>(value));
      return;
    case FieldId::ip_dscp:
      return small(v10::kSetTos, static_cast<std::uint16_t>(value << 10));
    case FieldId::tcp_src:
    case FieldId::udp_src:
      return small(v10::kSetPortSrc, static_cast<std::uint16_t>(value));
    case FieldId::tcp_dst:
    case FieldId::udp_dst:
      return small(v10::kSetPortDst, static_cast<std::uint16_t>(value));
    case FieldId::vlan_vid:
      return small(v10::kSetVlanVid, static_cast<std::uint16_t>(value & 0xfff));
    case FieldId::vlan_pcp:
      return small(v10::kSetVlanPcp, static_cast<std::uint16_t>(value << 8));
    default:
      return write_nicira(to, action);
  }
}

}  // namespace

Actions read_actions(Reader from, Version version) {
  Actions actions;
  while (!from.empty()) {
    if (actions.size() == kMostActions) throw ProtocolError(error::kActionTooMany);
    const std::uint16_t type = from.u16();
    const std::uint16_t length = from.u16();
    if (length < 8 || length % 8 != 0) throw ProtocolError(error::kActionLength);
    const Reader body = from.sub(length - 4U, error::kActionLength);
    actions.push_back(version == Version::v13 ? read_13(type, body) : read_10(type, body));
  }
  return actions;
}

void write_actions(Writer& to, const Actions& actions, Version version) {
  for (const Action& action : actions) {
    if (version == Version::v13) {
      write_13(to, action);
    } else {
      write_10(to, action);
    }
  }
}

Instructions read_instructions(Reader from, std::uint8_t table) {
  enum : std::uint16_t { kGoto = 1, kMetadata = 2, kWrite = 3, kApply = 4, kClear = 5, kMeter = 6 };
  Instructions read;
  unsigned seen = 0;
  while (!from.empty()) {
    const std::uint16_t type = from.u16();
    const std::uint16_t length = from.u16();
    if (length < 8 || length % 8 != 0) throw ProtocolError(error::kInstructionLength);
    Reader body = from.sub(length - 4U, error::kInstructionLength);
    if (type == kExperimenter) throw ProtocolError(error::kInstructionExperimenter);
    if (type < kGoto || type > kMeter) throw ProtocolError(error::kUnknownInstruction);
    if ((seen >> type & 1U) != 0) throw ProtocolError(error::kDuplicateInstruction);
    seen |= 1U << type;
    const auto need = [length](unsigned right) {
      if (length != right) throw ProtocolError(error::kInstructionLength);
    };
    switch (type) {
      case kGoto:
        need(8);
        read.go_to = body.u8();
        if (*read.go_to <= table || *read.go_to >= kTables) throw ProtocolError(error::kInstructionTable);
        break;
      case kMetadata:
        need(24);
        body.skip(4);
        read.metadata = body.u64();
        read.metadata_mask = body.u64();
        read.metadata &= read.metadata_mask;
        break;
      case kClear:
        need(8);
        read.clear = true;
        break;
      case kMeter:
        need(8);
        read.meter = body.u32();
        break;
      default:
        body.skip(4);
        (type == kWrite ? read.write : read.apply) =
            read_actions({body.rest(), error::kActionLength}, Version::v13);
        break;
    }
  }
  return read;
}

void write_instructions(Writer& to, const Instructions& instructions) {
  const auto list = [&to](std::uint16_t type, const Actions& actions) {
    const std::size_t begin = to.size();
    to.u16(type);
    to.u16(0);
    to.zeros(4);
    write_actions(to, actions, Version::v13);
    to.set16(begin + 2, to.size() - begin);
  };
  if (instructions.meter) {
    to.u16(6);
    to.u16(8);
    to.u32(*instructions.meter);
  }
  if (instructions.apply) list(4, *instructions.apply);
  if (instructions.clear) {
    to.u16(5);
    to.u16(8);
    to.zeros(4);
  }
  if (instructions.write) list(3, *instructions.write);
  if (instructions.metadata_mask != 0) {
    to.u16(2);
    to.u16(24);
    to.zeros(4);
    to.u64(instructions.metadata);
    to.u64(instructions.metadata_mask);
  }
  if (instructions.go_to) {
    to.u16(1);
    to.u16(8);
    to.u8(*instructions.go_to);
    to.zeros(3);
  }
}

void check_actions(const Actions& actions, const FlowKey& match) {
  FlowKey key = match;
  const auto need = [&key](Needs needs) {
    if (!holds(needs, key)) throw ProtocolError(error::kActionInconsistent);
  };
  for (const Action& action : actions) {
    switch (action.type) {
      case ActionType::set_field:
        if (action.field->id == FieldId::vlan_vid || action.field->id == FieldId::vlan_pcp) {
          need(Needs::tag);
        } else {
          need(action.field->needs);
        }
        break;
      case ActionType::move:
        need(action.source.field->needs);
        need(action.target.field->needs);
        break;
      case ActionType::output_field:
        need(action.source.field->needs);
        break;
      case ActionType::set_vlan_vid:
      case ActionType::set_vlan_pcp:
        key.set16(at::kVlan, key.u16(at::kVlan) | 0x1000U);
        break;
      case ActionType::push_vlan:
        key.set16(at::kVlan, 0x1000);
        break;
      case ActionType::pop_vlan:
        need(Needs::tag);
        key.set16(at::kVlan, 0);
        break;
      case ActionType::push_mpls:
        key.set16(at::kEtherType, action.number);
        break;
      case ActionType::pop_mpls:
        need(Needs::mpls);
        key.set16(at::kEtherType, action.number);
        break;
      case ActionType::set_mpls_ttl:
      case ActionType::dec_mpls_ttl:
        need(Needs::mpls);
        break;
      case ActionType::set_ip_ttl:
      case ActionType::dec_ip_ttl:
        need(Needs::ip);
        break;
      case ActionType::push_pbb:
        key.set16(at::kEtherType, ethertype::kPbb);
        key.set16(at::kVlan, 0);
        break;
      case ActionType::pop_pbb:
        need(Needs::pbb);
        break;
      case ActionType::learn:
        for (const Learn::Spec& spec : action.learned->specs) {
          if (spec.source.field != nullptr) need(spec.source.field->needs);
        }
        break;
      default:
        break;
    }
  }
}

bool needs_single_frames(const Actions& actions) {
  return std::ranges::any_of(actions, [](const Action& action) {
    return action.type == ActionType::push_mpls || action.type == ActionType::pop_mpls ||
           action.type == ActionType::push_pbb || action.type == ActionType::pop_pbb;
  });
}

bool needs_single_frames(const Instructions& instructions) {
  return (instructions.apply && needs_single_frames(*instructions.apply)) ||
         (instructions.write && needs_single_frames(*instructions.write));
}

std::size_t memory_of(const Actions& actions) {
  std::size_t bytes = actions.size() * sizeof(Action);
  for (const Action& action : actions) {
    if (action.learned) bytes += sizeof(Learn) + action.learned->specs.size() * sizeof(Learn::Spec);
  }
  return bytes;
}

}  // namespace simcore::openflow

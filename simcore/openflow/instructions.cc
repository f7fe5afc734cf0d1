// SPDX-License-Identifier: MIT
//
// The instructions of OpenFlow 1.3, read and written (section 7.2.4).
#include <algorithm>

#include "simcore/openflow/action_codec.h"

namespace simcore::openflow {

namespace {

// Nicira's that cannot stand in an action set.
bool no_part_of_a_set(const Action& action) {
  return action.type == ActionType::learn || action.type == ActionType::output_field;
}

}  // namespace

Instructions read_instructions(Reader from, std::uint8_t table) {
  enum : std::uint16_t { kGoto = 1, kMetadata = 2, kWrite = 3, kApply = 4, kClear = 5, kMeter = 6 };
  if (from.left() % 8 != 0) throw ProtocolError(error::kBadLength);
  Instructions read;
  unsigned seen = 0;
  while (!from.empty()) {
    const std::uint16_t type = from.u16();
    const std::uint16_t length = from.u16();
    if (length < 8 || length % 8 != 0) throw ProtocolError(error::kInstructionLength);
    Reader body = from.sub(length - 4U, error::kInstructionLength);
    if (type == kExperimenterAction) throw ProtocolError(error::kInstructionExperimenter);
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
        read.metadata = Instructions::Metadata{};  // clang 14 has no emplace() of a nested aggregate
        read.metadata->value = body.u64();
        read.metadata->mask = body.u64();
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
  if (read.write && std::ranges::any_of(*read.write, no_part_of_a_set))
    throw ProtocolError(error::kActionType);
  // A list without actions does nothing, and is not told again.
  for (std::optional<Actions>* const list : {&read.write, &read.apply}) {
    if (*list && (*list)->empty()) list->reset();
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
  if (instructions.metadata) {
    to.u16(2);
    to.u16(24);
    to.zeros(4);
    to.u64(instructions.metadata->value);
    to.u64(instructions.metadata->mask);
  }
  if (instructions.go_to) {
    to.u16(1);
    to.u16(8);
    to.u8(*instructions.go_to);
    to.zeros(3);
  }
}

}  // namespace simcore::openflow

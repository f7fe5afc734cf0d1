// SPDX-License-Identifier: MIT
#include "simcore/openflow/action_codec.h"

namespace simcore::openflow {

namespace {

Action read_action(std::uint16_t type, Reader body, Version version) {
  if (type != kExperimenterAction)
    return version == Version::v13 ? read_action13(type, body) : read_action10(type, body);
  if (body.u32() != kNicira) throw ProtocolError(error::kActionExperimenter);
  return read_nicira(body);
}

}  // namespace

Actions read_actions(Reader from, Version version) {
  if (from.left() % 8 != 0) throw ProtocolError(error::kBadLength);
  Actions actions;
  while (!from.empty()) {
    if (actions.size() == kMostActions) throw ProtocolError(error::kActionTooMany);
    const std::uint16_t type = from.u16();
    const std::uint16_t length = from.u16();
    if (length < 8 || length % 8 != 0) throw ProtocolError(error::kActionLength);
    actions.push_back(read_action(type, from.sub(length - 4U, error::kActionLength), version));
  }
  return actions;
}

void write_actions(Writer& to, const Actions& actions, Version version) {
  for (const Action& action : actions) {
    if (version == Version::v13) {
      write_action13(to, action);
    } else {
      write_action10(to, action);
    }
  }
}

}  // namespace simcore::openflow

// SPDX-License-Identifier: MIT
//
// What the readers and writers of actions share: those of OpenFlow 1.3 and 1.0 each have a file.
#pragma once

#include <cstdint>

#include "simcore/openflow/action.h"

namespace simcore::openflow {

// One action: `body` is what stands behind its type and length. Throws as read_actions.
Action read_action13(std::uint16_t type, Reader body);
Action read_action10(std::uint16_t type, Reader body);
void write_action13(Writer& to, const Action& action);
void write_action10(Writer& to, const Action& action);

inline constexpr std::uint16_t kExperimenterAction = 0xffff;

// Throws OFPBAC_BAD_OUT_PORT where no packet can go out of such a port.
inline void check_port(std::uint32_t port) {
  const bool reserved = port >= port_no::kInPort && port != port_no::kAny;
  if (port >= port_no::kMax10 && !reserved) throw ProtocolError(error::kActionOutPort);
}

// The same where flows are asked for that go out of a port.
inline void check_out_port(std::uint32_t port) {
  if (port >= port_no::kMax10 && port < port_no::kMax) throw ProtocolError(error::kActionOutPort);
}

inline void need_length(std::size_t length, std::size_t right) {
  if (length != right) throw ProtocolError(error::kActionLength);
}

inline Action of_type(ActionType type) {
  Action action;
  action.type = type;
  return action;
}

inline Action numbered(ActionType type, std::uint16_t number) {
  Action action = of_type(type);
  action.number = number;
  return action;
}

inline void write_head(Writer& to, std::uint16_t type, std::uint16_t length) {
  to.u16(type);
  to.u16(length);
}

inline void write_u16(Writer& to, std::uint16_t type, std::uint16_t value) {
  write_head(to, type, 8);
  to.u16(value);
  to.zeros(2);
}

}  // namespace simcore::openflow

// SPDX-License-Identifier: MIT
//
// Which of several controllers may change something: the roles of 1.3, and Nicira's for 1.0.
#include "simcore/openflow/message_type.h"
#include "simcore/openflow/switch.h"

namespace simcore::openflow {

void Switch::check_writable(const Session& session) const {
  if (session.role == Role::slave) throw ProtocolError(error::kIsSlave);
}

void Switch::change_role(Session& session, std::uint32_t xid, Reader body) {
  const std::uint32_t asked = body.u32();
  body.skip(4);
  const std::uint64_t generation = body.u64();
  body.end();
  if (asked > static_cast<std::uint32_t>(Role::slave)) throw ProtocolError(error::kRoleBad);
  const auto role = static_cast<Role>(asked);
  if (role == Role::master || role == Role::slave) {
    if (generation_ && static_cast<std::int64_t>(generation - *generation_) < 0)
      throw ProtocolError(error::kRoleStale);
    generation_ = generation;
    if (role == Role::master) {
      for (const auto& other : sessions_) {
        if (other->role == Role::master) other->role = Role::slave;
      }
    }
  }
  if (role != Role::nochange) session.role = role;
  session.send(type::kRoleReply, xid, [&](Writer& to) {
    to.u32(static_cast<std::uint32_t>(session.role));
    to.zeros(4);
    to.u64(generation_.value_or(~std::uint64_t{0}));
  });
}

// Nicira's role request, which 1.0 has instead of its own; nothing else.
void Switch::experiment(Session& session, std::uint32_t xid, Reader body) {
  constexpr std::uint32_t kRoleRequest = 10;
  constexpr std::uint32_t kRoleReply = 11;
  const std::uint32_t experimenter = body.u32();
  const std::uint32_t type = body.u32();
  if (experimenter != kNicira && experimenter != kOnf) throw ProtocolError(error::kBadExperimenter);
  if (experimenter == kOnf || type != kRoleRequest) throw ProtocolError(error::kBadExperimenterType);
  const std::uint32_t asked = body.u32();
  if (asked > 2) throw ProtocolError(error::kRoleBad);
  session.role = static_cast<Role>(asked + 1);
  for (const auto& other : sessions_) {
    if (asked == 1 && other.get() != &session && other->role == Role::master) other->role = Role::slave;
  }
  session.send(type::kExperimenter, xid, [asked](Writer& to) {
    to.u32(kNicira);
    to.u32(kRoleReply);
    to.u32(asked);
  });
}

}  // namespace simcore::openflow

// SPDX-License-Identifier: MIT
//
// ControlLog: hears what the peers of switches do, connection by connection, so that it can be done again.
#pragma once

#include <cstdint>
#include <span>

#include "simcore/openflow/session.h"

namespace simcore::openflow {

class Switch;

class ControlLog {
 public:
  // A connection of a number of its own; what its peer says, in pieces of any length; and its end.
  virtual void opened(const Switch& of, std::uint64_t connection, Session::Kind kind) = 0;
  virtual void heard(const Switch& of, std::uint64_t connection, std::span<const std::uint8_t> bytes) = 0;
  virtual void closed(const Switch& of, std::uint64_t connection) = 0;

 protected:
  ~ControlLog() = default;
};

}  // namespace simcore::openflow

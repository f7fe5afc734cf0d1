// SPDX-License-Identifier: MIT
//
// The ends to which a link of an instance can be joined, by name.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

namespace simcore {

struct InterfaceEnd {
  std::string name;
};
struct PortalEnd {
  std::string name;
};
struct ChannelEnd {
  std::string peer;
  std::uint32_t channel;

  // How it is called in reports and records.
  std::string name() const { return peer + ":" + std::to_string(channel); }
};
using LinkEnd = std::variant<InterfaceEnd, PortalEnd, ChannelEnd>;

}  // namespace simcore

// SPDX-License-Identifier: MIT
//
// IpPrefix: a block of addresses of either family, for what takes both: descriptions of networks.
#pragma once

#include <string_view>
#include <variant>

#include "simcore/packet/ipv4_address.h"
#include "simcore/packet/ipv6_address.h"

namespace simcore {

using IpPrefix = std::variant<Ipv4Prefix, Ipv6Prefix>;

// "10.0.0.0/8" or "2001:db8::/32". Throws ConfigError when `text` is neither, or has bits set below the prefix.
inline IpPrefix parse_ip_prefix(std::string_view text) {
  if (text.find(':') == std::string_view::npos) return Ipv4Prefix::parse(text);
  return Ipv6Prefix::parse(text);
}

}  // namespace simcore

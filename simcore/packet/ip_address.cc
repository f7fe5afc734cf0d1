// SPDX-License-Identifier: MIT
#include "simcore/packet/ip_address.h"

namespace simcore {

IpAddress IpAddress::parse(std::string_view text) {
  if (text.find(':') == std::string_view::npos) return Ipv4Address::parse(text);
  return Ipv6Address::parse(text);
}

std::string IpAddress::to_string() const { return is_v4() ? v4().to_string() : address_.to_string(); }

std::string IpAddress::with_port(std::uint16_t port) const {
  std::string text = is_v4() ? "" : "[";
  text += to_string();
  text += is_v4() ? ":" : "]:";
  text += std::to_string(port);
  return text;
}

}  // namespace simcore

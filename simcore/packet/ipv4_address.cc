// SPDX-License-Identifier: MIT
#include "simcore/packet/ipv4_address.h"

#include <charconv>
#include <optional>
#include <utility>

#include "simcore/units/error.h"

namespace simcore {

namespace {

// A decimal number of at most `digits` digits and at most `limit`, without a leading zero (which
// some read as octal).
std::optional<std::uint32_t> number(std::string_view text, std::size_t digits, std::uint32_t limit) {
  if (text.empty() || text.size() > digits || (text.size() > 1 && text[0] == '0')) return std::nullopt;
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value > limit) return std::nullopt;
  return value;
}

std::optional<Ipv4Address> address(std::string_view text) {
  std::uint32_t value = 0;
  for (int octets_left = 3; octets_left >= 0; --octets_left) {
    const std::size_t dot = text.find('.');
    if ((dot == std::string_view::npos) != (octets_left == 0)) return std::nullopt;
    const auto octet = number(text.substr(0, dot), 3, 255);
    if (!octet) return std::nullopt;
    value = value << 8 | *octet;
    if (octets_left > 0) text.remove_prefix(dot + 1);
  }
  return Ipv4Address::of(value);
}

std::optional<std::pair<Ipv4Address, int>> address_with_length(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto value = address(text.substr(0, slash));
  const auto length = number(text.substr(slash + 1), 2, 32);
  if (!value || !length) return std::nullopt;
  return std::pair{*value, static_cast<int>(*length)};
}

ConfigError refusal(std::string_view what, std::string_view text, const std::string& why) {
  return ConfigError("parse " + std::string(what) + ": \"" + std::string(text) + "\" " + why);
}

}  // namespace

Ipv4Address Ipv4Address::parse(std::string_view text) {
  const auto value = simcore::address(text);
  if (!value) {
    throw refusal("IPv4 address", text, "is not one; write four numbers up to 255, such as \"10.0.0.1\"");
  }
  return *value;
}

std::string Ipv4Address::to_string() const {
  std::string text;
  for (int shift = 24; shift >= 0; shift -= 8) {
    if (!text.empty()) text += '.';
    text += std::to_string(value_ >> shift & 0xff);
  }
  return text;
}

Ipv4Prefix Ipv4Prefix::parse(std::string_view text) {
  const auto parts = address_with_length(text);
  if (!parts) {
    throw refusal("IPv4 prefix", text, "is not one; write address and length, such as \"10.0.0.0/8\"");
  }
  const Ipv4Prefix prefix = around(parts->first, parts->second);
  if (prefix.first() != parts->first) {
    throw refusal("IPv4 prefix", text, "has bits set below its length; write \"" + prefix.to_string() + "\"");
  }
  return prefix;
}

std::string Ipv4Prefix::to_string() const { return first_.to_string() + "/" + std::to_string(length_); }

Ipv4InterfaceAddress Ipv4InterfaceAddress::parse(std::string_view text) {
  constexpr std::string_view kWhat = "IPv4 interface address";
  const auto parts = address_with_length(text);
  if (!parts) throw refusal(kWhat, text, "is not one; write address and length, such as \"10.1.0.1/16\"");
  const Ipv4InterfaceAddress result(parts->first, parts->second);
  if (!result.address().is_unicast()) throw refusal(kWhat, text, "is none that a host may have");
  if (result.length_ < 31 && result.address() == result.prefix().first()) {
    throw refusal(kWhat, text, "names the network itself; choose a higher address in it");
  }
  if (result.is_broadcast(result.address())) {
    throw refusal(kWhat, text, "is the broadcast address of its network; choose a lower one");
  }
  return result;
}

std::string Ipv4InterfaceAddress::to_string() const {
  return address_.to_string() + "/" + std::to_string(length_);
}

}  // namespace simcore

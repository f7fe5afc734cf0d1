// SPDX-License-Identifier: MIT
#include "simcore/packet/mac_address.h"

#include <charconv>

#include "simcore/units/error.h"

namespace simcore {

MacAddress MacAddress::parse(std::string_view text) {
  constexpr std::size_t kLength = 17;
  const auto refuse = [&]() -> ConfigError {
    return ConfigError("parse MAC address: \"" + std::string(text) +
                       "\" is not one; write six octets in hexadecimal, such as \"02:00:00:00:00:01\"");
  };
  if (text.size() != kLength) throw refuse();
  const char separator = text[2];
  if (separator != ':' && separator != '-') throw refuse();
  std::uint64_t value = 0;
  for (std::size_t at = 0; at < kLength; at += 3) {
    if (at > 0 && text[at - 1] != separator) throw refuse();
    std::uint8_t octet = 0;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + at + 2, octet, 16);
    if (error != std::errc() || end != text.data() + at + 2) throw refuse();
    value = value << 8 | octet;
  }
  return MacAddress(value);
}

std::string MacAddress::to_string() const {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (int shift = 40; shift >= 0; shift -= 8) {
    if (!text.empty()) text += ':';
    text += kDigits[value_ >> (shift + 4) & 0xf];
    text += kDigits[value_ >> shift & 0xf];
  }
  return text;
}

}  // namespace simcore

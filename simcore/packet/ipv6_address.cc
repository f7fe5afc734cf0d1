// SPDX-License-Identifier: MIT
#include "simcore/packet/ipv6_address.h"

#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "simcore/packet/ipv4_address.h"
#include "simcore/units/error.h"

namespace simcore {

namespace {

constexpr std::size_t kGroups = 8;

// The 16-bit groups of an address, as far as they are written.
struct Groups {
  std::array<std::uint16_t, kGroups> values{};
  std::size_t count = 0;

  bool add(std::uint32_t value) {
    if (count == kGroups) return false;
    values[count++] = static_cast<std::uint16_t>(value);
    return true;
  }
};

bool add_hexadecimal(Groups& groups, std::string_view text) {
  std::uint32_t value = 0;
  if (text.empty() || text.size() > 4) return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return error == std::errc() && end == text.data() + text.size() && groups.add(value);
}

bool add_dotted(Groups& groups, std::string_view text) {
  try {
    const std::uint32_t value = Ipv4Address::parse(text).value();
    return groups.add(value >> 16) && groups.add(value & 0xffff);
  } catch (const ConfigError&) {
    return false;
  }
}

// Groups with a colon between any two; only the last of the whole address may be dotted.
std::optional<Groups> parse_groups(std::string_view text, bool last) {
  Groups groups;
  if (text.empty()) return groups;
  for (;;) {
    const std::size_t colon = text.find(':');
    const std::string_view group = text.substr(0, colon);
    const bool ends = colon == std::string_view::npos;
    const bool dotted = ends && last && group.find('.') != std::string_view::npos;
    if (!(dotted ? add_dotted(groups, group) : add_hexadecimal(groups, group))) return std::nullopt;
    if (ends) return groups;
    text.remove_prefix(colon + 1);
  }
}

Ipv6Address address_of(const std::array<std::uint16_t, kGroups>& groups) {
  std::array<std::uint64_t, 2> halves{};
  for (std::size_t i = 0; i < kGroups; ++i) halves[i / 4] = halves[i / 4] << 16 | groups[i];
  return Ipv6Address::of(halves[0], halves[1]);
}

std::optional<Ipv6Address> address(std::string_view text) {
  const std::size_t gap = text.find("::");
  if (gap == std::string_view::npos) {
    const auto all = parse_groups(text, true);
    return all && all->count == kGroups ? std::optional(address_of(all->values)) : std::nullopt;
  }
  const auto head = parse_groups(text.substr(0, gap), false);
  const auto tail = parse_groups(text.substr(gap + 2), true);
  if (!head || !tail || head->count + tail->count >= kGroups) return std::nullopt;
  std::array<std::uint16_t, kGroups> groups = head->values;
  for (std::size_t i = 0; i < tail->count; ++i) groups[kGroups - tail->count + i] = tail->values[i];
  return address_of(groups);
}

std::optional<std::pair<Ipv6Address, int>> address_with_length(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto value = address(text.substr(0, slash));
  const std::string_view digits = text.substr(slash + 1);
  int length = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), length);
  const bool canonical = digits.size() == 1 || (digits.size() <= 3 && !digits.starts_with('0'));
  if (!value || !canonical || error != std::errc() || end != digits.data() + digits.size()) {
    return std::nullopt;
  }
  if (length < 0 || length > Ipv6Prefix::kLongest) return std::nullopt;
  return std::pair{*value, length};
}

ConfigError refusal(std::string_view what, std::string_view text, const std::string& why) {
  return ConfigError("parse " + std::string(what) + ": \"" + std::string(text) + "\" " + why);
}

std::string hexadecimal(std::uint16_t value) {
  std::array<char, 4> digits{};
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value, 16);
  return {digits.data(), end};
}

}  // namespace

Ipv6Address Ipv6Address::parse(std::string_view text) {
  const auto value = simcore::address(text);
  if (!value) {
    throw refusal("IPv6 address", text,
                  "is not one; write groups of hexadecimal digits, such as \"2001:db8::1\"");
  }
  return *value;
}

// RFC 5952: the longest run of at least two zero groups, the first of several, becomes "::".
std::string Ipv6Address::to_string() const {
  std::array<std::uint16_t, kGroups> groups{};
  for (std::size_t i = 0; i < kGroups; ++i) {
    groups[i] = static_cast<std::uint16_t>((i < 4 ? high_ : low_) >> (48 - 16 * (i % 4)));
  }
  std::size_t gap = kGroups;
  std::size_t gap_length = 1;
  for (std::size_t start = 0; start < kGroups; ++start) {
    std::size_t end = start;
    while (end < kGroups && groups[end] == 0) ++end;
    if (end - start > gap_length) {
      gap = start;
      gap_length = end - start;
    }
  }
  std::string text;
  for (std::size_t i = 0; i < kGroups; ++i) {
    if (i == gap) {
      text += "::";
      i += gap_length - 1;
      continue;
    }
    if (!text.empty() && !text.ends_with(':')) text += ':';
    text += hexadecimal(groups[i]);
  }
  return text;
}

Ipv6Prefix Ipv6Prefix::parse(std::string_view text) {
  const auto parts = address_with_length(text);
  if (!parts) {
    throw refusal("IPv6 prefix", text, "is not one; write address and length, such as \"2001:db8::/32\"");
  }
  const Ipv6Prefix prefix = around(parts->first, parts->second);
  if (prefix.first() != parts->first) {
    throw refusal("IPv6 prefix", text, "has bits set below its length; write \"" + prefix.to_string() + "\"");
  }
  return prefix;
}

std::string Ipv6Prefix::to_string() const { return first_.to_string() + "/" + std::to_string(length_); }

Ipv6InterfaceAddress Ipv6InterfaceAddress::parse(std::string_view text) {
  constexpr std::string_view kWhat = "IPv6 interface address";
  constexpr int kPointToPoint = 127;
  const auto parts = address_with_length(text);
  if (!parts) throw refusal(kWhat, text, "is not one; write address and length, such as \"2001:db8::1/64\"");
  const Ipv6InterfaceAddress result(parts->first, parts->second);
  if (!result.address().is_unicast()) throw refusal(kWhat, text, "is none that a host may have");
  if (result.address().is_link_local()) {
    throw refusal(kWhat, text, "is link-local, which every interface makes itself; choose a global one");
  }
  if (result.length_ < kPointToPoint && result.address() == result.prefix().first()) {
    throw refusal(kWhat, text, "names the routers of its subnet; choose a higher address in it");
  }
  return result;
}

std::string Ipv6InterfaceAddress::to_string() const {
  return address_.to_string() + "/" + std::to_string(length_);
}

}  // namespace simcore

// SPDX-License-Identifier: MIT
#include "simcore/packet/ipv6.h"

#include <algorithm>
#include <cassert>

namespace simcore {

namespace {

constexpr std::uint8_t kHopByHopOptions = 0;
constexpr std::uint8_t kRouting = 43;
constexpr std::uint8_t kDestinationOptions = 60;
constexpr std::size_t kExtensionUnit = 8;  // bytes; what an extension's length counts, beyond the first

// Whether every option may be skipped by who does not know it: the two highest bits of its type say so.
bool options_skippable(std::span<const std::uint8_t> options) {
  constexpr std::uint8_t kPad1 = 0;
  while (!options.empty()) {
    if (options[0] == kPad1) {
      options = options.subspan(1);
      continue;
    }
    if (options[0] >> 6 != 0 || options.size() < 2 || options.size() < std::size_t{2} + options[1])
      return false;
    options = options.subspan(std::size_t{2} + options[1]);
  }
  return true;
}

}  // namespace

std::optional<Ipv6Header> Ipv6Header::parse(std::span<const std::uint8_t> bytes, std::size_t unstored) {
  if (bytes.size() < kSize || bytes[0] >> 4 != 6) return std::nullopt;
  const std::size_t total = Ipv6Header(bytes).total_length();
  if (total > bytes.size() + unstored) return std::nullopt;
  return Ipv6Header(bytes.first(std::min(total, bytes.size())));
}

std::optional<Ipv6Header::UpperLayer> Ipv6Header::upper_layer() const {
  UpperLayer upper{.protocol = bytes_[kNextHeaderOffset],
                   .offset = kSize,
                   .named_at = kNextHeaderOffset,
                   .skippable = true};
  for (;;) {
    const std::uint8_t kind = upper.protocol;
    const bool options = kind == kHopByHopOptions || kind == kDestinationOptions;
    if (!options && kind != kRouting) return upper;
    if (upper.offset + kExtensionUnit > bytes_.size()) return std::nullopt;
    const std::uint8_t* const extension = bytes_.data() + upper.offset;
    const std::size_t size = kExtensionUnit * (std::size_t{extension[1]} + 1);
    if (upper.offset + size > bytes_.size()) return std::nullopt;
    const bool skippable = options ? options_skippable({extension + 2, size - 2})
                                   : extension[3] == 0;  // segments left of the route
    upper = {extension[0], upper.offset + size, upper.offset, upper.skippable && skippable};
  }
}

void write_ipv6(std::span<std::uint8_t> bytes, const Ipv6Fields& fields) {
  assert(bytes.size() >= Ipv6Header::kSize);
  std::uint8_t* const at = bytes.data();
  store_be32(at, std::uint32_t{6} << 28 | std::uint32_t{fields.traffic_class} << 20);
  store_be16(at + Ipv6Header::kPayloadLengthOffset, fields.payload_length);
  at[Ipv6Header::kNextHeaderOffset] = fields.protocol;
  at[Ipv6Header::kHopLimitOffset] = fields.hop_limit;
  fields.source.write_to(at + Ipv6Header::kSourceOffset);
  fields.destination.write_to(at + Ipv6Header::kDestinationOffset);
}

}  // namespace simcore

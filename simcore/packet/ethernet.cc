// SPDX-License-Identifier: MIT
#include "simcore/packet/ethernet.h"

#include <cassert>

namespace simcore {

std::optional<EthernetHeader> EthernetHeader::parse(std::span<const std::uint8_t> frame) {
  std::size_t size = kSize;
  for (std::size_t tags = 0;; ++tags) {
    if (frame.size() < size) return std::nullopt;
    const auto type = static_cast<EtherType>(load_be16(frame.data() + size - 2));
    if (type != EtherType::vlan && type != EtherType::service_vlan) return EthernetHeader(frame, size);
    if (tags == kMaxTags) return std::nullopt;
    size += kTagSize;
  }
}

void write_ethernet(std::span<std::uint8_t> frame, MacAddress destination, MacAddress source,
                    EtherType type) {
  assert(frame.size() >= EthernetHeader::kSize);
  destination.write_to(frame.data());
  source.write_to(frame.data() + MacAddress::kSize);
  store_be16(frame.data() + 2 * MacAddress::kSize, static_cast<std::uint16_t>(type));
}

}  // namespace simcore

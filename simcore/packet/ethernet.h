// SPDX-License-Identifier: MIT
//
// Ethernet II, with the 802.1Q and 802.1ad tags in front of the EtherType.
//
//   | destination 6 | source 6 | [ 8100 or 88a8 | tag control ] x 0..2 | EtherType 2 | payload
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "simcore/packet/mac_address.h"

namespace simcore {

enum class EtherType : std::uint16_t {
  ipv4 = 0x0800,
  arp = 0x0806,
  vlan = 0x8100,  // 802.1Q
  ipv6 = 0x86dd,
  service_vlan = 0x88a8,  // 802.1ad
  lldp = 0x88cc,
};

// A view of the header at the start of `frame`, which must outlive it.
class EthernetHeader {
 public:
  static constexpr std::size_t kSize = 14;  // without tags
  static constexpr std::size_t kTagSize = 4;
  static constexpr std::size_t kMaxTags = 2;

  // None when `frame` ends within the header, or has more than two tags.
  static std::optional<EthernetHeader> parse(std::span<const std::uint8_t> frame);

  MacAddress destination() const { return MacAddress::from(frame_.data()); }
  MacAddress source() const { return MacAddress::from(frame_.data() + MacAddress::kSize); }
  // After tags.
  EtherType ether_type() const { return static_cast<EtherType>(load_be16(frame_.data() + size_ - 2)); }
  bool tagged() const { return size_ > kSize; }
  std::size_t size() const { return size_; }  // tags included
  std::span<const std::uint8_t> payload() const { return frame_.subspan(size_); }

 private:
  EthernetHeader(std::span<const std::uint8_t> frame, std::size_t size) : frame_(frame), size_(size) {}

  std::span<const std::uint8_t> frame_;
  std::size_t size_;
};

// Writes an untagged header. Precondition: frame.size() >= EthernetHeader::kSize.
void write_ethernet(std::span<std::uint8_t> frame, MacAddress destination, MacAddress source, EtherType type);

}  // namespace simcore

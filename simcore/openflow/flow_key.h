// SPDX-License-Identifier: MIT
//
// FlowKey: everything of a packet, and of its way through the switch, that a match can look at. Fields stand big-endian
// at fixed places; those that never occur together share one (TCP's and UDP's ports, addresses of ARP and IPv4), and
// prerequisites tell them apart, as in Open vSwitch.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "simcore/packet/byte_order.h"

namespace simcore::openflow {

namespace at {
inline constexpr std::size_t kInPort = 0;
inline constexpr std::size_t kEtherType = 4;  // behind tags
inline constexpr std::size_t kVlan = 6;       // tag control; 0x1000 says that there is a tag
inline constexpr std::size_t kEthDst = 8;
inline constexpr std::size_t kIpProto = 14;
inline constexpr std::size_t kIpFragment = 15;  // 1: a fragment, 3: and not the first
inline constexpr std::size_t kEthSrc = 16;
inline constexpr std::size_t kIpTos = 22;
inline constexpr std::size_t kIpTtl = 23;
inline constexpr std::size_t kIpv4Src = 24;  // and the sender of ARP
inline constexpr std::size_t kIpv4Dst = 28;
inline constexpr std::size_t kPortSrc = 32;  // and the type of ICMP
inline constexpr std::size_t kPortDst = 34;  // and the code of ICMP
inline constexpr std::size_t kTcpFlags = 36;
inline constexpr std::size_t kArpOp = 38;
inline constexpr std::size_t kArpSha = 40;  // and the option of neighbour discovery
inline constexpr std::size_t kArpTha = 48;
inline constexpr std::size_t kExtensions = 54;
inline constexpr std::size_t kIpv6Src = 56;
inline constexpr std::size_t kIpv6Dst = 72;
inline constexpr std::size_t kIpv6Label = 88;
inline constexpr std::size_t kMpls = 92;  // the outermost entry of the label stack
inline constexpr std::size_t kNdTarget = 96;
inline constexpr std::size_t kMetadata = 112;
inline constexpr std::size_t kTunnel = 120;
inline constexpr std::size_t kRegisters = 128;  // 16 of 4 bytes
inline constexpr std::size_t kPacketMark = 192;
inline constexpr std::size_t kPbb = 196;
inline constexpr std::size_t kMplsDepth = 200;  // labels; not for matches
inline constexpr std::size_t kEnd = 208;
}  // namespace at

struct FlowKey {
  static constexpr std::size_t kWords = at::kEnd / 8;

  std::array<std::uint64_t, kWords> words{};

  std::uint8_t* bytes() { return reinterpret_cast<std::uint8_t*>(words.data()); }
  const std::uint8_t* bytes() const { return reinterpret_cast<const std::uint8_t*>(words.data()); }

  std::uint8_t u8(std::size_t place) const { return bytes()[place]; }
  std::uint16_t u16(std::size_t place) const { return load_be16(bytes() + place); }
  std::uint32_t u32(std::size_t place) const { return load_be32(bytes() + place); }
  std::uint64_t u64(std::size_t place) const { return load_be64(bytes() + place); }
  void set8(std::size_t place, std::uint8_t value) { bytes()[place] = value; }
  void set16(std::size_t place, std::uint16_t value) { store_be16(bytes() + place, value); }
  void set32(std::size_t place, std::uint32_t value) { store_be32(bytes() + place, value); }
  void set64(std::size_t place, std::uint64_t value) { store_be64(bytes() + place, value); }

  bool tagged() const { return (u8(at::kVlan) & 0x10U) != 0; }
  bool operator==(const FlowKey&) const = default;
};

// Where in the frame the headers lie; 0: there is none.
struct Layout {
  std::uint32_t tag = 0;  // the outermost VLAN tag
  std::uint32_t ether_type = 0;
  std::uint32_t network = 0;    // the header behind the EtherType
  std::uint32_t transport = 0;  // whole, and not of a later fragment
  std::uint32_t nd_option = 0;  // the link-layer address in it
  bool whole = false;           // the header of IPv4, IPv6 or ARP, which contradicts nothing
  bool routed = false;          // IPv6 sends it on from its destination, to one that the checksum is of
};

// Fills in what the frame says; in_port, metadata and registers stay. `unstored`: bytes of virtual payload behind it.
// A frame that contradicts itself has the fields up to where it does. Precondition: at least 14 bytes.
Layout parse(std::span<const std::uint8_t> frame, std::size_t unstored, FlowKey& key);

}  // namespace simcore::openflow

// SPDX-License-Identifier: MIT
//
// The header that a packet socket puts in front of a frame, or takes there, with PACKET_VNET_HDR. As
// in the Virtual I/O Device specification 1.2, section 5.1.6, without num_buffers, in the byte order of this
// machine. (The kernel's <linux/virtio_net.h> has a member called `class` and cannot be compiled as C++.)
#pragma once

#include <cstdint>

namespace simcore {

struct VirtioNetHeader {
  static constexpr std::uint8_t kNeedsChecksum = 1;  // in `flags`

  static constexpr std::uint8_t kGsoNone = 0;  // in `gso_type`
  static constexpr std::uint8_t kGsoTcpv4 = 1;
  static constexpr std::uint8_t kGsoTcpv6 = 4;
  static constexpr std::uint8_t kGsoUdpL4 = 5;
  static constexpr std::uint8_t kGsoEcn = 0x80;  // besides one of TCP

  std::uint8_t flags = 0;
  std::uint8_t gso_type = kGsoNone;
  std::uint16_t hdr_len = 0;
  std::uint16_t gso_size = 0;
  std::uint16_t csum_start = 0;
  std::uint16_t csum_offset = 0;
};
static_assert(sizeof(VirtioNetHeader) == 10);

// Whether this kernel describes UDP super-packets by this header (kGsoUdpL4): Linux 6.2 and newer. An older one
// throws away what it cannot describe, so they must not come about.
bool kernel_describes_udp_trains();

}  // namespace simcore

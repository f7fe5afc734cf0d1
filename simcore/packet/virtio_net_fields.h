// SPDX-License-Identifier: MIT
//
// VirtioNetFields: what a virtio-net header says about the frame behind it, as plain numbers, and its
// translation from and to the description that a Packet carries
// (Virtual I/O Device specification 1.2, section 5.1.6).
//
// The header's hdr_len is not used on the way in: senders fill it with guesses. The frame itself says where
// its payload starts.
#pragma once

#include <cstdint>

#include "simcore/packet/packet.h"

namespace simcore {

struct VirtioNetFields {
  bool needs_checksum = false;        // VIRTIO_NET_HDR_F_NEEDS_CSUM: the two below count
  std::uint16_t checksum_start = 0;   // offset in the frame, VLAN tags included
  std::uint16_t checksum_offset = 0;  // from checksum_start
  TrainKind train = TrainKind::none;  // gso_type
  bool ecn = false;               // VIRTIO_NET_HDR_GSO_ECN: the TCP train carries CWR, on its first segment
  std::uint16_t gso_size = 0;     // payload of a segment; of trains only
  std::uint16_t header_size = 0;  // hdr_len; of trains only

  bool operator==(const VirtioNetFields&) const = default;
};

// Describes `packet`, whose frame and virtual_payload are in place, as `fields` say: train and checksum.
// False when they contradict the frame; the packet is then described as a single frame with a complete
// checksum, and should be dropped as malformed. A train that has but one segment becomes a single frame.
// Reads nothing outside of the frame.
[[nodiscard]] bool describe_frame(Packet& packet, const VirtioNetFields& fields);

// The other way: what to say about `packet` when it is handed to whoever speaks virtio-net.
VirtioNetFields virtio_net_fields(const Packet& packet);

}  // namespace simcore

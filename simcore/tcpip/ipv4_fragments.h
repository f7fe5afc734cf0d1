// SPDX-License-Identifier: MIT
//
// Ipv4Fragments: cuts a datagram into fragments that fit into an MTU (RFC 791 section 3.2).
//
//   | header | payload ..................... |   becomes, each a frame of its own:
//   | header, MF | piece |  | header, MF | piece |  | header | rest |
//
// Every piece but the last is a multiple of 8 bytes. What is a fragment already is cut further. The first fragment keeps
// all IP options, the others those that are to be copied; in place of the rest they have no-operations, as in Linux.
// Virtual payload stays virtual.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simcore/packet/packet.h"
#include "simcore/packet/packet_pool.h"

namespace simcore {

class Ipv4Fragments {
 public:
  // `datagram` is an untagged Ethernet frame with an IPv4 datagram in it, not a train; a partial checksum is finished
  // first. Preconditions: its DF is clear, and `mtu` has room for its header and 8 bytes.
  Ipv4Fragments(PacketPtr datagram, std::uint16_t mtu, PacketPool& pool);

  bool done() const { return at_ == length_; }

  // The next fragment, its Ethernet header left to be written. Null when the pool is exhausted. Precondition: !done().
  PacketPtr next();

 private:
  void keep_copied_options();

  PacketPtr datagram_;
  PacketPool& pool_;
  std::size_t header_;   // bytes of IPv4 header
  std::size_t length_;   // bytes of payload, virtual ones counted
  std::size_t stored_;   // of them
  std::size_t piece_;    // the most in one fragment
  std::uint16_t first_;  // fragment offset of the datagram itself, bytes
  bool more_;            // its MF
  std::size_t at_ = 0;
};

}  // namespace simcore

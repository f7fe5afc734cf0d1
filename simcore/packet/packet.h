// SPDX-License-Identifier: MIT
//
// Packet: what travels. One Ethernet frame, or a train: n equal segments of one flow that travel as one
// object, as the super-packets of Linux GSO and GRO do.
//
//   block, one allocation:
//   | Packet | headers | payload of segment 1 | payload of segment 2 | ... |
//            ^ bytes()                                                     ^ bytes() + size()
//
// A train stores its headers once, as the kernel does: segment k has those headers (with sequence number,
// length and IP identification advanced) and its own `segment_payload` bytes; the last one may be shorter.
// What a train weighs on a wire is what its n segments weigh: wire_size().
//
// A frame may end in virtual payload: bytes that count on the wire and are not stored, so that simulated TCP
// costs no memory for data that nobody reads.
//
// A checksum may be partial, as CHECKSUM_PARTIAL in Linux: the transport checksum field holds the sum of the
// pseudo-header only, and whoever needs it finished sums from `checksum_start` to the end.
//
// Ownership: exactly one PacketPtr. Pools and packets belong to one thread.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>

#include "simcore/units/data.h"
#include "simcore/units/time.h"

namespace simcore {

class PacketPool;
class Packet;

// Where a packet was, and will be.
struct FreeBlock {
  FreeBlock* next;
};

// The blocks of one size of a pool that are free, last in first out, and how many are out.
struct FreePackets {
  FreeBlock* first = nullptr;
  std::uint64_t out = 0;
  std::uint32_t capacity = 0;  // of each, in bytes behind the Packet
};

enum class TrainKind : std::uint8_t {
  none,      // a single frame
  tcp_ipv4,  // VIRTIO_NET_HDR_GSO_TCPV4
  tcp_ipv6,  // VIRTIO_NET_HDR_GSO_TCPV6
  udp,       // VIRTIO_NET_HDR_GSO_UDP_L4: datagrams of one flow, over IPv4 or IPv6
};

class Packet {
 public:
  Packet(const Packet&) = delete;
  Packet& operator=(const Packet&) = delete;

  std::span<std::uint8_t> bytes() { return {storage(), size_}; }
  std::span<const std::uint8_t> bytes() const { return {storage(), size_}; }
  std::size_t size() const { return size_; }
  std::size_t capacity() const { return home_->capacity - start_; }
  std::size_t block_bytes() const { return sizeof(Packet) + home_->capacity; }  // what it takes of its pool

  // Precondition: size <= capacity(). Bytes that were not written before have any value.
  void resize(std::size_t size) {
    assert(size <= capacity());
    size_ = static_cast<std::uint32_t>(size);
  }

  // Takes `count` bytes off the front; nothing is moved. Precondition: count <= size().
  void remove_front(std::size_t count);

  // Takes over the instants and the description (everything but the stored bytes) of `other`.
  void describe_as(const Packet& other);

  // Bytes on the wire of all segments, headers repeated, virtual payload included; without framing overhead.
  ByteCount wire_size() const {
    return ByteCount::bytes(static_cast<std::int64_t>(size_) + virtual_payload +
                            static_cast<std::int64_t>(segments - 1) * header_size);
  }

  // The instants at which the first and the last segment arrive where the packet is now.
  // Equal for a single frame.
  SimTime first_arrival = SimTime::zero();
  SimTime last_arrival = SimTime::zero();

  std::uint32_t virtual_payload = 0;  // bytes, after the stored ones

  // Of a train only; a single frame has segments = 1 and zeros.
  std::uint16_t segments = 1;
  std::uint16_t segment_payload = 0;  // transport payload of each but the last, bytes (MSS, "gso_size")
  std::uint16_t header_size = 0;      // bytes from the start of the frame to the transport payload
  TrainKind train = TrainKind::none;

  bool checksum_partial = false;
  std::uint16_t checksum_start = 0;   // offset in the frame where summing starts; only when partial
  std::uint16_t checksum_offset = 0;  // of the checksum field, from checksum_start; only when partial

 private:
  friend class PacketPool;
  friend struct PacketRecycler;

  Packet(FreePackets* home, std::uint32_t size) : home_(home), size_(size) {}
  ~Packet() = default;

  std::uint8_t* storage() { return reinterpret_cast<std::uint8_t*>(this + 1) + start_; }
  const std::uint8_t* storage() const { return reinterpret_cast<const std::uint8_t*>(this + 1) + start_; }

  FreePackets* home_;  // of the pool that it comes from
  std::uint32_t size_;
  std::uint32_t start_ = 0;  // bytes removed from the front
};
// What the smallest block leaves takes a TCP header with timestamps and one SACK block, over IPv4, in two cache lines.
static_assert(sizeof(Packet) == 48);

struct PacketRecycler {
  void operator()(Packet* packet) const {
    FreePackets& home = *packet->home_;
    packet->~Packet();
    home.first = new (packet) FreeBlock{home.first};
    --home.out;
  }
};
using PacketPtr = std::unique_ptr<Packet, PacketRecycler>;

// Whoever takes packets. The one verb that moves them: the giver keeps nothing.
class PacketSink {
 public:
  // Takes `packet`, whose first segment arrives now. Always accepts; what cannot be kept is
  // dropped and counted.
  virtual void accept(PacketPtr packet) = 0;

  // A packet comes soon: fetches from memory what accept() will use, and does nothing else. See Event::fetch().
  virtual void expect(int /*step*/) const {}

 protected:
  ~PacketSink() = default;
};

}  // namespace simcore

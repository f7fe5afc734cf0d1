// SPDX-License-Identifier: MIT
#include "simcore/packet/train.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include "simcore/packet/byte_order.h"
#include "simcore/packet/checksum.h"
#include "simcore/packet/ethernet.h"
#include "simcore/packet/ipv4.h"
#include "simcore/packet/ipv6.h"
#include "simcore/packet/tcp.h"
#include "simcore/packet/udp.h"

namespace simcore {

namespace {

std::size_t payload_of(const Packet& packet) {
  return packet.size() + packet.virtual_payload - packet.header_size;
}

std::uint8_t* network_header(Packet& packet) {
  const auto ethernet = EthernetHeader::parse(packet.bytes());
  assert(ethernet);
  return packet.bytes().data() + ethernet->size();
}

bool is_ipv4(const std::uint8_t* network) { return network[0] >> 4 == 4; }

void set_ipv4_word(std::uint8_t* network, std::size_t offset, std::uint16_t value) {
  std::uint8_t* const checksum = network + Ipv4Header::kChecksumOffset;
  store_be16(checksum, updated_checksum(load_be16(checksum), load_be16(network + offset), value));
  store_be16(network + offset, value);
}

// Makes the headers say that they carry `after` bytes of payload instead of `before`.
void set_payload(Packet& packet, std::size_t before, std::size_t after) {
  std::uint8_t* const network = network_header(packet);
  std::uint8_t* const transport = packet.bytes().data() + packet.checksum_start;
  const auto with_headers = [&](const std::uint8_t* from, std::size_t payload) {
    const auto headers = static_cast<std::size_t>(packet.bytes().data() + packet.header_size - from);
    return static_cast<std::uint16_t>(headers + payload);
  };
  if (is_ipv4(network)) {
    set_ipv4_word(network, 2, with_headers(network, after));
  } else {
    store_be16(network + Ipv6Header::kPayloadLengthOffset, with_headers(network + Ipv6Header::kSize, after));
  }
  const std::uint16_t length_before = with_headers(transport, before);
  const std::uint16_t length_after = with_headers(transport, after);
  if (packet.train == TrainKind::udp) store_be16(transport + UdpHeader::kLengthOffset, length_after);
  // The field holds the sum itself, not its complement; the length is one of its words.
  std::uint8_t* const field = transport + packet.checksum_offset;
  const auto complement = static_cast<std::uint16_t>(~load_be16(field));
  store_be16(field, static_cast<std::uint16_t>(~updated_checksum(complement, length_before, length_after)));
}

// What only the last segment may say is taken back.
void clear_end_flags(Packet& packet) {
  if (packet.train == TrainKind::udp) return;
  std::uint8_t& flags = packet.bytes()[packet.checksum_start + TcpHeader::kFlagsOffset];
  flags = static_cast<std::uint8_t>(flags & ~(tcp_flag::kFin | tcp_flag::kPsh));
}

// Makes the headers those of the segment that comes `count` later.
void advance_headers(Packet& packet, std::uint16_t count) {
  std::uint8_t* const network = network_header(packet);
  if (is_ipv4(network)) {
    const std::uint16_t identification = load_be16(network + 4);
    const bool dont_fragment = (network[6] & 0x40U) != 0;
    if (!dont_fragment || identification != 0) {
      set_ipv4_word(network, 4, static_cast<std::uint16_t>(identification + count));
    }
  }
  if (packet.train == TrainKind::udp) return;
  std::uint8_t* const tcp = packet.bytes().data() + packet.checksum_start;
  std::uint8_t* const sequence = tcp + TcpHeader::kSequenceOffset;
  store_be32(sequence, load_be32(sequence) + std::uint32_t{count} * packet.segment_payload);
  tcp[TcpHeader::kFlagsOffset] = static_cast<std::uint8_t>(tcp[TcpHeader::kFlagsOffset] & ~tcp_flag::kCwr);
}

void set_segments(Packet& packet, std::uint16_t segments) {
  packet.segments = segments;
  if (segments > 1) return;
  packet.segment_payload = 0;
  packet.header_size = 0;
  packet.train = TrainKind::none;
}

// When segment `index` of the train arrives: they are spread evenly.
SimTime arrival_of(const Packet& train, std::uint16_t index) {
  const Duration spread = train.last_arrival - train.first_arrival;
  return train.first_arrival + spread * index / (train.segments - 1);
}

}  // namespace

std::uint32_t largest_segment(const Packet& packet) {
  if (packet.segments == 1) return static_cast<std::uint32_t>(packet.size()) + packet.virtual_payload;
  return std::uint32_t{packet.header_size} + packet.segment_payload;
}

PacketPtr split_front(Packet& train, std::uint16_t count, PacketPool& pool) {
  assert(count >= 1 && count < train.segments && train.checksum_partial);
  const std::size_t header = train.header_size;
  const std::size_t whole = payload_of(train);
  const std::size_t taken = std::size_t{count} * train.segment_payload;
  const std::size_t stored = std::min(taken, train.size() - header);

  PacketPtr front = pool.copy_of(train.bytes().first(header + stored));
  if (!front) return nullptr;
  front->describe_as(train);
  front->virtual_payload = static_cast<std::uint32_t>(taken - stored);
  front->last_arrival = arrival_of(train, static_cast<std::uint16_t>(count - 1));
  set_payload(*front, whole, taken);
  clear_end_flags(*front);
  set_segments(*front, count);

  // The rest keeps its payload where it lies; its headers move up to it, over what was taken.
  std::memmove(train.bytes().data() + stored, train.bytes().data(), header);
  train.remove_front(stored);
  train.virtual_payload -= static_cast<std::uint32_t>(taken - stored);
  train.first_arrival = arrival_of(train, count);
  set_payload(train, whole, whole - taken);
  advance_headers(train, count);
  set_segments(train, static_cast<std::uint16_t>(train.segments - count));
  return front;
}

void drop_back(Packet& train, std::uint16_t count) {
  assert(count >= 1 && count < train.segments && train.checksum_partial);
  const auto kept_segments = static_cast<std::uint16_t>(train.segments - count);
  const std::size_t whole = payload_of(train);
  const std::size_t kept = std::size_t{kept_segments} * train.segment_payload;
  const std::size_t stored = std::min(kept, train.size() - train.header_size);
  train.resize(train.header_size + stored);
  train.virtual_payload = static_cast<std::uint32_t>(kept - stored);
  train.last_arrival = arrival_of(train, static_cast<std::uint16_t>(kept_segments - 1));
  set_payload(train, whole, kept);
  clear_end_flags(train);
  set_segments(train, kept_segments);
}

void finish_checksum(Packet& packet) {
  assert(packet.segments == 1);
  if (!packet.checksum_partial) return;
  ChecksumSum sum;
  sum.add(packet.bytes().subspan(packet.checksum_start));
  // Zero would say "no checksum" to UDP; its other representation is as good to everyone,
  // and Linux writes it too.
  const std::uint16_t checksum = sum.checksum() == 0 ? 0xffff : sum.checksum();
  store_be16(packet.bytes().data() + packet.checksum_start + packet.checksum_offset, checksum);
  packet.checksum_partial = false;
  packet.checksum_start = 0;
  packet.checksum_offset = 0;
}

}  // namespace simcore

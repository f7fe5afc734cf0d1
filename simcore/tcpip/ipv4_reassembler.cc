// SPDX-License-Identifier: MIT
#include "simcore/tcpip/ipv4_reassembler.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "simcore/packet/ethernet.h"
#include "simcore/packet/ipv4.h"

namespace simcore {

namespace {

constexpr std::size_t kLongestDatagram = 65'535;
constexpr unsigned kEcnMask = 3;
constexpr unsigned kNotEct = 1U << 0;
constexpr unsigned kCe = 1U << 3;

Ipv4Header header_of(const Packet& packet) {
  return *Ipv4Header::parse(packet.bytes().subspan(EthernetHeader::kSize), packet.virtual_payload);
}

}  // namespace

std::size_t Ipv4Reassembler::KeyHash::operator()(const Key& key) const {
  const std::uint64_t rest = std::uint64_t{key.identification} << 8 | key.protocol;
  std::uint64_t mixed = (std::uint64_t{key.source.value()} << 32 | key.destination.value()) ^ rest << 20;
  mixed = (mixed ^ mixed >> 29) * 0xbf58'476d'1ce4'e5b9;
  return static_cast<std::size_t>(mixed ^ mixed >> 32);
}

Ipv4Reassembler::Result Ipv4Reassembler::take(PacketPtr fragment, SimTime now, PacketPool& pool) {
  const Ipv4Header header = header_of(*fragment);
  const std::size_t start = header.fragment_offset();
  const std::size_t end = start + header.payload_length();
  const bool last = !header.more_fragments();
  if (start == end || (!last && end % 8 != 0) || header.size() + end > kLongestDatagram) {
    return {Verdict::malformed, 1};
  }
  if (memory_ + weight(*fragment) > config_.memory) return {Verdict::full, 1};

  const Place place = find_or_add({.source = header.source(),
                                   .destination = header.destination(),
                                   .identification = header.identification(),
                                   .protocol = header.protocol()},
                                  now);
  Datagram& datagram = *place;
  datagram.codepoints |= 1U << (header.type_of_service() & kEcnMask);
  const ByteCount added = weight(*fragment);
  switch (insert(datagram, {start, end, std::move(fragment)}, last)) {
    case Verdict::duplicate:
      return {Verdict::duplicate, 1};
    case Verdict::conflict:
      return {Verdict::conflict, forget(place) + 1};
    default:
      memory_ += added;
  }
  // RFC 3168 section 5.3: part of the datagram was ECN-capable, part was not.
  if ((datagram.codepoints & kNotEct) != 0 && datagram.codepoints != kNotEct) {
    return {Verdict::conflict, forget(place)};
  }
  if (!datagram.ends || datagram.have < datagram.length) return {Verdict::held};

  if (header_of(*datagram.pieces.front().packet).size() + datagram.length > kLongestDatagram) {
    return {Verdict::malformed, forget(place)};
  }
  PacketPtr whole = assemble(datagram, now, pool);
  const std::uint32_t fragments = forget(place);
  if (!whole) return {Verdict::no_packet, fragments};
  return {Verdict::whole, 0, std::move(whole)};
}

std::vector<Ipv4Reassembler::TimedOut> Ipv4Reassembler::expire(SimTime now) {
  std::vector<TimedOut> expired;
  while (deadline() <= now) {
    const Place place = datagrams_.begin();
    PacketPtr first;
    if (place->pieces.front().start == 0) {
      memory_ -= weight(*place->pieces.front().packet);
      first = std::move(place->pieces.front().packet);
    }
    expired.push_back({forget(place), std::move(first)});
  }
  return expired;
}

Ipv4Reassembler::Place Ipv4Reassembler::find_or_add(const Key& key, SimTime now) {
  const auto found = places_.find(key);
  if (found != places_.end()) return found->second;
  datagrams_.push_back({.key = key, .deadline = now + config_.timeout});
  return places_[key] = std::prev(datagrams_.end());
}

Ipv4Reassembler::Verdict Ipv4Reassembler::insert(Datagram& datagram, Piece piece, bool last) {
  const bool contradicts = datagram.ends
                               ? piece.end > datagram.length || (last && piece.end != datagram.length)
                               : last && piece.end < datagram.length;
  if (contradicts) return Verdict::conflict;
  // Fragments mostly come in order: the search starts at the end.
  std::vector<Piece>& pieces = datagram.pieces;
  auto after = pieces.end();
  while (after != pieces.begin() && std::prev(after)->start > piece.start) --after;
  std::size_t covered = piece.start;  // up to where there are bytes already, without a gap
  for (auto at = after == pieces.begin() ? after : std::prev(after);
       at != pieces.end() && at->start <= covered && covered < piece.end; ++at) {
    covered = std::max(covered, at->end);
  }
  if (covered >= piece.end) return Verdict::duplicate;
  const bool overlaps_before = after != pieces.begin() && std::prev(after)->end > piece.start;
  const bool overlaps_after = after != pieces.end() && after->start < piece.end;
  if (overlaps_before || overlaps_after) return Verdict::conflict;
  datagram.have += piece.end - piece.start;
  datagram.length = std::max(datagram.length, piece.end);
  datagram.ends = datagram.ends || last;
  pieces.insert(after, std::move(piece));
  return Verdict::held;
}

// Stored bytes come first, then virtual ones: a virtual piece before a stored one is written out as zeros.
PacketPtr Ipv4Reassembler::assemble(const Datagram& datagram, SimTime now, PacketPool& pool) {
  const Packet& first = *datagram.pieces.front().packet;
  const std::size_t headers = EthernetHeader::kSize + header_of(first).size();
  std::size_t stored = 0;
  for (const Piece& piece : datagram.pieces) {
    const std::size_t bytes = header_of(*piece.packet).payload().size();
    if (bytes > 0) stored = piece.start + bytes;
  }
  PacketPtr whole = pool.make(headers + stored);
  if (!whole) return nullptr;
  std::memcpy(whole->bytes().data(), first.bytes().data(), headers);
  const std::span<std::uint8_t> payload = whole->bytes().subspan(headers);
  std::size_t at = 0;
  for (const Piece& piece : datagram.pieces) {
    const auto bytes = header_of(*piece.packet).payload();
    if (bytes.empty()) continue;
    std::memset(payload.data() + at, 0, piece.start - at);
    std::memcpy(payload.data() + piece.start, bytes.data(), bytes.size());
    at = piece.start + bytes.size();
  }
  whole->virtual_payload = static_cast<std::uint32_t>(datagram.length - stored);
  whole->first_arrival = whole->last_arrival = now;
  std::uint8_t* const header = whole->bytes().data() + EthernetHeader::kSize;
  if ((datagram.codepoints & kCe) != 0) header[1] |= kEcnMask;
  set_ipv4_fragment(whole->bytes().subspan(EthernetHeader::kSize),
                    static_cast<std::uint16_t>(headers - EthernetHeader::kSize + datagram.length), 0, false);
  return whole;
}

// What a held fragment takes: its block, and its place in the datagram.
ByteCount Ipv4Reassembler::weight(const Packet& packet) {
  return ByteCount::bytes(static_cast<std::int64_t>(packet.capacity() + sizeof(Packet) + sizeof(Datagram)));
}

// Returns how many fragments there were.
std::uint32_t Ipv4Reassembler::forget(Place place) {
  for (const Piece& piece : place->pieces) {
    if (piece.packet) memory_ -= weight(*piece.packet);
  }
  const auto fragments = static_cast<std::uint32_t>(place->pieces.size());
  places_.erase(place->key);
  datagrams_.erase(place);
  return fragments;
}

std::uint64_t Ipv4Reassembler::fragments() const {
  std::uint64_t held = 0;
  for (const Datagram& datagram : datagrams_) held += datagram.pieces.size();
  return held;
}

}  // namespace simcore

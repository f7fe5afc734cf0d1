// SPDX-License-Identifier: MIT
//
// Ipv4Reassembler: puts the fragments of datagrams together again (RFC 791 section 3.2, RFC 815; RFC 1122 section
// 3.3.2), as a pure state machine: it is given the time and schedules nothing.
//
//   take(fragment) -> held | whole datagram | why it was dropped          deadline(), expire() -> those that took too long
//
// Which fragments belong together is said by source, destination, protocol and identification. Fragments that overlap,
// or contradict each other about where the datagram ends, drop all of it (RFC 5722, which Linux applies to IPv4 too);
// one that brings nothing new is dropped alone. A CE mark on one fragment marks the datagram (RFC 3168 section 5.3).
// The time-out and the memory bound are those of Linux (net.ipv4.ipfrag_time and ipfrag_high_thresh): when the memory is
// used up, fragments are dropped until datagrams are whole or too old.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <unordered_map>
#include <vector>

#include "simcore/packet/ipv4_address.h"
#include "simcore/packet/packet.h"
#include "simcore/packet/packet_pool.h"
#include "simcore/units/data.h"
#include "simcore/units/time.h"

namespace simcore {

class Ipv4Reassembler {
 public:
  struct Config {
    Duration timeout = Duration::seconds(30);                    // from the first fragment that came
    ByteCount memory = ByteCount::bytes(std::int64_t{4} << 20);  // of all fragments that are held
  };

  enum class Verdict : std::uint8_t {
    held,
    whole,
    malformed,  // no payload, not a multiple of 8 bytes before the end, or longer than a datagram may be
    duplicate,  // it brings nothing new
    conflict,   // overlapping or contradicting fragments
    full,       // the memory bound
    no_packet,  // the pool is exhausted: there is none for the whole datagram
  };
  struct Result {
    Verdict verdict;
    std::uint32_t dropped = 0;     // fragments, this one and those that were held
    PacketPtr datagram = nullptr;  // when whole: an untagged Ethernet frame
  };
  struct TimedOut {
    std::uint32_t dropped;  // fragments
    PacketPtr first;        // the one with offset 0, when that came
  };

  Ipv4Reassembler() = default;
  explicit Ipv4Reassembler(const Config& config) : config_(config) {}

  // `fragment` is an untagged Ethernet frame with a fragment whose IPv4 header is correct, not a train. The whole
  // datagram has the header of the first fragment and arrives now.
  Result take(PacketPtr fragment, SimTime now, PacketPool& pool);

  // When the oldest incomplete datagram is given up; never when there is none.
  SimTime deadline() const { return datagrams_.empty() ? SimTime::never() : datagrams_.front().deadline; }
  std::vector<TimedOut> expire(SimTime now);

  std::size_t datagrams() const { return datagrams_.size(); }
  std::uint64_t fragments() const;  // that are held
  ByteCount memory() const { return memory_; }

 private:
  struct Key {
    Ipv4Address source;
    Ipv4Address destination;
    std::uint16_t identification;
    std::uint8_t protocol;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };
  struct Piece {
    std::size_t start;  // of its payload within the datagram's
    std::size_t end;
    PacketPtr packet;
  };
  struct Datagram {
    Key key;
    SimTime deadline;
    std::vector<Piece> pieces = {};  // in order, without overlaps
    std::size_t have = 0;            // bytes of payload
    std::size_t length = 0;   // of the payload, once the last fragment came; else what is known to be there
    bool ends = false;        // the last fragment came
    unsigned codepoints = 0;  // bit n: a fragment with ECN codepoint n came
  };
  using Place = std::list<Datagram>::iterator;

  Place find_or_add(const Key& key, SimTime now);
  static Verdict insert(Datagram& datagram, Piece piece, bool last);
  static PacketPtr assemble(const Datagram& datagram, SimTime now, PacketPool& pool);
  static ByteCount weight(const Packet& packet);
  std::uint32_t forget(Place place);

  Config config_;
  std::list<Datagram> datagrams_;  // the oldest first
  std::unordered_map<Key, Place, KeyHash> places_;
  ByteCount memory_ = ByteCount::zero();
};

}  // namespace simcore

// SPDX-License-Identifier: MIT
//
// NdResolver: the IPv6 neighbours of one interface, whether they can still be reached, and the packets that
// wait for an answer (RFC 4861 section 7.3).
//
//   none --lookup--> INCOMPLETE --answer--> REACHABLE --30 s--> STALE --lookup--> DELAY --5 s--> PROBE
//                        |                      ^                                   |              |
//                        | 3 unanswered         `---------------- answer -----------+--------------'
//                        `--> none; what waited has failed            3 unanswered: none <---------'
//
// Its address in a solicitation, or an answer that nobody asked for, makes a neighbour STALE: known, but not proved
// to be there. The times are the defaults of RFC 4861 section 10; that of REACHABLE is not spread at random. That
// a connection makes progress is not taken as proof, so a neighbour in use is asked every 35 s. A pure state machine:
// it is told the time, and says what to send and when to look again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "simcore/packet/ipv6_address.h"
#include "simcore/packet/mac_address.h"
#include "simcore/packet/neighbour_message.h"
#include "simcore/packet/packet.h"
#include "simcore/units/flat_map.h"
#include "simcore/units/time.h"

namespace simcore {

class NdResolver {
 public:
  struct Config {
    Duration retransmit = Duration::seconds(1);  // from one solicitation to the next, and to giving up
    int solicitations = 3;                       // sent before giving up; >= 1
    Duration reachable = Duration::seconds(30);
    Duration delay = Duration::seconds(5);  // before a stale neighbour in use is asked
    std::size_t waiting_packets = 128;  // that may wait for one address; the oldest gives way to the newest
    std::size_t entries = 65'536;
  };

  enum class State : std::uint8_t { none, incomplete, reachable, stale, delay, probe };

  struct Solicitation {
    Ipv6Address target;
    std::optional<MacAddress> destination;  // none: the target's solicited-node group
  };

  struct Answer {
    std::optional<MacAddress> mac;
    std::optional<Solicitation> solicitation;  // to be sent now
  };

  struct Expired {
    std::vector<Solicitation> solicitations;  // to be sent now
    std::vector<PacketPtr> failed;            // whose next hop did not answer
  };

  NdResolver() : NdResolver(Config{}) {}
  explicit NdResolver(const Config& config) : config_(config) {}

  // The MAC address of `address`, or none when it must be waited for: then hold() the packet.
  Answer lookup(const Ipv6Address& address, SimTime now);

  // Keeps `packet` until `address`, for which lookup() just found nothing, is known. Returns the packet that
  // had to give way, which is `packet` itself when the table of addresses is full; null when there was room.
  [[nodiscard]] PacketPtr hold(const Ipv6Address& address, PacketPtr packet);

  // `address` asked us for something and said that it is at `mac`. Returns the packets that waited for it, in order.
  std::vector<PacketPtr> hear(const Ipv6Address& address, MacAddress mac, SimTime now);

  // An advertisement came (RFC 4861 section 7.2.5). Returns the packets that waited for its target, in order.
  std::vector<PacketPtr> learn(const NeighbourMessage& advertisement, SimTime now);

  // When expire() has something to do; SimTime::never() when there is nothing to wait for.
  SimTime next_deadline() const { return deadlines_.empty() ? SimTime::never() : deadlines_.begin()->first; }
  Expired expire(SimTime now);

  State state_of(const Ipv6Address& address, SimTime now) const;
  // The MAC address of `address`, if it is known in any state.
  std::optional<MacAddress> mac_of(const Ipv6Address& address) const;
  std::size_t size() const { return entries_.size(); }
  std::uint64_t waiting_segments() const;  // of all that wait for an answer

 private:
  struct Entry {
    State state = State::incomplete;
    std::optional<MacAddress> mac;        // none: incomplete
    SimTime confirmed = SimTime::zero();  // of reachable
    SimTime deadline = SimTime::never();  // of incomplete, delay and probe
    int solicitations_left = 0;           // of incomplete and probe
    std::vector<PacketPtr> waiting;       // of incomplete
  };

  State state_of(const Entry& entry, SimTime now) const;
  void enter(const Ipv6Address& address, Entry& entry, State state, SimTime now);
  void set_deadline(const Ipv6Address& address, Entry& entry, SimTime deadline);
  Solicitation solicit(const Ipv6Address& address, Entry& entry, SimTime now);
  std::vector<PacketPtr> release(const Ipv6Address& address, Entry& entry, SimTime now);
  bool make_room(SimTime now);

  Config config_;
  FlatMap<Ipv6Address, Entry> entries_;
  std::set<std::pair<SimTime, Ipv6Address>> deadlines_;  // of the entries that have one
  SimTime next_sweep_ = SimTime::zero();
};

}  // namespace simcore

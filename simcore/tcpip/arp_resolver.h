// SPDX-License-Identifier: MIT
//
// ArpResolver: the ARP cache of one interface, and the packets that wait for an answer
// (RFC 826, RFC 1122 section 2.3.2).
//
//   unknown --lookup--> asking --learn--> known --age--> known, confirming --learn--> known
//                         |                                   |
//                         `---- requests unanswered ----------`----> unknown; what waited has failed
//
// An entry older than `lifetime` is still used while a unicast request asks whether it holds (RFC
// 1122 2.3.2.1, method 2), so that a flow does not pause each time its neighbour's entry ages. An entry that
// nobody uses is kept until room is needed. A pure state machine: it is told the time, and says what to send
// and when to look again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "simcore/packet/ipv4_address.h"
#include "simcore/packet/mac_address.h"
#include "simcore/packet/packet.h"
#include "simcore/units/flat_map.h"
#include "simcore/units/time.h"

namespace simcore {

class ArpResolver {
 public:
  struct Config {
    Duration retry = Duration::seconds(1);  // from one request to the next, and from the last to giving up
    int requests = 3;                       // sent before giving up; >= 1
    Duration lifetime = Duration::seconds(60);
    std::size_t waiting_packets = 128;  // that may wait for one address; the oldest gives way to the newest
    std::size_t entries = 65'536;
  };

  struct Request {
    Ipv4Address target;
    MacAddress destination;  // broadcast, or the address to be confirmed
  };

  struct Answer {
    std::optional<MacAddress> mac;
    std::optional<Request> request;  // to be sent now
  };

  struct Expired {
    std::vector<Request> requests;  // to be sent now
    std::vector<PacketPtr> failed;  // whose next hop did not answer
  };

  ArpResolver() : ArpResolver(Config{}) {}
  explicit ArpResolver(const Config& config) : config_(config) {}

  // The MAC address of `address`, or none when it must be waited for: then hold() the packet.
  Answer lookup(Ipv4Address address, SimTime now) {
    if (now < latest_.until && address == latest_.address) return {latest_.mac, std::nullopt};
    return look_up(address, now);
  }

  // Keeps `packet` until `address`, for which lookup() just found nothing, is known. Returns the packet that
  // had to give way, which is `packet` itself when the table of addresses is full; null when there was room.
  [[nodiscard]] PacketPtr hold(Ipv4Address address, PacketPtr packet);

  // `address` was seen at `mac`. An unknown address is learnt only when `addressed_to_me` (RFC 826: whoever
  // asks for us will be talked to). Returns the packets that waited for it, in order.
  std::vector<PacketPtr> learn(Ipv4Address address, MacAddress mac, bool addressed_to_me, SimTime now);

  // When expire() has something to do; SimTime::never() when nothing is being asked for.
  SimTime next_deadline() const { return deadlines_.empty() ? SimTime::never() : deadlines_.front().time; }
  Expired expire(SimTime now);

  std::size_t size() const { return entries_.size(); }
  std::uint64_t waiting_segments() const;  // of all that wait for an answer

 private:
  struct Entry {
    std::optional<MacAddress> mac;  // none: asking
    SimTime confirmed = SimTime::zero();
    SimTime deadline = SimTime::never();  // of the request that is out; never: none is
    int requests_left = 0;
    std::vector<PacketPtr> waiting;
  };
  // Every request waits for the same time, so deadlines come in order. One whose entry says
  // otherwise is void.
  struct Deadline {
    SimTime time;
    Ipv4Address address;
  };

  // What was looked up last, where there is nothing to ask.
  struct Latest {
    Ipv4Address address = Ipv4Address::any();
    MacAddress mac = MacAddress::zero();
    SimTime until = SimTime::zero();  // it must be looked up again
  };

  Answer look_up(Ipv4Address address, SimTime now);
  Request ask(Ipv4Address address, Entry& entry, SimTime now);
  bool make_room(SimTime now);

  Config config_;
  Latest latest_;  // in one cache line, where the table takes several
  FlatMap<Ipv4Address, Entry> entries_;
  std::deque<Deadline> deadlines_;
  SimTime next_sweep_ = SimTime::zero();
};

}  // namespace simcore

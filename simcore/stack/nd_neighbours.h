// SPDX-License-Identifier: MIT
//
// NdNeighbours: sends IPv6 datagrams out of one interface to the MAC address of their next hop, which it finds
// out by neighbour discovery (RFC 4861). The NdResolver decides; this gives it the clock, its timer, and frames.
//
// Left out: the check whether somebody else has our address already (RFC 4862), and redirects. Who makes that
// check about an address of ours is told that it is taken.
#pragma once

#include <cstdint>
#include <string>

#include "simcore/device/interface.h"
#include "simcore/kernel/simulation.h"
#include "simcore/packet/neighbour_message.h"
#include "simcore/packet/packet.h"
#include "simcore/packet/packet_pool.h"
#include "simcore/stack/arp_neighbours.h"
#include "simcore/tcpip/nd_resolver.h"

namespace simcore {

class NdNeighbours {
 public:
  // All must outlive it. Precondition: `interface` has an IPv6 address.
  NdNeighbours(Simulation& simulation, PacketPool& pool, Interface& interface, bool router,
               ArpNeighbours::Undelivered& undelivered)
      : simulation_(simulation),
        pool_(pool),
        interface_(interface),
        router_(router),
        undelivered_(undelivered) {}

  // Sends `packet`, an untagged Ethernet frame whose header is overwritten, to `next_hop` on the link.
  void send(PacketPtr packet, const Ipv6Address& next_hop);

  // A message that came between `ends`. False when the rules of RFC 4861 section 7.1 forbid it.
  [[nodiscard]] bool receive(const NeighbourMessage& message, const Ipv6Ends& ends);

  // Tells everyone on the link where our addresses are, unasked (RFC 4861 section 7.2.6).
  void announce();

  std::uint64_t waiting_segments() const { return cache_.waiting_segments(); }  // for an answer
  std::string place() const { return interface_.name(); }
  bool knows(const Ipv6Address& address) const { return cache_.mac_of(address).has_value(); }

 private:
  bool own(const Ipv6Address& address) const {
    return address == interface_.address6()->address() || address == interface_.link_local();
  }
  void transmit(PacketPtr packet, MacAddress destination);
  void transmit_all(std::vector<PacketPtr> released, const Ipv6Address& next_hop);
  void answer(const NeighbourMessage& solicitation, const Ipv6Address& asker);
  PacketPtr frame_of(const NeighbourMessage& message, const Ipv6Ends& ends);
  void solicit(const NdResolver::Solicitation& solicitation);
  void advertise_to_all(const Ipv6Address& target);
  void wait_for_deadline();
  void expire();

  Simulation& simulation_;
  PacketPool& pool_;
  Interface& interface_;
  bool router_;
  ArpNeighbours::Undelivered& undelivered_;
  NdResolver cache_;
  SimTime waiting_for_ = SimTime::never();  // when deadline_ is scheduled
  EventFor<NdNeighbours, &NdNeighbours::expire, "the timer of neighbour discovery"> deadline_{*this};
};

}  // namespace simcore

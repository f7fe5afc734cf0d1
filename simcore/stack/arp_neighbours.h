// SPDX-License-Identifier: MIT
//
// ArpNeighbours: sends IPv4 datagrams out of one interface to the MAC address of their next hop, which it finds
// out by ARP. The ArpResolver decides; this gives it the clock, its timer, and frames.
#pragma once

#include <cstdint>
#include <string>

#include "simcore/device/interface.h"
#include "simcore/kernel/simulation.h"
#include "simcore/packet/arp.h"
#include "simcore/packet/packet.h"
#include "simcore/packet/packet_pool.h"
#include "simcore/tcpip/arp_resolver.h"

namespace simcore {

class ArpNeighbours {
 public:
  // Takes the packets that could not be sent.
  class Undelivered {
   public:
    virtual void next_hop_silent(PacketPtr packet) = 0;     // it did not answer
    virtual void next_hop_congested(PacketPtr packet) = 0;  // too many wait for it already
    virtual void no_packet_to_ask() = 0;  // the pool is exhausted: a question or an answer was not sent

   protected:
    ~Undelivered() = default;
  };

  // All must outlive it. Precondition: `interface` has an IPv4 address.
  ArpNeighbours(Simulation& simulation, PacketPool& pool, Interface& interface, Undelivered& undelivered)
      : simulation_(simulation), pool_(pool), interface_(interface), undelivered_(undelivered) {}

  // Sends `packet`, an untagged Ethernet frame whose header is overwritten, to `next_hop` on the link.
  void send(PacketPtr packet, Ipv4Address next_hop);

  void receive(const ArpMessage& message);

  // Gratuitous ARP: tells everyone on the link where our address is (RFC 5227 section 3).
  void announce();

  std::uint64_t waiting_segments() const { return resolver_.waiting_segments(); }  // for an answer
  std::string place() const { return interface_.name(); }

 private:
  void transmit(PacketPtr packet, MacAddress destination);
  void send_arp(ArpMessage::Operation operation, MacAddress destination, MacAddress target_mac,
                Ipv4Address target);
  void send_request(const ArpResolver::Request& request);
  void wait_for_deadline();
  void expire();

  Simulation& simulation_;
  PacketPool& pool_;
  Interface& interface_;
  Undelivered& undelivered_;
  ArpResolver resolver_;
  EventFor<ArpNeighbours, &ArpNeighbours::expire, "the ARP timer"> deadline_{*this};
};

}  // namespace simcore

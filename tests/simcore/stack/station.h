// SPDX-License-Identifier: MIT
//
// For tests of nodes: a Station sends frames made by hand and keeps what it gets, with the instants; a Cable joins two
// ports by a link in each direction.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "simcore/kernel/simulation.h"
#include "simcore/link/link.h"
#include "simcore/link/port.h"
#include "simcore/packet/arp.h"
#include "tests/simcore/packet/frames.h"

namespace simcore::testing {

class Station final : public Port {
 public:
  struct Arrival {
    SimTime time;
    PacketPtr packet;
  };

  Station(Simulation& simulation, PacketPool& pool, const char* mac_text, const char* address_text)
      : mac(MacAddress::parse(mac_text)),
        address(Ipv4Address::parse(address_text)),
        simulation_(simulation),
        pool_(pool) {}

  void accept(PacketPtr packet) override { got.push_back({simulation_.now(), std::move(packet)}); }

  void send(PacketPtr packet) {
    packet->first_arrival = packet->last_arrival = simulation_.now();
    emit(std::move(packet));
  }
  void send(const Bytes& frame) { send(pool_.copy_of(frame)); }

  // Tells the owner of `target` who we are, and asks who that is.
  void ask_for(Ipv4Address target) {
    send_arp(ArpMessage::Operation::request, MacAddress::broadcast(), target);
  }
  void answer(MacAddress asker, Ipv4Address target) { send_arp(ArpMessage::Operation::reply, asker, target); }

  // Of everything that came: the ARP messages, and the frames of either version of IP.
  std::vector<ArpMessage> arp() const {
    std::vector<ArpMessage> messages;
    for (const Arrival& arrival : got) {
      const auto ethernet = EthernetHeader::parse(arrival.packet->bytes());
      if (ethernet->ether_type() == EtherType::arp)
        messages.push_back(*ArpMessage::parse(ethernet->payload()));
    }
    return messages;
  }
  std::vector<const Arrival*> ipv4() const { return of(EtherType::ipv4); }
  std::vector<const Arrival*> ipv6() const { return of(EtherType::ipv6); }

  const MacAddress mac;
  const Ipv4Address address;
  std::vector<Arrival> got;

 private:
  std::vector<const Arrival*> of(EtherType type) const {
    std::vector<const Arrival*> frames;
    for (const Arrival& arrival : got) {
      if (EthernetHeader::parse(arrival.packet->bytes())->ether_type() == type) frames.push_back(&arrival);
    }
    return frames;
  }
  void send_arp(ArpMessage::Operation operation, MacAddress to, Ipv4Address target) {
    Bytes frame(EthernetHeader::kSize + ArpMessage::kSize);
    write_ethernet(frame, to, mac, EtherType::arp);
    const MacAddress target_mac = to.is_broadcast() ? MacAddress::zero() : to;
    ArpMessage{operation, mac, address, target_mac, target}.write_to(
        std::span(frame).subspan(EthernetHeader::kSize));
    send(frame);
  }

  Simulation& simulation_;
  PacketPool& pool_;
};

// Joins two ports, without a limit of rate.
class Cable {
 public:
  template <class A, class B>
  Cable(Simulation& simulation, PacketPool& pool, A& a, B& b, Duration delay)
      : forth_(simulation, pool, "forth", config(delay), b),
        back_(simulation, pool, "back", config(delay), a) {
    a.attach(forth_);
    b.attach(back_);
  }

 private:
  static Link::Config config(Duration delay) {
    Link::Config config;
    config.propagation_delay = delay;
    return config;
  }

  Link forth_;
  Link back_;
};

inline Ipv4Header ipv4_of(const Packet& packet) {
  return *Ipv4Header::parse(packet.bytes().subspan(EthernetHeader::kSize), packet.virtual_payload);
}

inline IcmpHeader icmp_of(const Packet& packet) { return *IcmpHeader::parse(ipv4_of(packet).payload()); }

}  // namespace simcore::testing

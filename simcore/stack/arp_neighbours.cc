// SPDX-License-Identifier: MIT
#include "simcore/stack/arp_neighbours.h"

#include <algorithm>
#include <utility>

#include "simcore/packet/ethernet.h"

namespace simcore {

void ArpNeighbours::send(PacketPtr packet, Ipv4Address next_hop) {
  const ArpResolver::Answer answer = resolver_.lookup(next_hop, simulation_.now());
  if (answer.request) {
    send_request(*answer.request);
    wait_for_deadline();
  }
  if (answer.mac) {
    transmit(std::move(packet), *answer.mac);
    return;
  }
  PacketPtr displaced = resolver_.hold(next_hop, std::move(packet));
  if (displaced) undelivered_.next_hop_congested(std::move(displaced));
}

void ArpNeighbours::receive(const ArpMessage& message) {
  const Ipv4Address own = interface_.address()->address();
  const bool about_a_neighbour = message.sender_address.is_unicast() && message.sender_address != own &&
                                 !message.sender_mac.is_multicast();
  const bool to_me = message.target_address == own;
  if (about_a_neighbour) {
    auto released = resolver_.learn(message.sender_address, message.sender_mac, to_me, simulation_.now());
    for (PacketPtr& packet : released) {
      packet->first_arrival = simulation_.now();  // it leaves now, not when it came
      packet->last_arrival = std::max(packet->last_arrival, simulation_.now());
      transmit(std::move(packet), message.sender_mac);
    }
  }
  if (to_me && message.operation == ArpMessage::Operation::request && !message.sender_mac.is_multicast()) {
    send_arp(ArpMessage::Operation::reply, message.sender_mac, message.sender_mac, message.sender_address);
  }
}

void ArpNeighbours::announce() {
  send_arp(ArpMessage::Operation::request, MacAddress::broadcast(), MacAddress::zero(),
           interface_.address()->address());
}

void ArpNeighbours::transmit(PacketPtr packet, MacAddress destination) {
  write_ethernet(packet->bytes(), destination, interface_.mac(), EtherType::ipv4);
  interface_.send(std::move(packet));
}

void ArpNeighbours::send_arp(ArpMessage::Operation operation, MacAddress destination, MacAddress target_mac,
                             Ipv4Address target) {
  PacketPtr packet = pool_.make(EthernetHeader::kSize + ArpMessage::kSize);
  if (!packet) {
    undelivered_.no_packet_to_ask();
    return;
  }
  packet->first_arrival = packet->last_arrival = simulation_.now();
  write_ethernet(packet->bytes(), destination, interface_.mac(), EtherType::arp);
  const ArpMessage message{operation, interface_.mac(), interface_.address()->address(), target_mac, target};
  message.write_to(packet->bytes().subspan(EthernetHeader::kSize));
  interface_.send(std::move(packet));
}

void ArpNeighbours::send_request(const ArpResolver::Request& request) {
  send_arp(ArpMessage::Operation::request, request.destination, MacAddress::zero(), request.target);
}

// Deadlines never become earlier, so an event that is pending already comes in time.
void ArpNeighbours::wait_for_deadline() {
  const SimTime deadline = resolver_.next_deadline();
  if (deadline != SimTime::never() && !deadline_.pending()) simulation_.schedule(deadline_, deadline);
}

void ArpNeighbours::expire() {
  ArpResolver::Expired expired = resolver_.expire(simulation_.now());
  for (const ArpResolver::Request& request : expired.requests) send_request(request);
  for (PacketPtr& packet : expired.failed) undelivered_.next_hop_silent(std::move(packet));
  wait_for_deadline();
}

}  // namespace simcore

// SPDX-License-Identifier: MIT
#include "simcore/stack/nd_neighbours.h"

#include <algorithm>
#include <utility>

#include "simcore/packet/ethernet.h"
#include "simcore/packet/ipv6.h"

namespace simcore {

void NdNeighbours::send(PacketPtr packet, const Ipv6Address& next_hop) {
  const NdResolver::Answer found = cache_.lookup(next_hop, simulation_.now());
  if (found.solicitation) solicit(*found.solicitation);
  wait_for_deadline();
  if (found.mac) return transmit(std::move(packet), *found.mac);
  PacketPtr displaced = cache_.hold(next_hop, std::move(packet));
  if (displaced) undelivered_.next_hop_congested(std::move(displaced));
}

bool NdNeighbours::receive(const NeighbourMessage& message, const Ipv6Ends& ends) {
  if (message.mac && message.mac->is_multicast()) return false;
  const SimTime now = simulation_.now();
  if (message.advertisement) {
    if (ends.destination.is_multicast() && message.solicited) return false;
    if (!own(message.target)) transmit_all(cache_.learn(message, now), message.target);
  } else {
    const bool checks_address = ends.source.is_any();
    if (checks_address && (message.mac || ends.destination != message.target.solicited_node())) return false;
    if (!own(message.target) || own(ends.source)) return true;
    if (message.mac) transmit_all(cache_.hear(ends.source, *message.mac, now), ends.source);
    checks_address ? advertise_to_all(message.target) : answer(message, ends.source);
  }
  wait_for_deadline();
  return true;
}

void NdNeighbours::announce() {
  advertise_to_all(interface_.link_local());
  advertise_to_all(interface_.address6()->address());
}

void NdNeighbours::transmit(PacketPtr packet, MacAddress destination) {
  write_ethernet(packet->bytes(), destination, interface_.mac(), EtherType::ipv6);
  interface_.send(std::move(packet));
}

void NdNeighbours::transmit_all(std::vector<PacketPtr> released, const Ipv6Address& next_hop) {
  for (PacketPtr& packet : released) {
    packet->first_arrival = simulation_.now();  // it leaves now, not when it came
    packet->last_arrival = std::max(packet->last_arrival, simulation_.now());
    transmit(std::move(packet), *cache_.mac_of(next_hop));
  }
}

void NdNeighbours::answer(const NeighbourMessage& solicitation, const Ipv6Address& asker) {
  const NeighbourMessage advertisement{.advertisement = true,
                                       .target = solicitation.target,
                                       .mac = interface_.mac(),
                                       .router = router_,
                                       .solicited = true,
                                       .overrides = true};
  PacketPtr packet = frame_of(advertisement, {.source = solicitation.target, .destination = asker});
  if (packet) send(std::move(packet), asker);
}

// Null, and reported, when the pool is exhausted.
PacketPtr NdNeighbours::frame_of(const NeighbourMessage& message, const Ipv6Ends& ends) {
  constexpr std::size_t kMessage = EthernetHeader::kSize + Ipv6Header::kSize;
  PacketPtr packet = pool_.make(kMessage + message.size());
  if (!packet) {
    undelivered_.no_packet_to_ask();
    return nullptr;
  }
  packet->first_arrival = packet->last_arrival = simulation_.now();
  write_ipv6(packet->bytes().subspan(EthernetHeader::kSize),
             {.source = ends.source,
              .destination = ends.destination,
              .protocol = ip_protocol::kIcmpv6,
              .payload_length = static_cast<std::uint16_t>(message.size()),
              .hop_limit = NeighbourMessage::kHopLimit});
  message.write_to(packet->bytes().subspan(kMessage), ends);
  return packet;
}

void NdNeighbours::solicit(const NdResolver::Solicitation& solicitation) {
  const Ipv6Address& target = solicitation.target;
  const NeighbourMessage message{.advertisement = false, .target = target, .mac = interface_.mac()};
  const Ipv6Ends ends{
      .source = target.is_link_local() ? interface_.link_local() : interface_.address6()->address(),
      .destination = solicitation.destination ? target : target.solicited_node()};
  PacketPtr packet = frame_of(message, ends);
  if (packet) transmit(std::move(packet), solicitation.destination.value_or(ends.destination.group_mac()));
}

void NdNeighbours::advertise_to_all(const Ipv6Address& target) {
  const NeighbourMessage message{
      .advertisement = true, .target = target, .mac = interface_.mac(), .router = router_, .overrides = true};
  const Ipv6Ends ends{.source = target, .destination = Ipv6Address::all_nodes()};
  PacketPtr packet = frame_of(message, ends);
  if (packet) transmit(std::move(packet), ends.destination.group_mac());
}

void NdNeighbours::wait_for_deadline() {
  const SimTime deadline = cache_.next_deadline();
  if (deadline == waiting_for_) return;
  waiting_for_ = deadline;
  if (deadline == SimTime::never()) return simulation_.cancel(deadline_);
  simulation_.schedule(deadline_, deadline);
}

void NdNeighbours::expire() {
  waiting_for_ = SimTime::never();
  NdResolver::Expired expired = cache_.expire(simulation_.now());
  for (const NdResolver::Solicitation& solicitation : expired.solicitations) solicit(solicitation);
  for (PacketPtr& packet : expired.failed) undelivered_.next_hop_silent(std::move(packet));
  wait_for_deadline();
}

}  // namespace simcore

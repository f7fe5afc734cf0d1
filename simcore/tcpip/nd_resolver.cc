// SPDX-License-Identifier: MIT
#include "simcore/tcpip/nd_resolver.h"

#include <iterator>

namespace simcore {

NdResolver::Answer NdResolver::lookup(const Ipv6Address& address, SimTime now) {
  auto place = entries_.find(address);
  if (place == entries_.end()) {
    if (!make_room(now)) return {};
    place = entries_.try_emplace(address).first;
    enter(address, place.value(), State::incomplete, now);
    return {std::nullopt, solicit(address, place.value(), now)};
  }
  Entry& entry = place.value();
  if (state_of(entry, now) == State::stale) enter(address, entry, State::delay, now);
  return {entry.mac, std::nullopt};
}

PacketPtr NdResolver::hold(const Ipv6Address& address, PacketPtr packet) {
  const auto place = entries_.find(address);
  if (place == entries_.end()) return packet;
  std::vector<PacketPtr>& waiting = place.value().waiting;
  PacketPtr displaced;
  if (waiting.size() >= config_.waiting_packets) {
    displaced = std::move(waiting.front());
    waiting.erase(waiting.begin());
  }
  waiting.push_back(std::move(packet));
  return displaced;
}

std::vector<PacketPtr> NdResolver::hear(const Ipv6Address& address, MacAddress mac, SimTime now) {
  auto place = entries_.find(address);
  if (place == entries_.end()) {
    if (!make_room(now)) return {};
    place = entries_.try_emplace(address).first;
  }
  Entry& entry = place.value();
  if (entry.mac == mac) return {};
  entry.mac = mac;
  enter(address, entry, State::stale, now);
  return release(address, entry, now);
}

std::vector<PacketPtr> NdResolver::learn(const NeighbourMessage& advertisement, SimTime now) {
  const auto place = entries_.find(advertisement.target);
  if (place == entries_.end()) return {};  // we asked for nothing
  Entry& entry = place.value();
  const bool known = entry.mac.has_value();
  if (!known && !advertisement.mac) return {};
  const bool differs = advertisement.mac && advertisement.mac != entry.mac;
  if (known && differs && !advertisement.overrides) {
    if (state_of(entry, now) == State::reachable) enter(advertisement.target, entry, State::stale, now);
    return {};
  }
  if (advertisement.mac) entry.mac = advertisement.mac;
  if (advertisement.solicited) {
    enter(advertisement.target, entry, State::reachable, now);
  } else if (differs) {
    enter(advertisement.target, entry, State::stale, now);
  }
  return release(advertisement.target, entry, now);
}

NdResolver::Expired NdResolver::expire(SimTime now) {
  Expired expired;
  while (next_deadline() <= now) {
    const Ipv6Address address = deadlines_.begin()->second;
    Entry& entry = entries_.at(address);
    if (entry.state == State::delay) enter(address, entry, State::probe, now);
    if (entry.solicitations_left > 0) {
      expired.solicitations.push_back(solicit(address, entry, now));
      continue;
    }
    expired.failed.insert(expired.failed.end(), std::make_move_iterator(entry.waiting.begin()),
                          std::make_move_iterator(entry.waiting.end()));
    set_deadline(address, entry, SimTime::never());
    entries_.erase(address);
  }
  return expired;
}

NdResolver::State NdResolver::state_of(const Ipv6Address& address, SimTime now) const {
  const auto place = entries_.find(address);
  return place == entries_.end() ? State::none : state_of(place->second, now);
}

std::optional<MacAddress> NdResolver::mac_of(const Ipv6Address& address) const {
  const auto place = entries_.find(address);
  return place == entries_.end() ? std::nullopt : place->second.mac;
}

// Reachable ends by itself: nothing has to happen then.
NdResolver::State NdResolver::state_of(const Entry& entry, SimTime now) const {
  const bool too_old = entry.state == State::reachable && now - entry.confirmed >= config_.reachable;
  return too_old ? State::stale : entry.state;
}

void NdResolver::enter(const Ipv6Address& address, Entry& entry, State state, SimTime now) {
  entry.state = state;
  entry.solicitations_left = state == State::incomplete || state == State::probe ? config_.solicitations : 0;
  if (state == State::reachable) entry.confirmed = now;
  set_deadline(address, entry, state == State::delay ? now + config_.delay : SimTime::never());
}

void NdResolver::set_deadline(const Ipv6Address& address, Entry& entry, SimTime deadline) {
  if (entry.deadline != SimTime::never()) deadlines_.erase({entry.deadline, address});
  entry.deadline = deadline;
  if (deadline != SimTime::never()) deadlines_.emplace(deadline, address);
}

NdResolver::Solicitation NdResolver::solicit(const Ipv6Address& address, Entry& entry, SimTime now) {
  --entry.solicitations_left;
  set_deadline(address, entry, now + config_.retransmit);
  return {address, entry.mac};
}

// What waited is sent now: that uses the neighbour, so one that is stale is to be asked.
std::vector<PacketPtr> NdResolver::release(const Ipv6Address& address, Entry& entry, SimTime now) {
  std::vector<PacketPtr> released = std::exchange(entry.waiting, {});
  if (!released.empty() && state_of(entry, now) == State::stale) enter(address, entry, State::delay, now);
  return released;
}

// Makes room for one more entry, by forgetting those that are old and not in use. A full table is swept at
// most once per retransmission interval, so that a scan through many addresses does not cost a sweep each.
bool NdResolver::make_room(SimTime now) {
  if (entries_.size() < config_.entries) return true;
  if (now < next_sweep_) return false;
  next_sweep_ = now + config_.retransmit;
  erase_values_if(entries_, [&](const Entry& entry) { return state_of(entry, now) == State::stale; });
  return entries_.size() < config_.entries;
}

std::uint64_t NdResolver::waiting_segments() const {
  std::uint64_t segments = 0;
  for (const auto& [address, entry] : entries_) {
    for (const PacketPtr& packet : entry.waiting) segments += packet->segments;
  }
  return segments;
}

}  // namespace simcore

// SPDX-License-Identifier: MIT
#include "simcore/tcpip/arp_resolver.h"

#include <iterator>
#include <utility>

namespace simcore {

ArpResolver::Answer ArpResolver::look_up(Ipv4Address address, SimTime now) {
  auto place = entries_.find(address);
  if (place == entries_.end()) {
    if (!make_room(now)) return {};
    place = entries_.try_emplace(address).first;
    place.value().requests_left = config_.requests;
    return {std::nullopt, ask(address, place.value(), now)};
  }
  Entry& entry = place.value();
  const bool confirming = entry.deadline != SimTime::never();
  if (!entry.mac || confirming) return {entry.mac, std::nullopt};
  const SimTime holds_until = entry.confirmed + config_.lifetime;
  if (now < holds_until) {
    latest_ = {address, *entry.mac, holds_until};
    return {entry.mac, std::nullopt};
  }
  entry.requests_left = config_.requests;
  return {entry.mac, ask(address, entry, now)};
}

PacketPtr ArpResolver::hold(Ipv4Address address, PacketPtr packet) {
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

std::vector<PacketPtr> ArpResolver::learn(Ipv4Address address, MacAddress mac, bool addressed_to_me,
                                          SimTime now) {
  auto place = entries_.find(address);
  if (place == entries_.end()) {
    if (!addressed_to_me || !make_room(now)) return {};
    place = entries_.try_emplace(address).first;
  }
  if (address == latest_.address) latest_ = {};
  Entry& entry = place.value();
  entry.mac = mac;
  entry.confirmed = now;
  entry.deadline = SimTime::never();
  return std::exchange(entry.waiting, {});
}

ArpResolver::Expired ArpResolver::expire(SimTime now) {
  Expired expired;
  while (next_deadline() <= now) {
    const Deadline due = deadlines_.front();
    deadlines_.pop_front();
    const auto place = entries_.find(due.address);
    if (place == entries_.end() || place->second.deadline != due.time) continue;
    Entry& entry = place.value();
    if (entry.requests_left > 0) {
      expired.requests.push_back(ask(due.address, entry, now));
      continue;
    }
    expired.failed.insert(expired.failed.end(), std::make_move_iterator(entry.waiting.begin()),
                          std::make_move_iterator(entry.waiting.end()));
    entries_.erase(place);
  }
  return expired;
}

ArpResolver::Request ArpResolver::ask(Ipv4Address address, Entry& entry, SimTime now) {
  --entry.requests_left;
  entry.deadline = now + config_.retry;
  deadlines_.push_back({entry.deadline, address});
  return {address, entry.mac.value_or(MacAddress::broadcast())};
}

// Makes room for one more entry, by forgetting those that are old and not in use. A full table is swept at
// most once per retry interval, so that a scan through many addresses does not cost a sweep each.
bool ArpResolver::make_room(SimTime now) {
  if (entries_.size() < config_.entries) return true;
  if (now < next_sweep_) return false;
  next_sweep_ = now + config_.retry;
  erase_values_if(entries_, [&](const Entry& entry) {
    return entry.deadline == SimTime::never() && now - entry.confirmed >= config_.lifetime;
  });
  return entries_.size() < config_.entries;
}

std::uint64_t ArpResolver::waiting_segments() const {
  std::uint64_t segments = 0;
  for (const auto& [address, entry] : entries_) {
    for (const PacketPtr& packet : entry.waiting) segments += packet->segments;
  }
  return segments;
}

}  // namespace simcore

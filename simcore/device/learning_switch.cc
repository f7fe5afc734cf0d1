// SPDX-License-Identifier: MIT
#include "simcore/device/learning_switch.h"

#include "simcore/packet/ethernet.h"

namespace simcore {

void LearningSwitch::receive(Interface& arrival, PacketPtr packet) {
  const auto ethernet = EthernetHeader::parse(packet->bytes());
  if (!ethernet) return drop(DropReason::malformed, *packet);
  learn(ethernet->source(), arrival);
  Interface* const out = find(ethernet->destination());
  if (out == nullptr) return flood(arrival, std::move(packet));
  if (out == &arrival)
    return drop(DropReason::no_port, *packet);  // the destination is where the frame came from
  out->send(std::move(packet));
}

void LearningSwitch::learn(MacAddress source, Interface& arrival) {
  if (source.is_multicast()) return;
  const Entry entry{&arrival, simulation().now()};
  const auto known = table_.find(source);
  if (known != table_.end()) {
    known.value() = entry;
  } else if (make_room()) {
    table_.emplace(source, entry);
  }
}

// The interface behind which `destination` was seen lately; null when that is unknown,
// and for group addresses.
Interface* LearningSwitch::find(MacAddress destination) {
  const auto known = table_.find(destination);
  if (known == table_.end()) return nullptr;
  if (simulation().now() - known->second.seen < kAgeing) return known->second.interface;
  table_.erase(known);
  return nullptr;
}

// A full table is swept at most once per second, so that a flood of made-up addresses does
// not cost a sweep each.
bool LearningSwitch::make_room() {
  if (table_.size() < kLargestTable) return true;
  const SimTime now = simulation().now();
  if (now < next_sweep_) return false;
  next_sweep_ = now + Duration::seconds(1);
  erase_values_if(table_, [&](const Entry& entry) { return now - entry.seen >= kAgeing; });
  return table_.size() < kLargestTable;
}

void LearningSwitch::unplugged(Interface& interface) {
  erase_values_if(table_, [&](const Entry& entry) { return entry.interface == &interface; });
}

void LearningSwitch::flood(const Interface& arrival, PacketPtr packet) {
  Interface* last = nullptr;  // gets the packet itself, the others get copies
  for (const auto& interface : interfaces()) {
    if (interface.get() == &arrival || !interface->attached()) continue;
    if (last != nullptr) {
      PacketPtr copy = pool().copy_of(*packet);
      if (copy) {
        last->send(std::move(copy));
      } else {
        drop(DropReason::pool_exhausted, *packet);
      }
    }
    last = interface.get();
  }
  if (last == nullptr) return drop(DropReason::no_port, *packet);
  last->send(std::move(packet));
}

}  // namespace simcore

// SPDX-License-Identifier: MIT
#include "simcore/openflow/bridge.h"

namespace simcore::openflow {

std::uint64_t Bridge::place(const FlowKey& key, std::size_t address) {
  const std::uint64_t vlan = key.u16(at::kVlan) & 0xfffU;
  return vlan << 48 | std::uint64_t{key.u16(address)} << 32 | key.u32(address + 2);
}

void Bridge::learn(const FlowKey& key, SimTime now) {
  if ((key.u8(at::kEthSrc) & 1U) != 0) return;
  const Seen seen{key.u32(at::kInPort), now};
  const std::uint64_t address = place(key, at::kEthSrc);
  if (const auto known = seen_.find(address); known != seen_.end()) {
    known.value() = seen;
    return;
  }
  if (seen_.size() >= kLargestTable) {
    if (now < next_sweep_) return;
    next_sweep_ = now + Duration::seconds(1);
    erase_values_if(seen_, [now](const Seen& old) { return now - old.at >= kAgeing; });
    if (seen_.size() >= kLargestTable) return;
  }
  seen_.emplace(address, seen);
}

std::optional<std::uint32_t> Bridge::find(const FlowKey& key, SimTime now) {
  if ((key.u8(at::kEthDst) & 1U) != 0) return std::nullopt;
  const auto known = seen_.find(place(key, at::kEthDst));
  if (known == seen_.end() || now - known->second.at >= kAgeing) return std::nullopt;
  return known->second.port;
}

void Bridge::forget_port(std::uint32_t port) {
  erase_values_if(seen_, [port](const Seen& seen) { return seen.port == port; });
}

}  // namespace simcore::openflow

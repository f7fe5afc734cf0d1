// SPDX-License-Identifier: MIT
#include "simcore/portal/traffic_class.h"

#include <span>

#include "simcore/units/error.h"

namespace simcore::peering {

namespace {

constexpr std::size_t kEthernet = 14;
constexpr std::size_t kTag = 4;

std::size_t type_at(std::span<const std::uint8_t> frame, std::size_t at) {
  return static_cast<std::size_t>(frame[at]) << 8 | frame[at + 1];
}

// None: it is not IP.
std::optional<std::size_t> dscp_of(std::span<const std::uint8_t> frame) {
  std::size_t at = kEthernet;
  while (frame.size() >= at + 2 && (type_at(frame, at - 2) == 0x8100 || type_at(frame, at - 2) == 0x88a8))
    at += kTag;
  if (frame.size() < at + 2) return std::nullopt;
  const std::size_t type = type_at(frame, at - 2);
  if (type == 0x0800) return frame[at + 1] >> 2;
  if (type == 0x86dd) return (type_at(frame, at) >> 4 & 0xff) >> 2;
  return std::nullopt;
}

}  // namespace

BulkTraffic::BulkTraffic(const std::vector<int>& dscps, const std::string& filter) {
  for (const int dscp : dscps) {
    if (dscp < 0 || dscp > 63)
      throw ConfigError("bulk_dscp: " + std::to_string(dscp) + " is no DSCP; write 0 to 63");
    dscps_.set(static_cast<std::size_t>(dscp));
  }
  if (!filter.empty()) filter_.emplace(filter);
}

bool BulkTraffic::has(const Packet& packet) const {
  if (dscps_.any()) {
    const auto dscp = dscp_of(packet.bytes());
    if (dscp && dscps_[*dscp]) return true;
  }
  return filter_ && filter_->matches(packet.bytes());
}

}  // namespace simcore::peering

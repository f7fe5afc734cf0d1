// SPDX-License-Identifier: MIT
//
// BulkTraffic: tells packets that need not hurry from those that must not wait: by DSCP (RFC 2474), or by an expression of
// pcap-filter(7), which knows protocols, ports and addresses.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "simcore/packet/packet.h"
#include "simcore/sys/capture_filter.h"

namespace simcore::peering {

class BulkTraffic {
 public:
  // Bulk is what has one of these DSCPs, 0 to 63, or matches the expression; without both nothing is. Throws ConfigError
  // when libpcap does not understand the expression, or a DSCP cannot be.
  BulkTraffic(const std::vector<int>& dscps, const std::string& filter);

  bool any() const { return dscps_.any() || filter_; }
  bool has(const Packet& packet) const;

 private:
  std::bitset<64> dscps_;
  std::optional<CaptureFilter> filter_;
};

}  // namespace simcore::peering

// SPDX-License-Identifier: MIT
//
// PathMtuCache: what routers said about the ways to destinations, so that a second connection does not ask again (RFC 1191
// section 6.3, RFC 8201 section 4). It is forgotten after ten minutes, when a way may have become wider: Linux's
// net.ipv4.route.mtu_expires and net.ipv6.route.mtu_expires, 600 s.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "simcore/packet/ip_address.h"
#include "simcore/units/flat_map.h"
#include "simcore/units/time.h"

namespace simcore {

class PathMtuCache {
 public:
  static constexpr Duration kLifetime = Duration::seconds(600);
  static constexpr std::size_t kMost = 1'024;  // destinations; a new one takes the place of the oldest

  void learn(const IpAddress& destination, std::uint16_t mtu, SimTime now) {
    if (known_.size() >= kMost && !known_.contains(destination)) forget_oldest();
    known_.insert_or_assign(destination, Known{mtu, now});
  }

  std::optional<std::uint16_t> of(const IpAddress& destination, SimTime now) const {
    const auto place = known_.find(destination);
    if (place == known_.end() || now - place->second.learned >= kLifetime) return std::nullopt;
    return place->second.mtu;
  }

  std::size_t size() const { return known_.size(); }

 private:
  struct Known {
    std::uint16_t mtu;
    SimTime learned;
  };

  void forget_oldest() {
    const auto oldest = std::min_element(known_.begin(), known_.end(), [](const auto& a, const auto& b) {
      return a.second.learned < b.second.learned;
    });
    known_.erase(oldest);
  }

  FlatMap<IpAddress, Known> known_;
};

}  // namespace simcore

// SPDX-License-Identifier: MIT
#include "simcore/link/drop_counters.h"

#include <numeric>

namespace simcore {

std::string_view name_of(DropReason reason) {
  constexpr std::array<std::string_view, kDropReasons> kNames = {
      "queue_full",
      "pool_exhausted",
      "pool_share",
      "malformed",
      "unsupported",
      "not_for_me",
      "no_route",
      "ttl_expired",
      "too_big",
      "arp_failed",
      "arp_queue_full",
      "no_listener",
      "no_port",
      "portal_backlog",
      "device_refused",
      "duplicate",
      "late_datagram",
      "early_datagram",
      "foreign",
      "stale_session",
      "forged",
      "replayed",
      "impaired",
      "aqm",
      "reassembly_conflict",
      "reassembly_timeout",
      "reassembly_full",
      "processor_full",
      "link_down",
      "removed",
      "no_flow",
      "metered",
      "too_much_work",
  };
  return kNames[static_cast<std::size_t>(reason)];
}

std::uint64_t DropCounters::total() const {
  return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
}

}  // namespace simcore

// SPDX-License-Identifier: MIT
//
// How many segments a sender sends as one train: as Linux (net/ipv4/tcp_output.c, tcp_tso_autosize), what the flow's rate
// gives in about a millisecond, and on paths of less than some milliseconds more, up to all that fits into a datagram.
// A longer train would come to the bottleneck's queue as one burst, and lose more there than others do.
#pragma once

#include <algorithm>
#include <cstdint>

#include "simcore/units/time.h"

namespace simcore {

// `rate` is in bytes per second; `longest`, in segments, is the most that is allowed at all.
inline std::int64_t train_segments(double rate, Duration min_rtt, std::int64_t mss, std::int64_t longest) {
  constexpr double kTrainsPerSecond = 1024;
  constexpr std::int64_t kLargest = 65'536;   // bytes
  constexpr std::int64_t kHalvedEvery = 512;  // microseconds of round trip: tcp_tso_rtt_log
  constexpr std::int64_t kShortest = 2;       // segments: tcp_min_tso_segs
  const std::int64_t halvings = min_rtt.count_ns() / 1'000 / kHalvedEvery;
  const std::int64_t for_short_paths = halvings < 32 ? kLargest >> halvings : 0;
  const double bytes = std::min(rate / kTrainsPerSecond + static_cast<double>(for_short_paths), 1e9);
  return std::clamp(static_cast<std::int64_t>(bytes) / mss, std::min(kShortest, longest), longest);
}

// The rate of a window that is not paced, with the room that it has to grow (tcp_update_pacing_rate). Bytes per second.
inline double rate_of_window(std::int64_t cwnd, std::int64_t ssthresh, Duration srtt) {
  const double growth = cwnd < ssthresh / 2 ? 2.0 : 1.2;
  return growth * static_cast<double>(cwnd) / srtt.in_seconds();
}

}  // namespace simcore

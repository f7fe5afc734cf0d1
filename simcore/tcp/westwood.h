// SPDX-License-Identifier: MIT
//
// Westwood+: Reno that reduces its window to what the path carried (Grieco and Mascolo, "Performance evaluation and
// comparison of Westwood+, New Reno, and Vegas TCP congestion control", 2004; Linux net/ipv4/tcp_westwood.c).
//
//   once a round trip, and every 50 ms at most     sample = bytes acknowledged / time since the last sample
//                                                  smooth += (sample - smooth) / 8; estimate += (smooth - estimate) / 8
//   at the end of a recovery                       cwnd = ssthresh = estimate * smallest round trip
//   at a timeout                                   ssthresh = the same; the smallest round trip is measured anew
//
// During a recovery the window shrinks to half, as Reno's. Losses that are no congestion cost little, because they leave
// the estimate as it is. Left out: the clock's ticks, in which Linux measures round trips (rounded up, so its window is
// larger on short paths).
#pragma once

#include <algorithm>
#include <cstdint>

#include "simcore/tcp/reno.h"

namespace simcore {

class Westwood final : public Reno {
 public:
  explicit Westwood(const TcpOptions& options) : Reno(options) {}

  void observe(const AckSample& sample) override;
  std::int64_t reduced(CongestionEvent event, const CongestionWindow& window, std::int64_t flight,
                       SimTime now) override;
  void on_recovery_end(CongestionWindow& window, SimTime now, bool after_timeout) override;

  double bandwidth() const { return estimate_; }  // bytes per second

 private:
  // What the path holds without a queue, in whole segments, and two at least.
  std::int64_t product(std::int64_t mss) const {
    const auto bytes = static_cast<std::int64_t>(estimate_ * smallest_rtt_.in_seconds());
    return std::max<std::int64_t>(bytes / mss, 2) * mss;
  }

  double smooth_ = 0;
  double estimate_ = 0;
  SimTime sample_start_ = SimTime::zero();
  bool started_ = false;
  std::int64_t sample_bytes_ = 0;
  Duration rtt_ = Duration::infinite();  // the latest
  Duration smallest_rtt_ = Duration::infinite();
  bool measure_anew_ = false;
};

}  // namespace simcore

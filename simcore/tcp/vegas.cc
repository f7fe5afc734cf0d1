// SPDX-License-Identifier: MIT
#include "simcore/tcp/vegas.h"

namespace simcore {

namespace {

constexpr std::int64_t kFewQueued = 2;
constexpr std::int64_t kManyQueued = 4;
constexpr std::int64_t kQueuedAtStart = 1;

}  // namespace

void Vegas::on_ack(const AckSample& sample, CongestionWindow& window) {
  if (sample.after_timeout) return Reno::on_ack(sample, window);
  if (!rounds_.ended(sample)) {
    if (window.slow_start() && sample.window_limited) slow_start(sample.acked, window);
    return;
  }
  if (rounds_.known()) {
    adjust(sample, window);
  } else {
    Reno::on_ack(sample, window);
  }
  rounds_.start();
}

void Vegas::adjust(const AckSample& sample, CongestionWindow& window) {
  const std::int64_t segments = window.segments();
  const std::int64_t queued = segments * rounds_.queueing().count_ns() / rounds_.base().count_ns();
  if (window.slow_start()) {
    if (queued > kQueuedAtStart) {
      window.cwnd = std::min(segments, rounds_.in_path(segments) + 1) * window.mss;
      window.ssthresh = std::min(window.ssthresh, window.cwnd);
    } else if (sample.window_limited) {
      slow_start(sample.acked, window);
    }
  } else if (queued > kManyQueued) {
    window.cwnd = (segments - 1) * window.mss;
    window.ssthresh = std::min(window.ssthresh, window.cwnd);
  } else if (queued < kFewQueued && sample.window_limited) {
    window.cwnd = (segments + 1) * window.mss;
  }
  window.cwnd = std::max(window.cwnd, 2 * window.mss);
  window.ssthresh = std::max(window.ssthresh, window.cwnd / 4 * 3);  // tcp_current_ssthresh
}

}  // namespace simcore

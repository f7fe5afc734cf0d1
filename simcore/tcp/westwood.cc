// SPDX-License-Identifier: MIT
#include "simcore/tcp/westwood.h"

namespace simcore {

namespace {

constexpr Duration kShortestSample = Duration::ms(50);  // TCP_WESTWOOD_RTT_MIN

}  // namespace

void Westwood::observe(const AckSample& sample) {
  if (sample.rtt) rtt_ = *sample.rtt;
  if (!started_) {
    started_ = true;
    sample_start_ = sample.now;
  }
  const Duration since = sample.now - sample_start_;
  if (rtt_ != Duration::infinite() && since > std::max(rtt_, kShortestSample)) {
    const double rate = static_cast<double>(sample_bytes_) / since.in_seconds();
    if (smooth_ == 0 && estimate_ == 0) {
      smooth_ = estimate_ = rate;
    } else {
      smooth_ += (rate - smooth_) / 8;
      estimate_ += (smooth_ - estimate_) / 8;
    }
    sample_bytes_ = 0;
    sample_start_ = sample.now;
  }
  // By SACK too: Linux counts each duplicate for a segment, and takes it off again when the hole is filled
  // (westwood_acked_count).
  sample_bytes_ += sample.delivered;
  smallest_rtt_ = measure_anew_ ? rtt_ : std::min(smallest_rtt_, rtt_);
  measure_anew_ = false;
}

std::int64_t Westwood::reduced(CongestionEvent event, const CongestionWindow& window, std::int64_t flight,
                               SimTime now) {
  const std::int64_t half = Reno::reduced(event, window, flight, now);
  if (event != CongestionEvent::timeout || smallest_rtt_ == Duration::infinite()) return half;
  measure_anew_ = true;
  return product(window.mss);
}

void Westwood::on_recovery_end(CongestionWindow& window, SimTime, bool after_timeout) {
  if (after_timeout || smallest_rtt_ == Duration::infinite()) return;
  window.ssthresh = product(window.mss);
  window.cwnd = window.ssthresh;
}

}  // namespace simcore

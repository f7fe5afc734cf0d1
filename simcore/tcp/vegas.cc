// SPDX-License-Identifier: MIT
#include "simcore/tcp/vegas.h"

namespace simcore {

namespace {

constexpr double kAlpha = 2;
constexpr double kBeta = 4;
constexpr double kGamma = 1;
constexpr int kFewestSamples = 3;

}  // namespace

void Vegas::on_ack(const AckSample& sample, CongestionWindow& window) {
  latest_sent_ = sample.snd_nxt;
  if (sample.rtt) {
    base_rtt_ = std::min(base_rtt_, *sample.rtt);
    round_rtt_ = std::min(round_rtt_, *sample.rtt);
    ++samples_;
  }
  if (sample.snd_una < round_end_) {
    if (window.slow_start() && sample.window_limited) slow_start(sample.acked, window);
    return;
  }
  round_end_ = sample.snd_nxt;
  if (samples_ < kFewestSamples) {
    Reno::on_ack(sample, window);
  } else {
    end_round(sample, window);
  }
  round_rtt_ = Duration::infinite();
  samples_ = 0;
}

void Vegas::end_round(const AckSample& sample, CongestionWindow& window) {
  const double segments = static_cast<double>(window.cwnd) / static_cast<double>(window.mss);
  const double queued = segments * (round_rtt_ - base_rtt_).in_seconds() / round_rtt_.in_seconds();
  if (window.slow_start()) {
    if (queued > kGamma) {
      const double target = segments * base_rtt_.in_seconds() / round_rtt_.in_seconds();
      window.cwnd = std::min(window.cwnd, (static_cast<std::int64_t>(target) + 1) * window.mss);
      window.ssthresh = std::min(window.ssthresh, window.cwnd - window.mss);
    } else if (sample.window_limited) {
      slow_start(sample.acked, window);
    }
  } else if (queued > kBeta) {
    window.cwnd -= window.mss;
    window.ssthresh = std::min(window.ssthresh, window.cwnd - window.mss);
  } else if (queued < kAlpha && sample.window_limited) {
    window.cwnd += window.mss;
  }
  window.cwnd = std::max(window.cwnd, 2 * window.mss);
  window.ssthresh = std::max(window.ssthresh, 2 * window.mss);
}

std::int64_t Vegas::reduced(CongestionEvent event, const CongestionWindow& window, std::int64_t flight,
                            SimTime now) {
  round_rtt_ = Duration::infinite();
  samples_ = 0;
  return Reno::reduced(event, window, flight, now);
}

void Vegas::on_sending_starts(const SendingStart&, CongestionWindow&) {
  if (!start_of_linux_) return;
  base_rtt_ = Duration::infinite();
  round_rtt_ = Duration::infinite();
  samples_ = 0;
  round_end_ = latest_sent_;
}

}  // namespace simcore

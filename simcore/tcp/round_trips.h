// SPDX-License-Identifier: MIT
//
// RoundTrips: what Vegas and YeAH know of the delay: the smallest round trip ever, and the smallest of the present one
// (Linux net/ipv4/tcp_vegas.c: baseRTT, minRTT, cntRTT, beg_snd_nxt).
//
// The smallest of a round trip filters out what delayed acknowledgements add; that takes three samples, because one or two
// may all be delayed.
#pragma once

#include <algorithm>
#include <cstdint>

#include "simcore/tcp/congestion_control.h"

namespace simcore {

class RoundTrips {
 public:
  // Precondition: it is told of every acknowledgement.
  void observe(const AckSample& sample) {
    latest_sent_ = sample.snd_nxt;
    if (sample.rtt && *sample.rtt > Duration::zero()) {
      base_ = std::min(base_, *sample.rtt);
      smallest_ = std::min(smallest_, *sample.rtt);
      ++samples_;
    }
    if (fresh_) start();
    fresh_ = false;
  }

  // This acknowledgement ends the present round trip.
  bool ended(const AckSample& sample) const { return sample.snd_una > end_; }
  bool known() const { return samples_ >= kFewestSamples; }
  // The next one begins.
  void start() {
    end_ = latest_sent_;
    smallest_ = Duration::infinite();
    samples_ = 0;
  }
  // It begins with the acknowledgement that is being taken: vegas_enable.
  void start_afresh() { fresh_ = true; }
  // Nothing that was measured holds any more: tcp_vegas_init.
  void forget() {
    base_ = Duration::infinite();
    start();
  }

  // Segments of `cwnd` that the path holds without a queue. Precondition: known().
  std::int64_t in_path(std::int64_t cwnd) const { return cwnd * base_.count_ns() / smallest_.count_ns(); }
  Duration base() const { return base_; }
  Duration queueing() const { return smallest_ - base_; }
  Duration smallest() const { return smallest_; }

 private:
  static constexpr int kFewestSamples = 3;

  std::int64_t latest_sent_ = 0;
  std::int64_t end_ = 0;  // what is sent behind this position belongs to the next round trip
  Duration base_ = Duration::infinite();
  Duration smallest_ = Duration::infinite();
  int samples_ = 0;
  bool fresh_ = false;
};

}  // namespace simcore

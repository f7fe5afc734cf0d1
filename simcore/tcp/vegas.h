// SPDX-License-Identifier: MIT
//
// Vegas: congestion avoidance by delay (Brakmo and Peterson, "TCP Vegas: End to End Congestion Avoidance on a Global
// Internet", 1995), as Linux has it (net/ipv4/tcp_vegas.c): alpha 2, beta 4, gamma 1 segments.
//
// Once a round trip the segments too many are reckoned as diff = cwnd * (rtt - base) / base, a whole number; the paper
// divides by rtt. Fewer than alpha: one segment more; more than beta: one less; in slow start, more than gamma: it ends,
// with the window that the path holds. With fewer than three samples in a round trip it behaves as Reno, and so it does
// after a timeout. Unlike Linux's it grows only while the window holds the sender back.
#pragma once

#include "simcore/tcp/reno.h"
#include "simcore/tcp/round_trips.h"

namespace simcore {

class Vegas final : public Reno {
 public:
  explicit Vegas(const TcpOptions& options) : Reno(options), start_of_linux_(options.start_of_linux) {}

  void observe(const AckSample& sample) override { rounds_.observe(sample); }
  void on_ack(const AckSample& sample, CongestionWindow& window) override;
  void on_recovery_end(CongestionWindow&, SimTime, bool) override { rounds_.start_afresh(); }
  // Linux trusts no round trip from before a pause (tcp_vegas_cwnd_event).
  void on_sending_starts(const SendingStart&, CongestionWindow&) override {
    if (start_of_linux_) rounds_.forget();
  }

 private:
  void adjust(const AckSample& sample, CongestionWindow& window);

  bool start_of_linux_;
  RoundTrips rounds_;
};

}  // namespace simcore

// SPDX-License-Identifier: MIT
//
// Cubic (RFC 9438): the window is a cubic function of the time since the last reduction, flat around the window at which
// that loss came, and never slower than Reno would be.
//
//   W_cubic(t) = C (t - K)^3 + W_max,  K = cbrt((W_max - cwnd_epoch) / C),  C = 0.4,  beta = 0.7
//
// Windows in this formula are segments, t seconds. Fast convergence is on (section 4.7). Slow start is that of Reno
// with HyStart. Left out: the spurious-loss state of section 4.9 beyond restoring the window.
#pragma once

#include "simcore/tcp/hystart.h"
#include "simcore/tcp/reno.h"

namespace simcore {

class Cubic final : public Reno {
 public:
  explicit Cubic(const TcpOptions& options) : Reno(options), use_hystart_(options.hystart) {}

  void on_ack(const AckSample& sample, CongestionWindow& window) override;
  std::int64_t reduced(CongestionEvent event, const CongestionWindow& window, std::int64_t flight,
                       SimTime now) override;
  void on_undo(CongestionWindow& window) override;
  void on_sending_starts(const SendingStart& start, CongestionWindow& window) override;

 private:
  void start_epoch(SimTime now, double segments);
  double cubic_window(double t) const;

  bool use_hystart_;
  HyStart hystart_;
  bool in_epoch_ = false;
  SimTime epoch_start_ = SimTime::zero();
  double w_max_ = 0;
  double prior_w_max_ = 0;
  double prior_cwnd_ = 0;  // the window just before the last reduction
  double k_ = 0;
  double origin_ = 0;  // the plateau of this epoch
  double w_est_ = 0;   // what Reno would have
  double growth_ = 0;  // segments that were earned and not yet added
};

}  // namespace simcore

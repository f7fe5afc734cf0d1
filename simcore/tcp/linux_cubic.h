// SPDX-License-Identifier: MIT
//
// LinuxCubic: Cubic as Linux has it (net/ipv4/tcp_cubic.c), where that differs from RFC 9438:
//
//   - the window that Reno would have grows by 0.53 segments a round trip for ever; the RFC lets it grow by a whole one
//     once it has reached the window before the reduction. Under random loss this is what decides.
//   - the window follows it by growing faster, within a round trip, not by being set to it.
//   - until a first loss, and after each timeout, the window grows by at least a twentieth in a round trip.
//   - the curve is looked at ahead by the smallest round trip, not by the smoothed one, and at most 32 times a second
//     while the window stays as it is.
//   - all is reckoned in whole segments: below the plateau the curve is rounded up, so a window of ten segments, of
//     which the curve would take three seconds to win back three, wins back the first of them within a round trip.
//
// Left out: the clock's ticks of 4 ms. t is in seconds.
#pragma once

#include "simcore/tcp/credited_growth.h"
#include "simcore/tcp/hystart.h"
#include "simcore/tcp/reno.h"

namespace simcore {

class LinuxCubic final : public Reno {
 public:
  explicit LinuxCubic(const TcpOptions& options) : Reno(options), use_hystart_(options.hystart) {}

  void on_ack(const AckSample& sample, CongestionWindow& window) override;
  std::int64_t reduced(CongestionEvent event, const CongestionWindow& window, std::int64_t flight,
                       SimTime now) override;
  void on_sending_starts(const SendingStart& start, CongestionWindow& window) override;

 private:
  void hear(const AckSample& sample, CongestionWindow& window);
  void update(SimTime now, std::int64_t segments, double acked);

  bool use_hystart_;
  HyStart hystart_;
  bool hystart_done_ = false;  // it ended a slow start, and does not end another before a timeout
  Duration min_rtt_ = Duration::infinite();
  bool in_epoch_ = false;
  SimTime epoch_start_ = SimTime::zero();
  SimTime updated_ = SimTime::zero();
  std::int64_t updated_at_ = 0;  // the window then
  double last_max_ = 0;
  double origin_ = 0;
  double k_ = 0;
  double acked_per_increase_ = 1;  // segments that must be acknowledged for the window to grow by one
  double reno_window_ = 0;
  double reno_acked_ = 0;
  CreditedGrowth growth_;
};

}  // namespace simcore

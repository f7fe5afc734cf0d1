// SPDX-License-Identifier: MIT
//
// Bbr: congestion control by a model of the path, version 1 (Cardwell, Cheng, Gunn, Yeganeh, Jacobson, "BBR:
// Congestion-Based Congestion Control", 2016; draft-cardwell-iccrg-bbr-congestion-control-00; Linux tcp_bbr.c).
//
//   STARTUP --bandwidth stopped growing--> DRAIN --queue gone--> PROBE_BW <--> PROBE_RTT (every 10 s, 200 ms)
//
// Bottleneck bandwidth is the largest delivery rate of the last 10 round trips, the round-trip time the smallest of the
// last 10 s. Segments are paced at gain * bandwidth (less 1 %, as in Linux), the window is 2 * bandwidth * rtt.
// In the first round of a recovery packets are conserved.
// Left out: detection of policers ("long-term bandwidth") and the allowance for aggregated acknowledgements.
#pragma once

#include <array>
#include <cstdint>

#include "simcore/tcp/congestion_control.h"

namespace simcore {

class Bbr final : public CongestionControl {
 public:
  explicit Bbr(const TcpOptions& options);

  void on_ack(const AckSample& sample, CongestionWindow& window) override;
  std::int64_t reduced(CongestionEvent event, const CongestionWindow& window, std::int64_t flight,
                       SimTime now) override;
  void on_recovery_end(CongestionWindow& window, SimTime now, bool after_timeout) override;
  void on_undo(CongestionWindow& window) override;
  void on_sending_starts(const SendingStart& start, CongestionWindow& window) override;
  bool starves() const override { return mode_ == Mode::probe_rtt; }
  bool owns_window() const override { return true; }
  std::optional<double> pacing_rate() const override;

 private:
  enum class Mode : std::uint8_t { startup, drain, probe_bandwidth, probe_rtt };
  static constexpr int kCycle = 8;

  void update_round(const AckSample& sample);
  void update_bandwidth(const AckSample& sample);
  void check_full_pipe(const AckSample& sample);
  void advance_cycle(const AckSample& sample, std::int64_t mss);
  void check_drained(const AckSample& sample, std::int64_t mss);
  void enter_probe_bandwidth(SimTime now);
  void update_min_rtt(const AckSample& sample, CongestionWindow& window);
  void end_probe_rtt(SimTime now, CongestionWindow& window);
  void set_pacing_rate(const AckSample& sample, const CongestionWindow& window);
  void set_window(const AckSample& sample, CongestionWindow& window);
  double bandwidth() const;  // bytes per second
  std::int64_t target(double gain, std::int64_t mss) const;

  Mode mode_ = Mode::startup;
  std::int64_t initial_window_segments_;
  double pacing_gain_;
  double cwnd_gain_;
  double pacing_rate_ = 0;

  // The largest sample of each of the last 10 round trips before the latest sample that counted: a time in which the
  // application sent little makes nothing forgotten (minmax_running_max).
  struct RoundBandwidth {
    std::int64_t round = 0;
    double largest = 0;
  };
  static constexpr std::int64_t kBandwidthRounds = 10;
  std::array<RoundBandwidth, kBandwidthRounds> round_bandwidth_{};
  std::int64_t round_ = 0;
  std::int64_t round_end_ = 0;  // delivered() that ends the round
  bool round_start_ = false;

  double full_bandwidth_ = 0;
  int rounds_without_growth_ = 0;
  bool pipe_full_ = false;

  int cycle_ = 0;
  SimTime cycle_start_ = SimTime::zero();

  Duration min_rtt_ = Duration::infinite();
  SimTime min_rtt_at_ = SimTime::zero();
  SimTime probe_rtt_until_ = SimTime::never();
  bool probe_rtt_round_done_ = false;
  bool restarting_ =
      false;  // idle_restart: nothing was delivered since the application let the path run empty

  std::int64_t saved_window_ = 0;
  bool conserve_packets_ = false;
  bool was_recovering_ = false;
};

}  // namespace simcore

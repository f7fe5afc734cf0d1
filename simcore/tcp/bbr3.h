// SPDX-License-Identifier: MIT
//
// Bbr3: congestion control by a model of the path, version 3 (Cardwell, Swett and Beshay, draft-ietf-ccwg-bbr, the working
// group's text at its commit 007dbe1, whose names stand behind ours; Linux's is in no release of the kernel).
//
//   startup --bandwidth stopped growing, or losses--> drain --queue gone--> down --> cruise --> refill --> up --> down ...
//                                                   probe_rtt from each, when the smallest round trip is 10 s old
//
//   state      pacing  window   bounds
//   startup      2.77     2
//   drain        0.5      2     shortterm
//   down         0.9      2     shortterm, longterm
//   cruise       1        2     shortterm, 0.85 longterm
//   refill       1        2     longterm                  one round trip
//   up           1.25     2.25  longterm                  until three round trips without growth, or losses
//   probe_rtt    1        0.5   shortterm, 0.85 longterm  200 ms
//
//   max_bw      the largest delivery rate of this cycle and the one before; longterm: what may be in flight, by the losses
//               of the latest probe (more than 2 % of what was in flight); it grows by 1, 2, 4 ... segments in a round trip
//   shortterm   bandwidth and bytes in flight: what came through in the latest round trip with losses, 0.7 of them at least
//   pacing      gain * min(max_bw, shortterm) less 1 %; window: gain * bandwidth * smallest round trip + what aggregation
//               acknowledges at once, three quanta and four segments at least
//   a cycle     2 to 3 s, or as many round trips as segments are in flight, 63 at most: as often as Reno would lose
//
// Random times come from a hash of instant and bytes delivered, so that flows differ and runs repeat. Echoes of ECN are not
// heard, as in the draft.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>

#include "simcore/tcp/congestion_control.h"

namespace simcore {

class Bbr3 final : public CongestionControl {
 public:
  enum class State : std::uint8_t { startup, drain, down, cruise, refill, up, probe_rtt };
  static constexpr std::int64_t kUnbounded = std::numeric_limits<std::int64_t>::max();

  explicit Bbr3(const TcpOptions& options);

  void on_ack(const AckSample& sample, CongestionWindow& window) override;
  std::int64_t reduced(CongestionEvent event, const CongestionWindow& window, std::int64_t flight,
                       SimTime now) override;
  bool hears_losses() const override { return true; }
  void on_lost(const LossSample& lost, const CongestionWindow& window) override;
  void on_recovery_end(CongestionWindow& window, SimTime now, bool after_timeout) override;
  void on_undo(CongestionWindow& window) override;
  void on_sending_starts(const SendingStart& start, CongestionWindow& window) override;
  bool starves() const override { return state_ == State::probe_rtt; }
  bool owns_window() const override { return true; }
  std::optional<double> pacing_rate() const override;

  State state() const { return state_; }
  double largest_bandwidth() const { return std::max(max_bandwidth_[0], max_bandwidth_[1]); }  // bytes/s
  double shortterm_bandwidth() const { return shortterm_bandwidth_; }  // bytes/s; infinite: no losses
  std::int64_t longterm() const { return longterm_; }                  // bytes in flight, or kUnbounded
  std::int64_t shortterm() const { return shortterm_; }                // the same
  Duration smallest_rtt() const { return min_rtt_; }

 private:
  // What the acknowledgements tell of a probe (ack_phase).
  enum class Feedback : std::uint8_t { none, refilling, starting, probing, stopping };
  static constexpr std::int64_t kAggregationRounds = 10;

  void enter(State state);
  void start_round() { round_end_ = delivered_; }
  bool in_cycle() const { return state_ >= State::down && state_ <= State::up; }

  void update_latest_delivery(const AckSample& sample);
  void update_round(const AckSample& sample);
  void update_bandwidth(const AckSample& sample);
  void adapt_shortterm(const CongestionWindow& window);
  void update_aggregation(const AckSample& sample, const CongestionWindow& window);
  void check_full_pipe(const AckSample& sample);
  void check_startup_losses(const AckSample& sample);
  void check_drained(const AckSample& sample, std::int64_t mss);
  void update_cycle(const AckSample& sample, const CongestionWindow& window);
  bool adapt_longterm(const AckSample& sample, const CongestionWindow& window);
  void probe_upward(const AckSample& sample, const CongestionWindow& window);
  void steepen(const CongestionWindow& window);
  bool time_to_probe(const AckSample& sample, const CongestionWindow& window) const;
  bool time_to_cruise(const AckSample& sample, std::int64_t mss) const;
  bool time_to_go_down(const AckSample& sample, const CongestionWindow& window);
  void start_down(SimTime now);
  void start_refill();
  void start_up(const AckSample& sample, const CongestionWindow& window);
  void update_min_rtt(const AckSample& sample, CongestionWindow& window);
  void hold_probe_rtt(const AckSample& sample, CongestionWindow& window);
  void end_probe_rtt(SimTime now, CongestionWindow& window);
  void set_pacing_rate(double gain);
  void set_window(const AckSample& sample, CongestionWindow& window) const;

  void reset_full_pipe(double bandwidth);
  void reset_signals();
  void reset_shortterm();
  void note_loss(const LossSample& lost, const CongestionWindow& window);
  void save_window(const CongestionWindow& window);
  void save_for_undo(const CongestionWindow& window);

  std::int64_t product(double bandwidth, double gain) const;
  std::int64_t in_flight_for(double bandwidth, double gain, std::int64_t more, std::int64_t mss) const;
  std::int64_t with_headroom(std::int64_t mss) const;
  std::int64_t target(const CongestionWindow& window) const;
  std::int64_t quantum(std::int64_t mss) const;
  std::int64_t aggregated() const;

  std::int64_t initial_window_segments_;
  std::int64_t longest_train_;
  State state_ = State::startup;
  double pacing_gain_ = 0;
  double window_gain_ = 0;
  double pacing_rate_ = 0;
  bool started_ = false;

  // Round trips, by the bytes that were delivered.
  std::int64_t delivered_ = 0;
  std::int64_t round_ = 0;
  std::int64_t round_end_ = 0;
  bool round_start_ = false;

  double bandwidth_ = 0;                   // bytes/s: what the model says to send
  std::array<double, 2> max_bandwidth_{};  // of the cycle before, and of this one
  bool pipe_was_full_ = false;             // full_bw_reached
  bool pipe_full_ = false;                 // full_bw_now
  double full_bandwidth_ = 0;
  int rounds_without_growth_ = 0;
  std::int64_t drain_start_ = 0;  // round_

  // What came through in the latest round trip, and what that means after losses.
  std::int64_t loss_round_end_ = 0;
  bool loss_round_start_ = false;
  bool loss_in_round_ = false;
  int lost_ranges_ = 0;
  std::int64_t lost_up_to_ = 0;
  double latest_bandwidth_ = 0;
  std::int64_t latest_delivered_ = 0;
  double shortterm_bandwidth_ = std::numeric_limits<double>::infinity();
  std::int64_t shortterm_ = kUnbounded;
  std::int64_t longterm_ = kUnbounded;

  // Probing.
  Feedback feedback_ = Feedback::none;
  bool probe_sample_ = false;  // is_bw_probe_sample
  bool too_high_ = false;      // prev_probe_too_high
  bool cautious_ = false;      // prev_probe_precautionary
  std::int64_t acked_for_step_ = kUnbounded;
  std::int64_t acked_ = 0;
  int steps_ = 0;
  std::int64_t rounds_since_probe_ = 0;
  SimTime cycle_start_ = SimTime::zero();
  Duration probe_wait_ = Duration::zero();

  struct RoundAggregation {
    std::int64_t round = -kAggregationRounds;
    std::int64_t most = 0;
  };
  std::array<RoundAggregation, kAggregationRounds> aggregation_{};
  SimTime aggregation_start_ = SimTime::zero();
  std::int64_t aggregation_delivered_ = 0;

  Duration min_rtt_ = Duration::infinite();
  SimTime min_rtt_at_ = SimTime::zero();
  std::int64_t probe_rtt_window_ = 0;
  SimTime probe_rtt_until_ = SimTime::never();
  bool probe_rtt_round_done_ = false;
  bool restarting_ = false;  // idle_restart

  // The last window that neither losses nor probe_rtt had cut, and what a needless recovery gives back.
  bool recovering_ = false;
  std::int64_t saved_window_ = 0;
  std::optional<State> undo_state_;
  double undo_shortterm_bandwidth_ = 0;
  std::int64_t undo_shortterm_ = 0;
  std::int64_t undo_longterm_ = 0;
};

}  // namespace simcore

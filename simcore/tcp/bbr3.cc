// SPDX-License-Identifier: MIT
#include "simcore/tcp/bbr3.h"

#include <algorithm>

namespace simcore {

namespace {

struct Gains {
  double pacing;
  double window;
};

constexpr std::array<Gains, 7> kGains = {{
    {.pacing = 2.77, .window = 2},     // startup: 4 ln 2 doubles the rate in a round trip
    {.pacing = 0.5, .window = 2},      // drain
    {.pacing = 0.9, .window = 2},      // down
    {.pacing = 1, .window = 2},        // cruise
    {.pacing = 1, .window = 2},        // refill
    {.pacing = 1.25, .window = 2.25},  // up
    {.pacing = 1, .window = 0.5},      // probe_rtt
}};
constexpr double kPacingMargin = 0.99;
constexpr double kLossThreshold = 0.02;
constexpr double kBeta = 0.7;
constexpr double kHeadroom = 0.15;
constexpr std::int64_t kFewest = 4;  // segments: MinPipeCwnd
constexpr double kGrowth = 1.25;
constexpr int kFullRounds = 3;
constexpr int kLostRangesWhenFull = 6;  // StartupFullLossCnt
constexpr std::int64_t kDrainRounds = 3;
constexpr std::int64_t kMostRenoRounds = 63;
constexpr int kMostSteps = 30;
constexpr std::int64_t kLargestQuantum = 65'536;  // bytes
constexpr std::int64_t kQuanta = 3;
constexpr Duration kMinRttLife = Duration::seconds(10);
constexpr Duration kProbeRttTime = Duration::ms(200);
constexpr double kInfinite = std::numeric_limits<double>::infinity();

// SplitMix64 (Steele, Lea and Flood 2014): as good as random, and the same in each run.
std::uint64_t mixed(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

bool too_much_lost(std::int64_t lost, std::int64_t in_flight, bool selective) {
  return static_cast<double>(lost) > static_cast<double>(in_flight) * kLossThreshold ||
         (lost > 0 && !selective);
}

// How much was in flight when losses became too many: perhaps in the middle of this segment.
std::int64_t in_flight_at_loss(const LostSegment& segment) {
  const auto before = static_cast<double>(segment.in_flight - segment.length());
  const auto lost_before = static_cast<double>(segment.lost - segment.length());
  const double prefix = (kLossThreshold * before - lost_before) / (1 - kLossThreshold);
  return static_cast<std::int64_t>(before + prefix);
}

}  // namespace

Bbr3::Bbr3(const TcpOptions& options)
    : initial_window_segments_(options.initial_window), longest_train_(options.longest_train) {
  enter(State::startup);
}

void Bbr3::enter(State state) {
  state_ = state;
  pacing_gain_ = kGains[static_cast<std::size_t>(state)].pacing;
  window_gain_ = kGains[static_cast<std::size_t>(state)].window;
}

std::optional<double> Bbr3::pacing_rate() const {
  return pacing_rate_ > 0 ? std::optional(pacing_rate_) : std::nullopt;
}

// UpdateModelAndState(), UpdateControlParameters().
void Bbr3::on_ack(const AckSample& sample, CongestionWindow& window) {
  delivered_ = sample.total_delivered;
  update_latest_delivery(sample);
  update_round(sample);
  update_bandwidth(sample);
  if (loss_round_start_) {
    adapt_shortterm(window);
    loss_in_round_ = false;
  }
  update_aggregation(sample, window);
  check_full_pipe(sample);
  check_startup_losses(sample);
  if (state_ == State::startup && pipe_was_full_) {
    enter(State::drain);
    drain_start_ = round_;
  }
  check_drained(sample, window.mss);
  if (sample.delivered > 0) update_cycle(sample, window);
  update_min_rtt(sample, window);
  if (loss_round_start_) {
    latest_bandwidth_ = sample.rate.bytes_per_second();
    latest_delivered_ = sample.rate.delivered;
  }
  bandwidth_ = std::min(largest_bandwidth(), shortterm_bandwidth_);
  set_pacing_rate(pacing_gain_);
  set_window(sample, window);
}

void Bbr3::update_latest_delivery(const AckSample& sample) {
  loss_round_start_ = false;
  if (!sample.rate.valid()) return;
  latest_bandwidth_ = std::max(latest_bandwidth_, sample.rate.bytes_per_second());
  latest_delivered_ = std::max(latest_delivered_, sample.rate.delivered);
  if (sample.rate.prior_delivered < loss_round_end_) return;
  loss_round_end_ = delivered_;
  loss_round_start_ = true;
}

void Bbr3::update_round(const AckSample& sample) {
  round_start_ = sample.rate.valid() && sample.rate.prior_delivered >= round_end_;
  if (!round_start_) return;
  start_round();
  ++round_;
  ++rounds_since_probe_;
}

void Bbr3::update_bandwidth(const AckSample& sample) {
  if (!sample.rate.valid()) return;
  const double rate = sample.rate.bytes_per_second();
  if (sample.rate.application_limited && rate < largest_bandwidth()) return;
  max_bandwidth_[1] = std::max(max_bandwidth_[1], rate);
}

// AdaptLowerBoundsFromCongestion().
void Bbr3::adapt_shortterm(const CongestionWindow& window) {
  const bool probing = state_ == State::startup || state_ == State::refill || state_ == State::up;
  if (probing || !loss_in_round_) return;
  if (shortterm_bandwidth_ == kInfinite) shortterm_bandwidth_ = largest_bandwidth();
  if (shortterm_ == kUnbounded) shortterm_ = window.cwnd;
  shortterm_bandwidth_ = std::max(latest_bandwidth_, kBeta * shortterm_bandwidth_);
  shortterm_ =
      std::max(latest_delivered_, static_cast<std::int64_t>(kBeta * static_cast<double>(shortterm_)));
}

// UpdateACKAggregation(): what was acknowledged beyond what the bandwidth explains.
void Bbr3::update_aggregation(const AckSample& sample, const CongestionWindow& window) {
  auto expected = static_cast<std::int64_t>(bandwidth_ * (sample.now - aggregation_start_).in_seconds());
  if (aggregation_delivered_ <= expected) {
    aggregation_delivered_ = 0;
    aggregation_start_ = sample.now;
    expected = 0;
  }
  aggregation_delivered_ += sample.delivered;
  const std::int64_t extra = std::min(aggregation_delivered_ - expected, window.cwnd);
  RoundAggregation& slot = aggregation_[static_cast<std::size_t>(round_ % kAggregationRounds)];
  if (slot.round != round_) slot = {.round = round_, .most = 0};
  slot.most = std::max(slot.most, extra);
}

std::int64_t Bbr3::aggregated() const {
  const std::int64_t rounds = pipe_was_full_ ? kAggregationRounds : 1;
  std::int64_t most = 0;
  for (const RoundAggregation& each : aggregation_) {
    if (round_ - each.round < rounds) most = std::max(most, each.most);
  }
  return most;
}

void Bbr3::reset_full_pipe(double bandwidth) {
  full_bandwidth_ = bandwidth;
  rounds_without_growth_ = 0;
  pipe_full_ = false;
}

// CheckFullBWReached().
void Bbr3::check_full_pipe(const AckSample& sample) {
  if (pipe_full_ || !round_start_ || sample.rate.application_limited) return;
  const double rate = sample.rate.bytes_per_second();
  if (rate >= full_bandwidth_ * kGrowth) return reset_full_pipe(rate);
  pipe_full_ = ++rounds_without_growth_ >= kFullRounds;
  pipe_was_full_ = pipe_was_full_ || pipe_full_;
}

// CheckStartupHighLoss().
void Bbr3::check_startup_losses(const AckSample& sample) {
  if (!loss_round_start_) return;
  const bool many = lost_ranges_ >= kLostRangesWhenFull || !sample.selective;
  lost_ranges_ = 0;
  if (pipe_was_full_ || state_ != State::startup || !sample.recovering || !many) return;
  if (!too_much_lost(sample.rate.lost, sample.rate.in_flight, sample.selective)) return;
  undo_state_ = State::startup;
  pipe_full_ = true;
  pipe_was_full_ = true;
  longterm_ = std::max(product(bandwidth_, 1), latest_delivered_);
}

void Bbr3::check_drained(const AckSample& sample, std::int64_t mss) {
  if (state_ != State::drain) return;
  if (sample.in_flight > in_flight_for(bandwidth_, 1, 0, mss) && round_ <= drain_start_ + kDrainRounds)
    return;
  start_down(sample.now);
}

// UpdateProbeBWCyclePhase().
void Bbr3::update_cycle(const AckSample& sample, const CongestionWindow& window) {
  if (!pipe_was_full_ || adapt_longterm(sample, window)) return;
  switch (state_) {
    case State::down:
    case State::cruise:
      if (time_to_probe(sample, window)) {
        start_refill();
      } else if (state_ == State::down && time_to_cruise(sample, window.mss)) {
        enter(State::cruise);
      }
      break;
    case State::refill:
      if (!round_start_) break;
      probe_sample_ = true;
      start_up(sample, window);
      break;
    case State::up:
      if (!time_to_go_down(sample, window)) break;
      too_high_ = false;
      start_down(sample.now);
      break;
    case State::startup:
    case State::drain:
    case State::probe_rtt:
      break;
  }
}

// AdaptLongTermModel(): says whether it began another state.
bool Bbr3::adapt_longterm(const AckSample& sample, const CongestionWindow& window) {
  if (feedback_ == Feedback::starting && round_start_) feedback_ = Feedback::probing;
  if (feedback_ == Feedback::stopping && round_start_) {
    probe_sample_ = false;
    feedback_ = Feedback::none;
    // A cycle without a sample leaves what was known.
    if (in_cycle() && !sample.rate.application_limited && max_bandwidth_[1] > 0) {
      max_bandwidth_ = {max_bandwidth_[1], 0};
    }
    if (in_cycle() && cautious_ && !too_high_) {
      start_refill();
      return true;
    }
  }
  if (longterm_ == kUnbounded) return false;
  if (too_much_lost(sample.rate.lost, sample.rate.in_flight, sample.selective)) return false;
  longterm_ = std::max(longterm_, sample.rate.in_flight);
  if (state_ == State::up) probe_upward(sample, window);
  return false;
}

// ProbeInflightLongtermUpward().
void Bbr3::probe_upward(const AckSample& sample, const CongestionWindow& window) {
  if (!sample.window_full || window.cwnd < longterm_) return;
  acked_ += sample.delivered;
  if (acked_ >= acked_for_step_) {
    const std::int64_t steps = acked_ / acked_for_step_;
    acked_ -= steps * acked_for_step_;
    longterm_ += steps * window.mss;
  }
  if (round_start_) steepen(window);
}

// RaiseInflightLongtermSlope().
void Bbr3::steepen(const CongestionWindow& window) {
  acked_for_step_ = std::max(window.cwnd >> steps_, window.mss);
  steps_ = std::min(steps_ + 1, kMostSteps);
}

bool Bbr3::time_to_probe(const AckSample& sample, const CongestionWindow& window) const {
  if (sample.now > cycle_start_ + probe_wait_) return true;
  return rounds_since_probe_ >= std::min(target(window) / window.mss, kMostRenoRounds);
}

bool Bbr3::time_to_cruise(const AckSample& sample, std::int64_t mss) const {
  return sample.in_flight <= with_headroom(mss) &&
         sample.in_flight <= in_flight_for(largest_bandwidth(), 1, 0, mss);
}

bool Bbr3::time_to_go_down(const AckSample& sample, const CongestionWindow& window) {
  if (too_high_ && sample.in_flight >= longterm_) {
    cautious_ = true;
    return true;
  }
  if (sample.window_full && window.cwnd >= longterm_) {
    reset_full_pipe(sample.rate.valid() ? sample.rate.bytes_per_second() : 0);
    return false;
  }
  return pipe_full_;
}

// StartProbeBW_DOWN(), PickProbeWait().
void Bbr3::start_down(SimTime now) {
  reset_signals();
  acked_for_step_ = kUnbounded;
  const std::uint64_t drawn = mixed(static_cast<std::uint64_t>((now - SimTime::zero()).count_ns()) ^
                                    mixed(static_cast<std::uint64_t>(delivered_)));
  rounds_since_probe_ = static_cast<std::int64_t>(drawn & 1);
  probe_wait_ = Duration::seconds(2) + Duration::us(static_cast<std::int64_t>((drawn >> 1) % 1'000'000));
  cycle_start_ = now;
  feedback_ = Feedback::stopping;
  start_round();
  enter(State::down);
}

void Bbr3::start_refill() {
  reset_shortterm();
  steps_ = 0;
  acked_ = 0;
  cautious_ = false;
  feedback_ = Feedback::refilling;
  start_round();
  enter(State::refill);
}

void Bbr3::start_up(const AckSample& sample, const CongestionWindow& window) {
  feedback_ = Feedback::starting;
  start_round();
  reset_full_pipe(sample.rate.bytes_per_second());
  enter(State::up);
  steepen(window);
}

// UpdateMinRTT(), CheckProbeRTT().
void Bbr3::update_min_rtt(const AckSample& sample, CongestionWindow& window) {
  const bool expired = sample.now > min_rtt_at_ + kMinRttLife;
  if (expired && state_ != State::probe_rtt) {
    probe_rtt_window_ = std::max(
        product(bandwidth_, kGains[static_cast<std::size_t>(State::probe_rtt)].window), kFewest * window.mss);
  }
  if (sample.rtt && (*sample.rtt < min_rtt_ || expired)) {
    min_rtt_ = *sample.rtt;
    min_rtt_at_ = sample.now;
  }
  if (state_ != State::probe_rtt && expired && !restarting_) {
    save_window(window);
    enter(State::probe_rtt);
    probe_rtt_until_ = SimTime::never();
    feedback_ = Feedback::stopping;
    start_round();
  }
  if (state_ == State::probe_rtt) hold_probe_rtt(sample, window);
  if (sample.rate.delivered > 0) restarting_ = false;
}

// HandleProbeRTT().
void Bbr3::hold_probe_rtt(const AckSample& sample, CongestionWindow& window) {
  if (probe_rtt_until_ == SimTime::never()) {
    if (sample.in_flight > probe_rtt_window_) return;
    probe_rtt_until_ = sample.now + kProbeRttTime;
    probe_rtt_round_done_ = false;
    start_round();
    return;
  }
  probe_rtt_round_done_ = probe_rtt_round_done_ || round_start_;
  if (probe_rtt_round_done_) end_probe_rtt(sample.now, window);
}

// CheckProbeRTTDone(), ExitProbeRTT().
void Bbr3::end_probe_rtt(SimTime now, CongestionWindow& window) {
  if (probe_rtt_until_ == SimTime::never() || now <= probe_rtt_until_) return;
  min_rtt_at_ = now;
  window.cwnd = std::max(window.cwnd, saved_window_);
  reset_shortterm();
  if (!pipe_was_full_) return enter(State::startup);
  start_down(now);
  enter(State::cruise);
}

void Bbr3::set_pacing_rate(double gain) {
  const double rate = gain * bandwidth_ * kPacingMargin;
  if (pipe_was_full_ || rate > pacing_rate_) pacing_rate_ = rate;
}

// BDPMultiple().
std::int64_t Bbr3::product(double bandwidth, double gain) const {
  return static_cast<std::int64_t>(gain * bandwidth * min_rtt_.in_seconds());
}

std::int64_t Bbr3::quantum(std::int64_t mss) const {
  const std::int64_t of_a_millisecond =
      std::min(static_cast<std::int64_t>(pacing_rate_ / 1'000), kLargestQuantum);
  return std::min(std::max(of_a_millisecond, 2 * mss), longest_train_ * mss);
}

// Inflight(), with `more` for what is acknowledged at once.
std::int64_t Bbr3::in_flight_for(double bandwidth, double gain, std::int64_t more, std::int64_t mss) const {
  if (min_rtt_ == Duration::infinite()) return initial_window_segments_ * mss;
  const std::int64_t wanted =
      std::max({product(bandwidth, gain) + more, kQuanta * quantum(mss), kFewest * mss});
  return state_ == State::up ? wanted + 2 * mss : wanted;
}

// InflightWithHeadroom().
std::int64_t Bbr3::with_headroom(std::int64_t mss) const {
  if (longterm_ == kUnbounded) return kUnbounded;
  const auto headroom = static_cast<std::int64_t>(kHeadroom * static_cast<double>(longterm_));
  return std::max(longterm_ - std::max(headroom, mss), kFewest * mss);
}

// TargetInflight().
std::int64_t Bbr3::target(const CongestionWindow& window) const {
  if (min_rtt_ == Duration::infinite()) return window.cwnd;
  return std::min(product(bandwidth_, 1), window.cwnd);
}

// SetCwnd().
void Bbr3::set_window(const AckSample& sample, CongestionWindow& window) const {
  const std::int64_t mss = window.mss;
  const std::int64_t most = in_flight_for(bandwidth_, window_gain_, aggregated(), mss);
  if (pipe_was_full_) {
    window.cwnd = std::min(window.cwnd + sample.delivered, most);
  } else if (window.cwnd < most || delivered_ < initial_window_segments_ * mss) {
    window.cwnd += sample.delivered;
  }
  window.cwnd = std::max(window.cwnd, kFewest * mss);
  if (state_ == State::probe_rtt) window.cwnd = std::min(window.cwnd, probe_rtt_window_);
  // BoundCwndForModel().
  std::int64_t bound = kUnbounded;
  if (state_ == State::cruise || state_ == State::probe_rtt) {
    bound = with_headroom(mss);
  } else if (in_cycle()) {
    bound = longterm_;
  }
  window.cwnd = std::min(window.cwnd, std::max(std::min(bound, shortterm_), kFewest * mss));
}

void Bbr3::reset_signals() {
  loss_in_round_ = false;
  latest_bandwidth_ = 0;
  latest_delivered_ = 0;
}

void Bbr3::reset_shortterm() {
  shortterm_bandwidth_ = kInfinite;
  shortterm_ = kUnbounded;
}

// NoteLoss().
void Bbr3::note_loss(const LossSample& lost, const CongestionWindow& window) {
  if (lost.segment.start != lost_up_to_) ++lost_ranges_;
  lost_up_to_ = lost.segment.end;
  if (loss_in_round_) return;
  loss_in_round_ = true;
  loss_round_end_ = delivered_;
  save_for_undo(window);
}

// HandleLostPacket(), HandleInflightTooHigh().
void Bbr3::on_lost(const LossSample& lost, const CongestionWindow& window) {
  delivered_ = lost.total_delivered;
  note_loss(lost, window);
  if (!probe_sample_) return;
  if (!too_much_lost(lost.segment.lost, lost.segment.in_flight, lost.selective)) return;
  too_high_ = true;
  probe_sample_ = false;  // one answer to each probe
  if (!lost.segment.application_limited) {
    const auto least = static_cast<std::int64_t>(kBeta * static_cast<double>(target(window)));
    longterm_ = std::max(in_flight_at_loss(lost.segment), least);
  }
  if (state_ != State::up) return;
  undo_state_ = State::up;
  start_down(lost.now);
}

void Bbr3::save_window(const CongestionWindow& window) {
  const bool whole = !recovering_ && state_ != State::probe_rtt;
  saved_window_ = whole ? window.cwnd : std::max(saved_window_, window.cwnd);
}

// SaveStateUponLoss().
void Bbr3::save_for_undo(const CongestionWindow& window) {
  save_window(window);
  undo_state_.reset();
  undo_shortterm_bandwidth_ = shortterm_bandwidth_;
  undo_shortterm_ = shortterm_;
  undo_longterm_ = longterm_;
}

// BBR has no ssthresh; it remembers the window, to have it back after the recovery.
std::int64_t Bbr3::reduced(CongestionEvent event, const CongestionWindow& window, std::int64_t, SimTime) {
  if (event == CongestionEvent::ecn_echo) return window.ssthresh;
  save_for_undo(window);
  recovering_ = true;
  return window.ssthresh;
}

void Bbr3::on_recovery_end(CongestionWindow& window, SimTime, bool) {
  if (!recovering_) return;  // what ended was an echo's
  recovering_ = false;
  window.cwnd = std::max(window.cwnd, saved_window_);
}

// HandleSpuriousLossDetection().
void Bbr3::on_undo(CongestionWindow& window) {
  recovering_ = false;
  window.cwnd = std::max(window.cwnd, saved_window_);
  loss_in_round_ = false;
  reset_full_pipe(0);
  shortterm_bandwidth_ = std::max(shortterm_bandwidth_, undo_shortterm_bandwidth_);
  shortterm_ = std::max(shortterm_, undo_shortterm_);
  longterm_ = std::max(longterm_, undo_longterm_);
  if (undo_state_ == State::startup && state_ != State::startup) {
    pipe_was_full_ = false;
    if (state_ != State::probe_rtt) enter(State::startup);
  } else if (undo_state_ == State::up && state_ != State::up && state_ != State::probe_rtt) {
    start_refill();
  }
  undo_state_.reset();
}

// OnInit() with what the handshake measured, and HandleRestartFromIdle().
void Bbr3::on_sending_starts(const SendingStart& start, CongestionWindow& window) {
  if (!started_) {
    started_ = true;
    const bool measured = start.srtt > Duration::zero();
    if (measured) min_rtt_ = start.srtt;
    min_rtt_at_ = start.now;
    aggregation_start_ = start.now;
    const double seconds = (measured ? start.srtt : Duration::ms(1)).in_seconds();
    pacing_rate_ = pacing_gain_ * static_cast<double>(window.cwnd) / seconds;
  }
  if (!start.application_limited) return;
  restarting_ = true;
  aggregation_start_ = start.now;
  if (in_cycle()) {
    set_pacing_rate(1);
  } else if (state_ == State::probe_rtt) {
    end_probe_rtt(start.now, window);
  }
}

}  // namespace simcore

// SPDX-License-Identifier: MIT
#include "simcore/tcp/bbr.h"

#include <algorithm>

namespace simcore {

namespace {

constexpr double kHighGain =
    2.885;  // 2 / ln 2: the smallest that doubles the delivered rate every round trip
constexpr double kDrainGain = 1 / kHighGain;
constexpr double kWindowGain = 2;
constexpr double kGrowth = 1.25;  // less than this over three round trips: the pipe is full
constexpr int kFullRounds = 3;
constexpr std::array<double, 8> kCycleGain = {1.25, 0.75, 1, 1, 1, 1, 1, 1};
constexpr std::int64_t kLeastWindow = 4;  // segments
constexpr Duration kMinRttLife = Duration::seconds(10);
constexpr Duration kProbeRttTime = Duration::ms(200);
constexpr double kPacingMargin = 0.99;

}  // namespace

Bbr::Bbr(const TcpOptions& options)
    : initial_window_segments_(options.initial_window), pacing_gain_(kHighGain), cwnd_gain_(kHighGain) {}

double Bbr::bandwidth() const {
  return std::ranges::max(round_bandwidth_, {}, &RoundBandwidth::largest).largest;
}

std::optional<double> Bbr::pacing_rate() const {
  return pacing_rate_ > 0 ? std::optional(pacing_rate_) : std::nullopt;
}

void Bbr::on_ack(const AckSample& sample, CongestionWindow& window) {
  update_round(sample);
  update_bandwidth(sample);
  if (mode_ == Mode::probe_bandwidth) advance_cycle(sample, window.mss);
  check_full_pipe(sample);
  check_drained(sample, window.mss);
  update_min_rtt(sample, window);
  set_pacing_rate(sample, window);
  set_window(sample, window);
}

void Bbr::update_round(const AckSample& sample) {
  round_start_ = false;
  if (!sample.rate.valid() || sample.rate.prior_delivered < round_end_) return;
  round_end_ = sample.total_delivered;
  ++round_;
  round_start_ = true;
  conserve_packets_ = false;
}

void Bbr::update_bandwidth(const AckSample& sample) {
  if (!sample.rate.valid()) return;
  const double rate = sample.rate.bytes_per_second();
  if (sample.rate.application_limited && rate < bandwidth()) return;
  for (RoundBandwidth& each : round_bandwidth_) {
    if (round_ - each.round >= kBandwidthRounds) each.largest = 0;
  }
  RoundBandwidth& slot = round_bandwidth_[static_cast<std::size_t>(round_ % kBandwidthRounds)];
  slot = {round_, std::max(slot.largest, rate)};
}

void Bbr::check_full_pipe(const AckSample& sample) {
  if (pipe_full_ || !round_start_ || sample.rate.application_limited) return;
  if (bandwidth() >= full_bandwidth_ * kGrowth) {
    full_bandwidth_ = bandwidth();
    rounds_without_growth_ = 0;
    return;
  }
  pipe_full_ = ++rounds_without_growth_ >= kFullRounds;
}

void Bbr::check_drained(const AckSample& sample, std::int64_t mss) {
  if (mode_ == Mode::startup && pipe_full_) {
    mode_ = Mode::drain;
    pacing_gain_ = kDrainGain;
    cwnd_gain_ = kHighGain;
  }
  if (mode_ == Mode::drain && sample.in_flight <= target(1, mss)) enter_probe_bandwidth(sample.now);
}

void Bbr::enter_probe_bandwidth(SimTime now) {
  mode_ = Mode::probe_bandwidth;
  cwnd_gain_ = kWindowGain;
  // Not at a random phase as in Linux, but at one that the round count gives: any except the draining one.
  cycle_ = static_cast<int>(round_ % (kCycle - 1));
  if (cycle_ >= 1) ++cycle_;
  cycle_start_ = now;
  pacing_gain_ = kCycleGain[static_cast<std::size_t>(cycle_)];
}

void Bbr::advance_cycle(const AckSample& sample, std::int64_t mss) {
  const bool full_length = sample.now - cycle_start_ > min_rtt_;
  bool next = full_length;
  if (pacing_gain_ > 1) {
    next = full_length && (sample.lost > 0 || sample.prior_in_flight >= target(pacing_gain_, mss));
  } else if (pacing_gain_ < 1) {
    next = full_length || sample.prior_in_flight <= target(1, mss);
  }
  if (!next) return;
  cycle_ = (cycle_ + 1) % kCycle;
  cycle_start_ = sample.now;
  pacing_gain_ = kCycleGain[static_cast<std::size_t>(cycle_)];
}

void Bbr::update_min_rtt(const AckSample& sample, CongestionWindow& window) {
  const bool expired = sample.now > min_rtt_at_ + kMinRttLife && min_rtt_ != Duration::infinite();
  if (sample.rtt && (*sample.rtt < min_rtt_ || (expired && !sample.ack_may_be_delayed))) {
    min_rtt_ = *sample.rtt;
    min_rtt_at_ = sample.now;
  }
  // What follows a pause needs no drained queue to measure the path.
  if (expired && !restarting_ && mode_ != Mode::probe_rtt) {
    mode_ = Mode::probe_rtt;
    pacing_gain_ = 1;
    cwnd_gain_ = 1;
    saved_window_ = std::max(saved_window_, window.cwnd);
    probe_rtt_until_ = SimTime::never();
  }
  if (sample.rate.delivered > 0) restarting_ = false;
  if (mode_ != Mode::probe_rtt) return;
  if (probe_rtt_until_ == SimTime::never()) {
    if (sample.in_flight > kLeastWindow * window.mss) return;
    probe_rtt_until_ = sample.now + kProbeRttTime;
    probe_rtt_round_done_ = false;
    round_end_ = sample.total_delivered;
    return;
  }
  if (round_start_) probe_rtt_round_done_ = true;
  if (probe_rtt_round_done_) end_probe_rtt(sample.now, window);
}

// bbr_check_probe_rtt_done.
void Bbr::end_probe_rtt(SimTime now, CongestionWindow& window) {
  if (probe_rtt_until_ == SimTime::never() || now < probe_rtt_until_) return;
  min_rtt_at_ = now;
  window.cwnd = std::max(window.cwnd, saved_window_);
  saved_window_ = 0;
  if (pipe_full_) {
    enter_probe_bandwidth(now);
  } else {
    mode_ = Mode::startup;
    pacing_gain_ = kHighGain;
    cwnd_gain_ = kHighGain;
  }
}

void Bbr::set_pacing_rate(const AckSample& sample, const CongestionWindow& window) {
  double rate = bandwidth() * pacing_gain_ * kPacingMargin;
  if (bandwidth() <= 0) {
    if (!sample.rtt || *sample.rtt <= Duration::zero()) return;
    rate = kHighGain * static_cast<double>(window.cwnd) / sample.rtt->in_seconds();
  }
  if (pipe_full_ || rate > pacing_rate_) pacing_rate_ = rate;
}

std::int64_t Bbr::target(double gain, std::int64_t mss) const {
  if (min_rtt_ == Duration::infinite()) return initial_window_segments_ * mss;
  const auto product = static_cast<std::int64_t>(gain * bandwidth() * min_rtt_.in_seconds());
  // Rounded up to a segment, and three more for what is being sent in trains and acknowledged late.
  return (product + mss - 1) / mss * mss + 3 * mss;
}

void Bbr::set_window(const AckSample& sample, CongestionWindow& window) {
  const bool entered = sample.recovering && !was_recovering_;
  was_recovering_ = sample.recovering;
  if (entered) {
    conserve_packets_ = true;
    round_end_ = sample.total_delivered;
    window.cwnd = sample.in_flight + std::max(sample.delivered, window.mss);
  } else if (sample.lost > 0) {
    window.cwnd = std::max(window.cwnd - sample.lost * window.mss, window.mss);
  }
  if (conserve_packets_ && sample.recovering) {
    window.cwnd = std::max(window.cwnd, sample.in_flight + sample.delivered);
  } else {
    const std::int64_t wanted = target(cwnd_gain_, window.mss);
    if (pipe_full_) {
      window.cwnd = std::min(window.cwnd + sample.delivered, wanted);
    } else if (window.cwnd < wanted || sample.total_delivered < initial_window_segments_ * window.mss) {
      window.cwnd += sample.delivered;
    }
    window.cwnd = std::max(window.cwnd, kLeastWindow * window.mss);
  }
  if (mode_ == Mode::probe_rtt) window.cwnd = std::min(window.cwnd, kLeastWindow * window.mss);
}

// BBR has no ssthresh; it remembers the window, to have it back after the recovery.
std::int64_t Bbr::reduced(CongestionEvent event, const CongestionWindow& window, std::int64_t, SimTime) {
  if (event != CongestionEvent::ecn_echo) saved_window_ = std::max(saved_window_, window.cwnd);
  if (event == CongestionEvent::timeout) full_bandwidth_ = 0;
  return window.ssthresh;
}

void Bbr::on_recovery_end(CongestionWindow& window, SimTime, bool) {
  conserve_packets_ = false;
  was_recovering_ = false;
  if (mode_ == Mode::probe_rtt) return;
  window.cwnd = std::max(window.cwnd, saved_window_);
  saved_window_ = 0;
}

// bbr_cwnd_event: after a pause it sends at the bandwidth that it knows, without a burst, and a PROBE_RTT that the pause
// outlasted is over.
void Bbr::on_sending_starts(const SendingStart& start, CongestionWindow& window) {
  if (!start.application_limited) return;
  restarting_ = true;
  if (mode_ == Mode::probe_bandwidth) {
    const double rate = bandwidth() * kPacingMargin;
    if (pipe_full_ || rate > pacing_rate_) pacing_rate_ = rate;
  } else if (mode_ == Mode::probe_rtt) {
    end_probe_rtt(start.now, window);
  }
}

void Bbr::on_undo(CongestionWindow&) {
  full_bandwidth_ = 0;
  rounds_without_growth_ = 0;
}

}  // namespace simcore

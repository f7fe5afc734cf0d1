// SPDX-License-Identifier: MIT
#include "simcore/traffic/fast_forward.h"

#include <algorithm>
#include <cmath>

#include "simcore/stats/batch_means.h"
#include "simcore/units/error.h"

namespace simcore {

namespace {

constexpr std::size_t kMostSlices = 128;
constexpr std::size_t kFewestSlices = 64;
constexpr std::int64_t kFewestRoundTrips = 64;
constexpr std::size_t kBatches = 16;  // in the half of the slices that counts
constexpr std::size_t kLooksEvery = 2 * kBatches;
constexpr std::uint64_t kFewestReductions = 2;  // in each half of what counts
constexpr std::int64_t kMarginSlices = 4;
constexpr double kLevel = 0.999;
constexpr Duration kShortestSlice = Duration::us(10);
constexpr double kForeverNs = 1e18;

// Bytes per nanosecond.
double rate_between(std::int64_t before, std::int64_t after, Duration time) {
  return static_cast<double>(after - before) / static_cast<double>(time.count_ns());
}

}  // namespace

std::string name_of(FastForward::Held held) {
  switch (held) {
    case FastForward::Held::starting:
      return "starting";
    case FastForward::Held::window:
      return "window";
    case FastForward::Held::timeout:
      return "timeout";
    case FastForward::Held::uncertain:
      return "uncertain";
    case FastForward::Held::drift:
      return "drift";
    case FastForward::Held::near:
      return "near";
  }
  __builtin_unreachable();
}

FastForward::FastForward(Simulation& simulation, TransferEnds& ends, double error, SimTime end)
    : simulation_(simulation),
      ends_(ends),
      error_(error),
      end_(end),
      flows_(ends.clients().size()),
      slice_(kShortestSlice),
      slice_end_(simulation.now() + kShortestSlice) {
  const std::string attempt = "fast-forward";
  if (!(error >= kLeastError && error <= kMostError)) {
    throw ConfigError(attempt + ": error is " + std::to_string(error) + "; it is a share from " +
                      std::to_string(kLeastError) + " to " + std::to_string(kMostError));
  }
  if (ends.servers().size() != flows_.size()) {
    throw ConfigError(attempt + ": there are " + std::to_string(ends.servers().size()) + " servers and " +
                      std::to_string(flows_.size()) + " clients; add both ends of each transfer");
  }
  for (std::size_t number = 0; number < flows_.size(); ++number) {
    TransferClient& client = *ends_.clients()[number];
    client.watch(*this, number);
    if (client.start() != SimTime::never()) waiting_.push_back(number);
  }
  std::stable_sort(waiting_.begin(), waiting_.end(), [this](std::size_t a, std::size_t b) {
    return ends_.clients()[a]->start() > ends_.clients()[b]->start();
  });
}

void FastForward::transfer_began(std::size_t number) {
  active_.insert(std::lower_bound(active_.begin(), active_.end(), number), number);
  changed_ = true;
}

void FastForward::transfer_ended(std::size_t number) {
  const auto found = std::lower_bound(active_.begin(), active_.end(), number);
  if (found == active_.end() || *found != number) return;
  active_.erase(found);
  flows_[number].points = {};
  changed_ = true;
}

void FastForward::run_for(Duration duration, Standstill& standstill) {
  const SimTime until = now() + duration;
  while (now() < until) {
    standstill.run_until(simulation_, std::min(slice_end_, until - outcome_.left_out));
    if (simulation_.now() == slice_end_) end_slice();
  }
}

void FastForward::end_slice() {
  if (changed_) {
    begin_anew();
  } else if (note_points()) {
    if (++slices_ == kMostSlices) merge_slices();
    if (slices_ >= kFewestSlices && slices_ % kLooksEvery == 0 && !active_.empty()) {
      if (const std::optional<Held> held = leave_out()) ++outcome_.held[static_cast<std::size_t>(*held)];
    }
  }
  slice_end_ = simulation_.now() + slice_;
  // Where nothing is sent, nothing happens until something begins.
  if (active_.empty()) slice_end_ = std::max(slice_end_, simulation_.now() + until_next());
}

// Until all that have begun are known to send, a slice is only a moment to look again.
void FastForward::begin_anew() {
  slices_ = 0;
  slice_ = std::max(longest_round_trip(), kShortestSlice);
  for (const std::size_t number : active_) flows_[number].points.clear();
  changed_ = std::any_of(active_.begin(), active_.end(), [this](std::size_t number) {
    return ends_.clients()[number]->received() == 0 || ends_.servers()[number]->sender() == nullptr;
  });
  if (!changed_) note_points();
}

bool FastForward::note_points() {
  for (const std::size_t number : active_) {
    const TransferClient& client = *ends_.clients()[number];
    const TcpSender* const sender = ends_.servers()[number]->sender();
    if (sender == nullptr) {  // its connection broke, and its client does not know
      changed_ = true;
      return false;
    }
    const SenderCounters& counters = sender->counters();
    flows_[number].points.push_back({.at = client.latest_arrival(),
                                     .received = client.received() - client.forwarded(),
                                     .reductions = counters.fast_recoveries + counters.ecn_reductions,
                                     .timeouts = counters.timeouts,
                                     .cwnd = sender->congestion_window().cwnd});
  }
  return true;
}

void FastForward::merge_slices() {
  for (const std::size_t number : active_) {
    std::vector<Point>& points = flows_[number].points;
    for (std::size_t place = 0; place <= kMostSlices / 2; ++place) points[place] = points[2 * place];
    points.erase(points.begin() + kMostSlices / 2 + 1, points.end());
  }
  slices_ = kMostSlices / 2;
  slice_ = slice_ * 2;
}

Duration FastForward::longest_round_trip() const {
  Duration longest = Duration::zero();
  for (const std::size_t number : active_) {
    const TcpSender* const sender = ends_.servers()[number]->sender();
    if (sender != nullptr) longest = std::max(longest, sender->rtt().srtt());
  }
  return longest;
}

std::optional<FastForward::Held> FastForward::leave_out() {
  if (slice_ * static_cast<std::int64_t>(slices_) < longest_round_trip() * kFewestRoundTrips)
    return Held::starting;
  Duration time = until_next();
  for (const std::size_t number : active_) {
    Flow& flow = flows_[number];
    if (const std::optional<Held> held = measure(flow)) return held;
    const double left_ns = static_cast<double>(ends_.servers()[number]->unsent()) / flow.rate;
    const auto sent_in_ns = static_cast<std::int64_t>(std::min(left_ns, kForeverNs));
    time = std::min(time, Duration::ns(sent_in_ns) - slice_ * kMarginSlices);
  }
  if (time < slice_ * static_cast<std::int64_t>(slices_)) return Held::near;
  const auto bound_with = [time, round_trip = longest_round_trip()](const Flow& flow) {
    const double rate_ns = std::ceil(flow.half_width * static_cast<double>(time.count_ns()));
    return flow.bound + Duration::ns(static_cast<std::int64_t>(rate_ns)) + round_trip;
  };
  for (const std::size_t number : active_) {
    const Duration lasted = now() + time - ends_.clients()[number]->outcome().started;
    if (bound_with(flows_[number]).in_seconds() > error_ * lasted.in_seconds()) return Held::uncertain;
  }
  for (const std::size_t number : active_) {
    Flow& flow = flows_[number];
    const auto time_ns = static_cast<double>(time.count_ns());
    const auto bytes = static_cast<std::int64_t>(flow.rate * time_ns);
    ends_.servers()[number]->forward(bytes);
    ends_.clients()[number]->forward(bytes);
    flow.bound = bound_with(flow);
    outcome_.forwarded_bytes += bytes;
  }
  ++outcome_.skips;
  outcome_.left_out += time;
  for (const std::size_t number : waiting_) {
    TransferClient& client = *ends_.clients()[number];
    client.start_at(client.start() - outcome_.left_out);
  }
  return std::nullopt;
}

std::optional<FastForward::Held> FastForward::measure(Flow& flow) const {
  const std::vector<Point>& points = flow.points;
  const Point& first = points[slices_ / 2];
  const Point& middle = points[slices_ / 4 * 3];
  const Point& last = points[slices_];
  if (last.timeouts != first.timeouts) return Held::timeout;
  const bool still = last.reductions == 0 && last.timeouts == 0 &&
                     std::all_of(points.begin() + static_cast<std::ptrdiff_t>(slices_ / 2), points.end(),
                                 [&last](const Point& point) { return point.cwnd == last.cwnd; });
  const bool cycles = middle.reductions - first.reductions >= kFewestReductions &&
                      last.reductions - middle.reductions >= kFewestReductions;
  if (!still && !cycles) return Held::window;
  std::array<double, kBatches> batches;
  const std::size_t length = slices_ / 2 / kBatches;
  for (std::size_t batch = 0; batch < kBatches; ++batch) {
    const Point& from = points[slices_ / 2 + batch * length];
    const Point& to = points[slices_ / 2 + (batch + 1) * length];
    if (to.at == from.at) return Held::uncertain;
    batches[batch] = rate_between(from.received, to.received, to.at - from.at);
  }
  const BatchMeans rate = batch_means(batches, kLevel);
  if (rate.half_width > error_ / 2 * rate.mean) return Held::uncertain;
  if (std::abs(rate.drift) > error_ / 2 * rate.mean) return Held::drift;
  flow.rate = rate_between(first.received, last.received, last.at - first.at);
  flow.half_width = rate.half_width / rate.mean;
  return std::nullopt;
}

Duration FastForward::until_next() {
  while (!waiting_.empty() && ends_.clients()[waiting_.back()]->start() == SimTime::never())
    waiting_.pop_back();
  const Duration time = end_ - now();
  return waiting_.empty() ? time : std::min(time, ends_.clients()[waiting_.back()]->start() - now());
}

}  // namespace simcore

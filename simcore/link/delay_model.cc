// SPDX-License-Identifier: MIT
#include "simcore/link/delay_model.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "simcore/link/probability.h"

namespace simcore {

namespace {

constexpr Duration kLongest = Duration::seconds(1'000'000);  // a distribution's tail ends here: eleven days

void require(bool holds, const std::string& what, Duration value, const std::string& cure) {
  if (holds) return;
  throw ConfigError("make delay model: " + what + " is " + std::to_string(value.count_ns()) + " ns; " + cure);
}

Duration rounded(double nanoseconds, Duration least) {
  const double longest = static_cast<double>(kLongest.count_ns());
  return std::max(least, Duration::ns(std::llround(std::clamp(nanoseconds, -longest, longest))));
}

double in_ns(Duration duration) { return static_cast<double>(duration.count_ns()); }

}  // namespace

DelayModel constant_delay(Duration delay) {
  require(delay >= Duration::zero(), "the delay", delay, "it must not be negative");
  return [delay](RandomStream&, const SegmentView&) { return delay; };
}

DelayModel uniform_delay(Duration low, Duration high) {
  require(low <= high, "the upper bound", high, "it must not be below the lower one");
  require(high >= Duration::zero(), "the upper bound", high, "it must not be negative");
  return [low, width = in_ns(high - low)](RandomStream& random, const SegmentView&) {
    const auto within = static_cast<std::int64_t>(random.uniform() * width);
    return std::max(Duration::zero(), low + Duration::ns(within));
  };
}

DelayModel normal_delay(Duration mean, Duration deviation, Duration least) {
  require(deviation >= Duration::zero(), "the deviation", deviation, "it must not be negative");
  require(least >= Duration::zero(), "the least delay", least, "it must not be negative");
  return [mean, deviation, least](RandomStream& random, const SegmentView&) {
    return rounded(random.normal(in_ns(mean), in_ns(deviation)), least);
  };
}

DelayModel exponential_delay(Duration least, Duration mean_above) {
  require(least >= Duration::zero(), "the least delay", least, "it must not be negative");
  require(mean_above > Duration::zero(), "the mean above it", mean_above, "it must be positive");
  return [least, mean_above](RandomStream& random, const SegmentView&) {
    return least + rounded(random.exponential(in_ns(mean_above)), Duration::zero());
  };
}

DelayModel table_delay(std::vector<Duration> quantiles) {
  if (quantiles.size() < 2) throw ConfigError("make delay model: a table needs two quantiles or more");
  require(quantiles.front() >= Duration::zero(), "the first quantile", quantiles.front(),
          "it must not be negative");
  const auto falling = std::adjacent_find(quantiles.begin(), quantiles.end(), std::greater<>());
  if (falling != quantiles.end()) {
    require(false, "the quantile after " + std::to_string(falling->count_ns()) + " ns", *(falling + 1),
            "quantiles must not decrease");
  }
  return [quantiles = std::move(quantiles)](RandomStream& random, const SegmentView&) {
    const double place = random.uniform() * static_cast<double>(quantiles.size() - 1);
    const std::size_t below = std::min(static_cast<std::size_t>(place), quantiles.size() - 2);
    const double share = place - static_cast<double>(below);
    const Duration step = quantiles[below + 1] - quantiles[below];
    return quantiles[below] + Duration::ns(std::llround(share * in_ns(step)));
  };
}

DelayModel trace_delay(std::vector<Duration> delays) {
  if (delays.empty()) throw ConfigError("make delay model: a trace needs one delay or more");
  const Duration least = *std::min_element(delays.begin(), delays.end());
  require(least >= Duration::zero(), "the least of the trace", least, "it must not be negative");
  return [delays = std::move(delays), next = std::size_t{0}](RandomStream&, const SegmentView&) mutable {
    const Duration delay = delays[next];
    next = next + 1 < delays.size() ? next + 1 : 0;
    return delay;
  };
}

DelayModel reordering(DelayModel others, double probability, std::int64_t gap) {
  require_probability("reordering", "reorder", probability);
  if (gap < 1)
    throw ConfigError("make reordering: the gap is " + std::to_string(gap) + "; it must be at least 1");
  return [others = std::move(others), probability, gap, since = std::int64_t{0}](
             RandomStream& random, const SegmentView& segment) mutable {
    if (since >= gap - 1 && random.bernoulli(probability)) {
      since = 0;
      return Duration::zero();
    }
    ++since;
    return others(random, segment);
  };
}

}  // namespace simcore

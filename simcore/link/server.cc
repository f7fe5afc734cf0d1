// SPDX-License-Identifier: MIT
#include "simcore/link/server.h"

#include <algorithm>
#include <string>
#include <utility>

#include "simcore/units/error.h"

namespace simcore {

namespace {

constexpr std::int64_t kLargestBurst = std::int64_t{1} << 40;

void require_rate(const std::string& what, DataRate rate) {
  if (rate.bits_per_second() >= 1) return;
  throw ConfigError("make link: " + what + " is " + std::to_string(rate.bits_per_second()) +
                    " bit/s; it must be at least 1 bit/s");
}

// Precondition: divisor > 0 and dividend >= 0.
std::int64_t divided_rounding_up(__int128 dividend, std::int64_t divisor) {
  return static_cast<std::int64_t>((dividend + divisor - 1) / divisor);
}

}  // namespace

RateServer::RateServer(DataRate rate) : rate_(rate) { require_rate("the rate", rate); }

SimTime RateServer::serve(ByteCount size, SimTime start) {
  const std::int64_t rate = rate_.bits_per_second();
  if (start > free_) {
    free_ = start;
    fraction_ = 0;
  }
  // The transmitter was free fraction_ / rate before free_.
  const __int128 work = __int128{size.bits()} * kNanosecondsPerSecond - fraction_;
  const std::int64_t time = work > 0 ? divided_rounding_up(work, rate) : 0;
  fraction_ = static_cast<std::int64_t>(__int128{time} * rate - work);
  free_ = free_ + Duration::ns(time);
  return free_;
}

SimTime RateServer::change(DataRate rate, SimTime departure, SimTime now) {
  require_rate("the rate", rate);
  const __int128 work = __int128{(departure - now).count_ns()} * rate_.bits_per_second() - fraction_;
  rate_ = rate;
  fraction_ = 0;
  free_ = departure;
  if (work <= 0) return departure;
  const std::int64_t time = divided_rounding_up(work, rate.bits_per_second());
  fraction_ = static_cast<std::int64_t>(__int128{time} * rate.bits_per_second() - work);
  free_ = now + Duration::ns(time);
  return free_;
}

TokenBucketServer::TokenBucketServer(const Config& config)
    : config_(config), tokens_(Work{config.burst.bits()} * kNanosecondsPerSecond) {
  require_rate("the token rate", config.rate);
  if (config.burst.count() < 1 || config.burst.count() > kLargestBurst) {
    throw ConfigError("make link: the token bucket holds " + std::to_string(config.burst.count()) +
                      " bytes; write 1 to " + std::to_string(kLargestBurst) + ", and at least one frame");
  }
  if (config.peak) peak_.emplace(*config.peak);
}

SimTime TokenBucketServer::serve(ByteCount size, SimTime start) {
  const std::int64_t rate = config_.rate.bits_per_second();
  const Work full = Work{config_.burst.bits()} * kNanosecondsPerSecond;
  const Work cost = Work{size.bits()} * kNanosecondsPerSecond;
  start = std::max(start, filled_);
  tokens_ = std::min(full, tokens_ + Work{(start - filled_).count_ns()} * rate);
  filled_ = start;
  if (tokens_ < cost) {
    const Duration wait = Duration::ns(divided_rounding_up(cost - tokens_, rate));
    tokens_ += Work{wait.count_ns()} * rate;
    filled_ = start + wait;
  }
  tokens_ -= cost;
  return peak_ ? peak_->serve(size, filled_) : filled_;
}

OpportunityServer::OpportunityServer(OpportunityTrace trace, ByteCount bytes)
    : trace_(std::move(trace)), bytes_(bytes) {
  if (bytes.count() >= 1) return;
  throw ConfigError("make link: an opportunity carries " + std::to_string(bytes.count()) +
                    " bytes; it must be at least 1");
}

SimTime OpportunityServer::serve(ByteCount size, SimTime start) {
  if (start > current_) {  // nobody waited: what was left of the last opportunity, and those since, are gone
    left_ = ByteCount::zero();
    current_ = start;
    next_ = std::max(next_, trace_.first_at_or_after(start));
  }
  ByteCount need = size;
  for (;;) {
    const ByteCount used = std::min(need, left_);
    left_ -= used;
    need -= used;
    if (need == ByteCount::zero()) return current_;
    current_ = trace_.time_of(next_++);
    left_ = bytes_;
  }
}

}  // namespace simcore

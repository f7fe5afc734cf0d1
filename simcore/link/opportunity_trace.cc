// SPDX-License-Identifier: MIT
#include "simcore/link/opportunity_trace.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "simcore/units/error.h"

namespace simcore {

namespace {

constexpr std::int64_t kLatest = std::int64_t{366} * 24 * 3'600 * 1'000;  // milliseconds
constexpr std::size_t kShown = 32;                                        // characters of a bad line

}  // namespace

OpportunityTrace OpportunityTrace::parse(std::string_view text, const std::string& name) {
  std::vector<std::int64_t> milliseconds;
  std::size_t number = 0;
  const auto refuse = [&](const std::string& what) { throw ConfigError("read trace " + name + ": " + what); };
  while (!text.empty()) {
    ++number;
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::string where = "line " + std::to_string(number);
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    std::int64_t value = 0;
    const bool digits = !line.empty() && std::all_of(line.begin(), line.end(), is_digit);
    const auto read = std::from_chars(line.data(), line.data() + line.size(), value);
    if (!digits) {
      refuse(where + " is '" + std::string(line.substr(0, kShown)) +
             "'; write the milliseconds of one opportunity, in digits only");
    }
    if (read.ec != std::errc{} || value > kLatest) {
      refuse(where + " is " + std::string(line.substr(0, kShown)) + "; the latest is " +
             std::to_string(kLatest) + " (ms)");
    }
    if (!milliseconds.empty() && value < milliseconds.back()) {
      refuse(where + " is " + std::to_string(value) + ", before the " + std::to_string(milliseconds.back()) +
             " above it; opportunities stand in the order of time");
    }
    milliseconds.push_back(value);
  }
  if (milliseconds.empty()) refuse("it is empty; write one opportunity per line");
  if (milliseconds.back() == 0) refuse("its last line is 0; the trace would last no time");
  return OpportunityTrace(std::move(milliseconds));
}

SimTime OpportunityTrace::time_of(std::uint64_t number) const {
  const auto repetition = static_cast<std::int64_t>(number / milliseconds_.size());
  return SimTime::zero() + period() * repetition + Duration::ms(milliseconds_[number % milliseconds_.size()]);
}

std::uint64_t OpportunityTrace::first_at_or_after(SimTime time) const {
  const std::int64_t period_ns = period().count_ns();
  // An opportunity at the very end of a repetition is not after one at the start of the next.
  const std::int64_t repetition = std::max<std::int64_t>(time.count_ns() - 1, 0) / period_ns;
  const std::int64_t within_ns = time.count_ns() - repetition * period_ns;
  const std::int64_t within_ms = (within_ns + 999'999) / 1'000'000;
  const auto found = std::lower_bound(milliseconds_.begin(), milliseconds_.end(), within_ms);
  return static_cast<std::uint64_t>(repetition) * milliseconds_.size() +
         static_cast<std::uint64_t>(found - milliseconds_.begin());
}

}  // namespace simcore

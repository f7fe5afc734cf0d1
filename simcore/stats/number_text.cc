// SPDX-License-Identifier: MIT
#include "simcore/stats/number_text.h"

#include <array>
#include <charconv>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace simcore {

std::string number_text(double value) {
  if (std::isnan(value)) return "nan";
  std::array<char, 32> text;
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  return std::string(text.data(), end);
}

std::string seconds_text(SimTime time) {
  const std::int64_t ns = time.count_ns();
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%s%" PRId64 ".%09" PRId64, ns < 0 ? "-" : "",
                std::abs(ns / 1'000'000'000), std::abs(ns % 1'000'000'000));
  return text.data();
}

}  // namespace simcore

// SPDX-License-Identifier: MIT
//
// SimTime and Duration: instants and intervals of simulated time.
//
// Unit: int64 nanoseconds, which reaches 292 years. An instant and an interval are two types,
// so that adding two instants, or scheduling at a length of time, does not compile. SimTime zero is the
// start of the simulation.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

namespace simcore {

constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;

class Duration {
 public:
  static constexpr Duration ns(std::int64_t count) { return Duration(count); }
  static constexpr Duration us(std::int64_t count) { return Duration(count * 1'000); }
  static constexpr Duration ms(std::int64_t count) { return Duration(count * 1'000'000); }
  static constexpr Duration seconds(std::int64_t count) { return Duration(count * kNanosecondsPerSecond); }
  static constexpr Duration zero() { return Duration(0); }
  static constexpr Duration infinite() { return Duration(std::numeric_limits<std::int64_t>::max()); }

  constexpr std::int64_t count_ns() const { return ns_; }
  constexpr double in_seconds() const { return static_cast<double>(ns_) * 1e-9; }

  constexpr auto operator<=>(const Duration&) const = default;
  constexpr Duration operator+(Duration other) const { return Duration(ns_ + other.ns_); }
  constexpr Duration operator-(Duration other) const { return Duration(ns_ - other.ns_); }
  constexpr Duration operator-() const { return Duration(-ns_); }
  constexpr Duration operator*(std::int64_t factor) const { return Duration(ns_ * factor); }
  constexpr Duration operator/(std::int64_t divisor) const { return Duration(ns_ / divisor); }
  constexpr std::int64_t operator/(Duration other) const { return ns_ / other.ns_; }
  constexpr Duration& operator+=(Duration other) { return *this = *this + other; }
  constexpr Duration& operator-=(Duration other) { return *this = *this - other; }

 private:
  explicit constexpr Duration(std::int64_t count) : ns_(count) {}

  std::int64_t ns_;
};

class SimTime {
 public:
  static constexpr SimTime zero() { return SimTime(0); }
  static constexpr SimTime at_ns(std::int64_t count) { return SimTime(count); }
  // Later than every event: the due time of something that will not happen.
  static constexpr SimTime never() { return SimTime(std::numeric_limits<std::int64_t>::max()); }

  constexpr std::int64_t count_ns() const { return ns_; }
  constexpr double in_seconds() const { return static_cast<double>(ns_) * 1e-9; }

  constexpr auto operator<=>(const SimTime&) const = default;
  constexpr SimTime operator+(Duration d) const { return SimTime(ns_ + d.count_ns()); }
  constexpr SimTime operator-(Duration d) const { return SimTime(ns_ - d.count_ns()); }
  constexpr Duration operator-(SimTime other) const { return Duration::ns(ns_ - other.ns_); }

 private:
  explicit constexpr SimTime(std::int64_t count) : ns_(count) {}

  std::int64_t ns_;
};

}  // namespace simcore

// SPDX-License-Identifier: MIT
//
// ByteCount and DataRate, and the time that bytes hold a wire.
//
// Units: bytes, and bits per second. Neither converts from a bare number, so a rate cannot be
// mistaken for a size.
#pragma once

#include <compare>
#include <cstdint>

#include "simcore/units/time.h"

namespace simcore {

class ByteCount {
 public:
  static constexpr ByteCount bytes(std::int64_t count) { return ByteCount(count); }
  static constexpr ByteCount zero() { return ByteCount(0); }

  constexpr std::int64_t count() const { return bytes_; }
  constexpr std::int64_t bits() const { return bytes_ * 8; }

  constexpr auto operator<=>(const ByteCount&) const = default;
  constexpr ByteCount operator+(ByteCount other) const { return ByteCount(bytes_ + other.bytes_); }
  constexpr ByteCount operator-(ByteCount other) const { return ByteCount(bytes_ - other.bytes_); }
  constexpr ByteCount operator*(std::int64_t factor) const { return ByteCount(bytes_ * factor); }
  constexpr ByteCount& operator+=(ByteCount other) { return *this = *this + other; }
  constexpr ByteCount& operator-=(ByteCount other) { return *this = *this - other; }

 private:
  explicit constexpr ByteCount(std::int64_t count) : bytes_(count) {}

  std::int64_t bytes_;
};

class DataRate {
 public:
  static constexpr DataRate bps(std::int64_t count) { return DataRate(count); }
  static constexpr DataRate kbps(std::int64_t count) { return DataRate(count * 1'000); }
  static constexpr DataRate mbps(std::int64_t count) { return DataRate(count * 1'000'000); }
  static constexpr DataRate gbps(std::int64_t count) { return DataRate(count * 1'000'000'000); }

  constexpr std::int64_t bits_per_second() const { return bps_; }

  constexpr auto operator<=>(const DataRate&) const = default;

 private:
  explicit constexpr DataRate(std::int64_t count) : bps_(count) {}

  std::int64_t bps_;
};

// The time that `size` holds a wire of `rate`, rounded up to the next nanosecond so that a wire never carries
// more than its rate. Preconditions: 0 <= size < 1 GB, rate > 0.
constexpr Duration serialization(ByteCount size, DataRate rate) {
  const std::int64_t bit_ns = size.bits() * 1'000'000'000;
  return Duration::ns((bit_ns + rate.bits_per_second() - 1) / rate.bits_per_second());
}

// The whole bytes that a wire of `rate` carries in `time`, rounded down. Precondition: time >= 0.
constexpr ByteCount carried(DataRate rate, Duration time) {
  return ByteCount::bytes(static_cast<std::int64_t>(static_cast<__int128>(rate.bits_per_second()) *
                                                    time.count_ns() / 8'000'000'000));
}

}  // namespace simcore

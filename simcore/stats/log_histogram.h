// SPDX-License-Identifier: MIT
//
// LogHistogram: counts of non-negative integers in bins whose width grows with the value, so that every quantile is
// known within 1/64 of itself, from a nanosecond to a century, in 30 KB and a few instructions.
//
// Values below 64 have a bin each. Above, every power of two is divided into 64 equal bins.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace simcore {

class LogHistogram {
 public:
  static constexpr std::size_t kBins = 64 * 58;

  // Negative values count as zero.
  void add(std::int64_t value, std::uint64_t times = 1) {
    counts_[bin_of(value)] += times;
    total_ += times;
  }

  void merge(const LogHistogram& other) {
    for (std::size_t bin = 0; bin < kBins; ++bin) counts_[bin] += other.counts_[bin];
    total_ += other.total_;
  }

  std::uint64_t total() const { return total_; }
  std::uint64_t count(std::size_t bin) const { return counts_[bin]; }

  static std::size_t bin_of(std::int64_t value) {
    if (value < 64) return value < 0 ? 0 : static_cast<std::size_t>(value);
    const auto v = static_cast<std::uint64_t>(value);
    const auto exponent = static_cast<std::size_t>(std::bit_width(v)) - 7;  // v >> exponent is 64 to 127
    return exponent * 64 + static_cast<std::size_t>(v >> exponent);
  }

  // The least and the greatest value of a bin.
  static std::int64_t lower_bound(std::size_t bin) { return static_cast<std::int64_t>(start_of(bin)); }
  static std::int64_t upper_bound(std::size_t bin) {
    return static_cast<std::int64_t>(start_of(bin + 1) - 1);
  }

  // The greatest value of the bin in which the part `q` of all values is reached: at most 1/64 too high.
  // 0 when there is nothing. Precondition: 0 <= q <= 1.
  std::int64_t quantile(double q) const {
    if (total_ == 0) return 0;
    const double wanted = q * static_cast<double>(total_);
    std::uint64_t seen = 0;
    std::size_t last = 0;
    for (std::size_t bin = 0; bin < kBins; ++bin) {
      if (counts_[bin] == 0) continue;
      last = bin;
      seen += counts_[bin];
      if (static_cast<double>(seen) >= wanted) break;
    }
    return upper_bound(last);
  }

 private:
  static std::uint64_t start_of(std::size_t bin) {
    if (bin < 128) return bin;
    const std::size_t exponent = bin / 64 - 1;
    return std::uint64_t{bin - exponent * 64} << exponent;
  }

  std::array<std::uint64_t, kBins> counts_{};
  std::uint64_t total_ = 0;
};

}  // namespace simcore

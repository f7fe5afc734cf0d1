// SPDX-License-Identifier: MIT
//
// BasicLogHistogram: counts of non-negative integers in bins whose width grows with the value, so that every quantile is
// known within a part of itself, from a nanosecond to a century, in a few instructions.
//
// Values below 2^kFractionBits have a bin each. Above, every power of two is divided into so many equal bins. With 6 bits,
// as a LogHistogram has, a quantile is right within 1/64, in 30 KB; with 4, within 1/16, in 8 KB.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>

namespace simcore {

template <unsigned kFractionBits>
class BasicLogHistogram {
 public:
  static constexpr std::size_t kPerOctave = std::size_t{1} << kFractionBits;
  static constexpr std::size_t kBins = kPerOctave * (64 - kFractionBits);

  // Negative values count as zero.
  void add(std::int64_t value, std::uint64_t times = 1) {
    counts_[bin_of(value)] += times;
    total_ += times;
    greatest_ = std::max(greatest_, value);
  }

  void merge(const BasicLogHistogram& other) {
    for (std::size_t bin = 0; bin < kBins; ++bin) counts_[bin] += other.counts_[bin];
    total_ += other.total_;
    greatest_ = std::max(greatest_, other.greatest_);
  }

  std::uint64_t total() const { return total_; }
  std::int64_t greatest() const { return greatest_; }  // 0 when there is nothing
  std::uint64_t count(std::size_t bin) const { return counts_[bin]; }

  // How many are in bins above that of `value`.
  std::uint64_t above(std::int64_t value) const {
    return std::accumulate(counts_.begin() + static_cast<std::ptrdiff_t>(bin_of(value)) + 1, counts_.end(),
                           std::uint64_t{0});
  }

  static std::size_t bin_of(std::int64_t value) {
    if (value < static_cast<std::int64_t>(kPerOctave)) return value < 0 ? 0 : static_cast<std::size_t>(value);
    const auto v = static_cast<std::uint64_t>(value);
    // v >> exponent is kPerOctave to 2 * kPerOctave - 1
    const auto exponent = static_cast<std::size_t>(std::bit_width(v)) - kFractionBits - 1;
    return exponent * kPerOctave + static_cast<std::size_t>(v >> exponent);
  }

  // The least and the greatest value of a bin.
  static std::int64_t lower_bound(std::size_t bin) { return static_cast<std::int64_t>(start_of(bin)); }
  static std::int64_t upper_bound(std::size_t bin) {
    return static_cast<std::int64_t>(start_of(bin + 1) - 1);
  }

  // The greatest value of the bin in which the part `q` of all values is reached, or the greatest of all, if that is less.
  // 0 when there is nothing. Precondition: 0 <= q <= 1.
  std::int64_t quantile(double q) const { return quantile_since(BasicLogHistogram(), q); }

  // The same of what was added after this histogram was `before`.
  std::int64_t quantile_since(const BasicLogHistogram& before, double q) const {
    if (total_ == before.total_) return 0;
    // A little less, as 0.999 of a thousand is 999, and a trifle more as a product of doubles.
    constexpr double kTrifle = 1e-12;
    const auto total = static_cast<double>(total_ - before.total_);
    const double wanted = std::max(1.0, std::ceil(q * total * (1.0 - kTrifle)));
    std::uint64_t seen = 0;
    std::size_t bin = 0;
    for (; bin < kBins - 1; ++bin) {
      seen += counts_[bin] - before.counts_[bin];
      if (static_cast<double>(seen) >= wanted) break;
    }
    return std::min(upper_bound(bin), greatest_);
  }

 private:
  static std::uint64_t start_of(std::size_t bin) {
    if (bin < 2 * kPerOctave) return bin;
    const std::size_t exponent = bin / kPerOctave - 1;
    return std::uint64_t{bin - exponent * kPerOctave} << exponent;
  }

  std::array<std::uint64_t, kBins> counts_{};
  std::uint64_t total_ = 0;
  std::int64_t greatest_ = 0;
};

using LogHistogram = BasicLogHistogram<6>;

}  // namespace simcore

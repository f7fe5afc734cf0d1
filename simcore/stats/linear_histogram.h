// SPDX-License-Identifier: MIT
//
// LinearHistogram: counts of numbers in equal bins of [low, high), and of those below and above. Weights may be
// fractions, such as the time for which a queue was that long.
#pragma once

#include <cstddef>
#include <vector>

namespace simcore {

class LinearHistogram {
 public:
  // Throws ConfigError unless low < high and bins >= 1.
  LinearHistogram(double low, double high, std::size_t bins);

  void add(double value, double weight = 1.0);

  double low() const { return low_; }
  double high() const { return high_; }
  std::size_t bins() const { return weights_.size(); }
  double lower_bound(std::size_t bin) const;
  double weight(std::size_t bin) const { return weights_[bin]; }
  double below() const { return below_; }
  double above() const { return above_; }
  double total() const { return total_; }
  // The part of the whole in one bin; 0 when there is nothing.
  double share(std::size_t bin) const { return total_ > 0 ? weights_[bin] / total_ : 0.0; }

 private:
  double low_;
  double high_;
  std::vector<double> weights_;
  double below_ = 0;
  double above_ = 0;
  double total_ = 0;
};

}  // namespace simcore

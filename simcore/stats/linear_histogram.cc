// SPDX-License-Identifier: MIT
#include "simcore/stats/linear_histogram.h"

#include <algorithm>
#include <string>

#include "simcore/units/error.h"

namespace simcore {

LinearHistogram::LinearHistogram(double low, double high, std::size_t bins)
    : low_(low), high_(high), weights_(bins) {
  if (!(low < high) || bins == 0) {
    throw ConfigError("make histogram of " + std::to_string(bins) + " bins from " + std::to_string(low) +
                      " to " + std::to_string(high) +
                      ": it needs at least one bin, and a lower bound below the upper");
  }
}

void LinearHistogram::add(double value, double weight) {
  total_ += weight;
  if (value < low_) {
    below_ += weight;
  } else if (value >= high_) {
    above_ += weight;
  } else {
    // The quotient may round up to the number of bins.
    const auto bin = static_cast<std::size_t>((value - low_) / (high_ - low_) * static_cast<double>(bins()));
    weights_[std::min(bin, bins() - 1)] += weight;
  }
}

double LinearHistogram::lower_bound(std::size_t bin) const {
  return low_ + (high_ - low_) * static_cast<double>(bin) / static_cast<double>(bins());
}

}  // namespace simcore

// SPDX-License-Identifier: MIT
#include "simcore/network/fluid_volumes.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace simcore {

double FluidVolumes::all() const { return std::accumulate(volumes_.begin(), volumes_.end(), 0.0); }

double FluidVolumes::next() {
  const double came = std::exchange(volumes_[first_], 0.0);
  first_ = (first_ + 1) & (volumes_.size() - 1);
  return came;
}

void FluidVolumes::spread(double volume, double from, double to) {
  if (volume <= 0) return;
  constexpr auto kLast = static_cast<double>(kMostSteps - 1);
  const double end = std::clamp(to, 0.0, kLast);
  const auto first = static_cast<std::size_t>(std::clamp(from, 0.0, end));
  const auto last = static_cast<std::size_t>(end);
  if (last == first) return add(volume, first);
  const double each = volume / (to - from);
  double left = volume;
  for (std::size_t step = first; step < last; ++step) {
    const double begin = step == first ? from : static_cast<double>(step);
    const double part = std::min(left, each * (static_cast<double>(step + 1) - begin));
    add(part, step);
    left -= part;
  }
  if (left > 0) add(left, last);
}

void FluidVolumes::add(double volume, std::size_t step) {
  if (step >= volumes_.size()) {
    std::rotate(volumes_.begin(), volumes_.begin() + static_cast<std::ptrdiff_t>(first_), volumes_.end());
    first_ = 0;
    std::size_t size = volumes_.size();
    while (size <= step) size *= 2;
    volumes_.resize(size, 0.0);
  }
  volumes_[(first_ + step) & (volumes_.size() - 1)] += volume;
}

}  // namespace simcore

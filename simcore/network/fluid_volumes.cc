// SPDX-License-Identifier: MIT
#include "simcore/network/fluid_volumes.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace simcore {

double FluidVolumes::all() const { return std::accumulate(volumes_.begin(), volumes_.end(), 0.0); }

double FluidVolumes::take_now() { return std::exchange(volumes_[first_], 0.0); }

double FluidVolumes::next() {
  const double came = take_now();
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

std::vector<double> FluidVolumes::take() {
  begin_with_now();
  return std::exchange(volumes_, std::vector<double>(volumes_.size(), 0.0));
}

void FluidVolumes::retime(double from, double to, double stretch) {
  const std::vector<double> old = take();
  for (std::size_t step = 0; step < old.size(); ++step) {
    const auto begin = static_cast<double>(step);
    const double unmoved = old[step] * std::clamp(from - begin, 0.0, 1.0);
    if (unmoved > 0) add(unmoved, step);
    const double moved = old[step] - unmoved;
    if (moved <= 0) continue;
    const double first = to + (std::max(begin, from) - from) * stretch;
    const double last = to + (begin + 1 - from) * stretch;
    if (last <= from) {
      spread(moved, from, from);
      continue;
    }
    // Of what would come too early.
    const double at_once = moved * (std::max(from, first) - first) / (last - first);
    spread(at_once, from, from);
    spread(moved - at_once, std::max(from, first), last);
  }
}

void FluidVolumes::regrid(double steps) {
  const std::vector<double> old = take();
  for (std::size_t step = 0; step < old.size(); ++step) {
    const auto begin = static_cast<double>(step);
    spread(old[step], begin * steps, (begin + 1) * steps);
  }
}

void FluidVolumes::begin_with_now() {
  std::rotate(volumes_.begin(), volumes_.begin() + static_cast<std::ptrdiff_t>(first_), volumes_.end());
  first_ = 0;
}

void FluidVolumes::add(double volume, std::size_t step) {
  if (step >= volumes_.size()) {
    begin_with_now();
    std::size_t size = volumes_.size();
    while (size <= step) size *= 2;
    volumes_.resize(size, 0.0);
  }
  volumes_[(first_ + step) & (volumes_.size() - 1)] += volume;
}

}  // namespace simcore

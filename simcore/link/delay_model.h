// SPDX-License-Identifier: MIT
//
// Delay models: how long the next segment takes, besides what every segment takes.
//
// A model draws from the random stream it is given, and never less than zero: what a distribution has below zero is
// zero, as in netem.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "simcore/kernel/random.h"
#include "simcore/link/segment_view.h"
#include "simcore/units/time.h"

namespace simcore {

template <class Model>
class OptionFamily;

using DelayModel = std::function<Duration(RandomStream&, const SegmentView&)>;

// All of these throw ConfigError when a value is out of its range.
DelayModel constant_delay(Duration delay);              // >= 0
DelayModel uniform_delay(Duration low, Duration high);  // in [low, high); low <= high, low may be negative
DelayModel normal_delay(Duration mean, Duration deviation, Duration least = Duration::zero());
DelayModel exponential_delay(Duration least,
                             Duration mean_above);  // least + exponential(mean_above), which is > 0

// By the inverse of the distribution function: quantiles[i] is the delay that a share i / (n - 1) of the segments stays
// below; linear in between. At least two, not negative, not decreasing.
DelayModel table_delay(std::vector<Duration> quantiles);

// One after the other, and from the start again. At least one, not negative.
DelayModel trace_delay(std::vector<Duration> delays);

// Reordering as netem's `reorder PROBABILITY gap GAP`: of each `gap` segments the last goes at once with the
// probability given, and all others take the time of `others`. gap >= 1.
DelayModel reordering(DelayModel others, double probability, std::int64_t gap);

// All of them but reordering, by their names.
const OptionFamily<DelayModel>& delay_models();

}  // namespace simcore

// SPDX-License-Identifier: MIT
//
// OpportunityTrace: the instants at which a recorded link could send one frame, as mahimahi's trace files say them:
// one line per opportunity, its time in milliseconds from the start, in decimal digits. Equal lines are several
// opportunities in one millisecond. After the last one the trace starts again: it lasts as long as its last line says.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "simcore/units/time.h"

namespace simcore {

class OpportunityTrace {
 public:
  // Reads the text of a trace file; `name` stands for it in errors. Throws ConfigError, with the number of the line,
  // when a line is not such a number, is below the one before it or above a year, when there is none, or the last is 0.
  static OpportunityTrace parse(std::string_view text, const std::string& name);

  bool operator==(const OpportunityTrace&) const = default;

  // The instant of an opportunity, counted from 0 over all repetitions.
  SimTime time_of(std::uint64_t number) const;

  // The first opportunity that is not before `time`. Precondition: time >= 0.
  std::uint64_t first_at_or_after(SimTime time) const;

  std::size_t size() const { return milliseconds_.size(); }  // opportunities in one repetition
  Duration period() const { return Duration::ms(milliseconds_.back()); }

 private:
  explicit OpportunityTrace(std::vector<std::int64_t> milliseconds)
      : milliseconds_(std::move(milliseconds)) {}

  std::vector<std::int64_t> milliseconds_;  // not decreasing, the last one positive
};

}  // namespace simcore

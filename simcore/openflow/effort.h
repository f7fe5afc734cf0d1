// SPDX-License-Identifier: MIT
//
// Effort: how much a turn of the loop may still do for controllers, in units of about 10 ns. What takes longer, such as a
// walk over a million flows, is done in parts, turn by turn, and the instance keeps time meanwhile.
#pragma once

#include <cstddef>
#include <cstdint>

namespace simcore::openflow {

class Effort {
 public:
  explicit Effort(std::int64_t units) : left_(units) {}

  void spend(std::size_t units) { left_ -= static_cast<std::int64_t>(units); }
  bool spent() const { return left_ <= 0; }

 private:
  std::int64_t left_;
};

inline constexpr std::int64_t kEffortAtOnce = 10'000;
inline constexpr std::size_t kMessageEffort = 50;
inline constexpr std::size_t kLookEffort = 5;      // at one flow
inline constexpr std::size_t kRemovalEffort = 50;  // of one flow

}  // namespace simcore::openflow

// SPDX-License-Identifier: MIT
//
// PollWindow: for how long after a frame a loop looks for the next one before it sleeps. It doubles when one came within
// it and halves when none did, as a kernel's halt polling does: answers to answers are waited for, a lone frame is not.
#pragma once

#include <algorithm>

#include "simcore/units/time.h"

namespace simcore {

class PollWindow {
 public:
  static constexpr Duration kLeast = Duration::us(50);
  static constexpr Duration kMost = Duration::us(200);

  Duration length() const { return length_; }
  void found() { length_ = std::min(length_ * 2, kMost); }
  void missed() { length_ = std::max(length_ / 2, kLeast); }

 private:
  Duration length_ = kLeast;
};

}  // namespace simcore

// SPDX-License-Identifier: MIT
//
// Call: an event that does what it was told, for tests.
#pragma once

#include <functional>
#include <utility>

#include "simcore/kernel/event.h"

namespace simcore {

class Call final : public Event {
 public:
  explicit Call(std::function<void()> action) : action_(std::move(action)) {}

 private:
  void fire() override { action_(); }

  std::function<void()> action_;
};

}  // namespace simcore

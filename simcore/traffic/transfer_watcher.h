// SPDX-License-Identifier: MIT
//
// TransferWatcher: hears when transfers begin and end, and says how much time is left out of their simulation.
#pragma once

#include <cstddef>

#include "simcore/units/time.h"

namespace simcore {

class TransferWatcher {
 public:
  // The simulation's clock has not counted so much of what has passed; instants are told with it added.
  virtual Duration left_out() const = 0;
  // The transfer with that number asks now.
  virtual void transfer_began(std::size_t number) = 0;
  // It has all its bytes, or its connection is gone. May come twice.
  virtual void transfer_ended(std::size_t number) = 0;

 protected:
  ~TransferWatcher() = default;
};

}  // namespace simcore

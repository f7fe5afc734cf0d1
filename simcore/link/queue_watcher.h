// SPDX-License-Identifier: MIT
//
// QueueWatcher: is told of every segment that waits in a queue, how long, and beside how many. A link without one pays
// nothing but asking whether there is one.
#pragma once

#include <cstdint>

#include "simcore/units/time.h"

namespace simcore {

class QueueWatcher {
 public:
  virtual ~QueueWatcher() = default;

  // `segments` waited for `sojourn` until the transmitter was free for them. `others` were in the queue: in front of a Link
  // when they came, in front of a ServedLink when they left.
  virtual void waited(Duration sojourn, std::int64_t others, std::uint32_t segments) = 0;
};

}  // namespace simcore

// SPDX-License-Identifier: MIT
//
// Pollable: something with a file descriptor that a run loop watches: a portal.
#pragma once

namespace simcore {

class Pollable {
 public:
  // Watched for reading. Stays the same for the life of the object.
  virtual int fd() const = 0;

  // Takes in a bounded number of frames without blocking, and hands them on at once. True when
  // more may be waiting.
  virtual bool poll() = 0;

  // Sends what was batched since the last flush, without blocking. True when something is left that the
  // kernel did not take; the loop then calls again soon.
  virtual bool flush() = 0;

  // False: the loop moves the simulation's clock to now before poll(), as far as pending events allow.
  // True: poll() knows when each frame arrived and moves the clock there itself, with RunLoop::advance().
  virtual bool stamps_arrivals() const { return false; }

 protected:
  ~Pollable() = default;
};

}  // namespace simcore

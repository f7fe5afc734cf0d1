// SPDX-License-Identifier: MIT
//
// Pollable: something with a file descriptor that a run loop watches: a portal.
#pragma once

#include <cstddef>

namespace simcore {

class Pollable {
 public:
  struct Flushed {
    std::size_t frames = 0;  // sent, a train is one
    bool left = false;       // there is something that the kernel did not take
  };

  // Watched for reading. Stays the same for the life of the object.
  virtual int fd() const = 0;

  // Takes in a bounded number of frames without blocking, and hands them on at once. Says how many they were.
  virtual std::size_t poll() = 0;

  // Sends what was batched since the last flush, without blocking. When something is left the loop calls again soon.
  virtual Flushed flush() = 0;

  // False: the loop moves the simulation's clock to now before poll(), as far as pending events allow.
  // True: poll() knows when each frame arrived and moves the clock there itself, with RunLoop::advance().
  virtual bool stamps_arrivals() const { return false; }

 protected:
  ~Pollable() = default;
};

}  // namespace simcore

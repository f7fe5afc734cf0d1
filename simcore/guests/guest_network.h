// SPDX-License-Identifier: MIT
//
// GuestNetwork: several kernels of Linux in one simulated time, joined by a simulated switch:
//
//   kernel 0 -- card ======== delay ======== |
//   kernel 1 -- card ======== delay ======== | switch
//   kernel 2 -- card ======== delay ======== |
//
// Each kernel is a partition of a parallel simulation, and so is the switch: whatever a kernel does is felt by another after
// twice the delay at the earliest, and that long all of them run at once. What each of them sees, and when, is the same on
// one processor and on many.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "simcore/guests/guest.h"
#include "simcore/parallel/parallel_simulation.h"

namespace simcore {

class GuestNetwork {
 public:
  struct Machine {
    std::string name;
    GuestKernel::Sockets sockets;
  };

  // `delay`: of each cable, in one direction. Throws ConfigError: no machine, too many, or no delay.
  GuestNetwork(std::uint64_t seed, std::vector<Machine> machines, Duration delay, std::int64_t epoch_ns);

  GuestNetwork(const GuestNetwork&) = delete;
  GuestNetwork& operator=(const GuestNetwork&) = delete;
  ~GuestNetwork();

  Guest& guest(std::size_t number) { return *guests_.at(number); }

  // Until the first kernel has ended. Its processes have been told to `guest(n).kernel().started()`. Throws
  // EnvironmentError: another one has ended, or all of them wait for ever.
  void run();

 private:
  class Watched;

  ParallelSimulation simulation_;
  std::vector<std::unique_ptr<Guest>> guests_;
  std::vector<std::unique_ptr<Watched>> watched_;
};

}  // namespace simcore

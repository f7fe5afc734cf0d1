// SPDX-License-Identifier: MIT
//
// FifoThread: the calling thread under SCHED_FIFO, where that is allowed, with pauses in which it is an ordinary one, so
// that the kernel does not stop it (FifoBudget).
//
// Made and used by the thread that it is about.
#pragma once

#include <cstdint>
#include <optional>

#include "simcore/realtime/fifo_budget.h"

namespace simcore {

class FifoThread {
 public:
  // From now on this thread has `priority`, 1 to 99. Throws SystemError.
  explicit FifoThread(int priority);

  bool refused() const { return refused_; }  // this process may not
  bool active() const { return active_; }    // now
  std::uint64_t pauses() const { return pauses_; }

  // To be called again and again, at `now_ns` of CLOCK_MONOTONIC: begins a pause or ends it when it is time to. Says
  // whether it did. Throws SystemError.
  bool keep(std::int64_t now_ns) { return budget_ && budget_->due(now_ns) && look(now_ns); }

 private:
  bool look(std::int64_t now_ns);

  int priority_;
  bool active_;
  bool refused_;
  std::uint64_t pauses_ = 0;
  std::optional<FifoBudget>
      budget_;  // none: refused, or the kernel lets real-time threads have all of a core
};

}  // namespace simcore

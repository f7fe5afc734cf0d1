// SPDX-License-Identifier: MIT
//
// JobQueue: jobs that wait, and which of them is served next: first come first served, last come first served, or by
// priority (0 first, first come first served within one).
#pragma once

#include <array>
#include <cstddef>

#include "simcore/queueing/job.h"

namespace simcore {

enum class Discipline { fifo, lifo, priority };

class JobQueue {
 public:
  static constexpr std::size_t kPriorities = 16;  // a higher number waits with the last

  explicit JobQueue(Discipline discipline) : discipline_(discipline) {}
  JobQueue(const JobQueue&) = delete;
  JobQueue& operator=(const JobQueue&) = delete;
  ~JobQueue();

  void push(JobPtr job);
  // The next to be served. Precondition: not empty.
  JobPtr pop();

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }

 private:
  struct List {
    Job* first = nullptr;
    Job* last = nullptr;
  };

  Discipline discipline_;
  std::array<List, kPriorities> lists_;  // all but `priority` use the first only
  std::size_t size_ = 0;
};

}  // namespace simcore

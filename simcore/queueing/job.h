// SPDX-License-Identifier: MIT
//
// Job: what a queueing model serves. Jobs come from a pool and go back to it, so a run in its steady state allocates
// nothing. Exactly one JobPtr owns a job; pool and jobs belong to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>

#include "simcore/units/time.h"

namespace simcore {

class JobPool;

struct Job {
  std::uint64_t number = 0;           // of its source, from 0
  std::uint32_t priority = 0;         // 0 is served first
  SimTime created = SimTime::zero();  // when it left its source
  SimTime arrived = SimTime::zero();  // at the station where it is
  SimTime started = SimTime::zero();  // its service, there
  Job* next = nullptr;                // in the list that holds it
  JobPool* pool = nullptr;
};

struct JobRecycler {
  void operator()(Job* job) const;
};
using JobPtr = std::unique_ptr<Job, JobRecycler>;

class JobPool {
 public:
  JobPool() = default;
  JobPool(const JobPool&) = delete;
  JobPool& operator=(const JobPool&) = delete;
  ~JobPool();

  JobPtr make();

  std::size_t in_use() const { return in_use_; }
  std::size_t made() const { return jobs_.size(); }  // memory: the most that were out together

 private:
  friend struct JobRecycler;

  std::deque<Job> jobs_;
  Job* free_ = nullptr;
  std::size_t in_use_ = 0;
};

// Whoever takes jobs. The giver keeps nothing.
class JobSink {
 public:
  virtual void accept(JobPtr job) = 0;

 protected:
  ~JobSink() = default;
};

}  // namespace simcore

// SPDX-License-Identifier: MIT
#include "simcore/queueing/job.h"

#include <cassert>

namespace simcore {

void JobRecycler::operator()(Job* job) const {
  JobPool& pool = *job->pool;
  job->next = pool.free_;
  pool.free_ = job;
  --pool.in_use_;
}

JobPool::~JobPool() { assert(in_use_ == 0); }

JobPtr JobPool::make() {
  ++in_use_;
  if (free_ == nullptr) {
    Job& job = jobs_.emplace_back();
    job.pool = this;
    return JobPtr(&job);
  }
  Job* const job = free_;
  free_ = job->next;
  *job = Job{};
  job->pool = this;
  return JobPtr(job);
}

}  // namespace simcore

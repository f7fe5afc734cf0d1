// SPDX-License-Identifier: MIT
#include "simcore/queueing/job_queue.h"

#include <algorithm>

namespace simcore {

JobQueue::~JobQueue() {
  while (!empty()) pop();
}

void JobQueue::push(JobPtr job) {
  const std::size_t wanted = discipline_ == Discipline::priority ? job->priority : 0;
  List& list = lists_[std::min(wanted, kPriorities - 1)];
  Job* const added = job.release();
  ++size_;
  if (discipline_ == Discipline::lifo) {
    added->next = list.first;
    list.first = added;
    return;
  }
  added->next = nullptr;
  (list.first == nullptr ? list.first : list.last->next) = added;
  list.last = added;
}

JobPtr JobQueue::pop() {
  std::size_t at = 0;
  while (lists_[at].first == nullptr) ++at;
  Job* const job = lists_[at].first;
  lists_[at].first = job->next;
  --size_;
  return JobPtr(job);
}

}  // namespace simcore

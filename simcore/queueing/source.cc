// SPDX-License-Identifier: MIT
#include "simcore/queueing/source.h"

#include <utility>

namespace simcore {

Source::Source(Simulation& simulation, JobPool& pool, std::string_view name, Distribution interval,
               std::uint64_t limit, JobSink& sink)
    : simulation_(simulation),
      pool_(pool),
      random_(simulation.stream(name)),
      interval_(std::move(interval)),
      limit_(limit),
      sink_(sink) {
  if (limit > 0) simulation_.schedule_in(next_, interval_(random_));
}

void Source::make() {
  JobPtr job = pool_.make();
  job->number = made_++;
  job->created = simulation_.now();
  if (made_ < limit_) simulation_.schedule_in(next_, interval_(random_));
  sink_.accept(std::move(job));
}

Population::Population(Simulation& simulation, JobPool& pool, std::string_view name, Distribution thinking,
                       std::size_t customers, JobSink& sink)
    : simulation_(simulation),
      pool_(pool),
      random_(simulation.stream(name)),
      thinking_(std::move(thinking)),
      sink_(sink) {
  for (std::size_t i = 0; i < customers; ++i) {
    customers_.push_back(std::make_unique<Customer>(*this));
    simulation_.schedule_in(*customers_.back(), thinking_(random_));
  }
}

void Population::accept(JobPtr job) {
  job.reset();
  Customer& customer = *idle_;
  idle_ = customer.next_idle;
  simulation_.schedule_in(customer, thinking_(random_));
}

void Population::send(Customer& customer) {
  customer.next_idle = idle_;
  idle_ = &customer;
  JobPtr job = pool_.make();
  job->number = made_++;
  job->created = simulation_.now();
  sink_.accept(std::move(job));
}

}  // namespace simcore

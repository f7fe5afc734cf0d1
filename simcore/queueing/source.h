// SPDX-License-Identifier: MIT
//
// Sources of jobs.
//
//   Source      an endless population: intervals between jobs are drawn, whatever becomes of the jobs
//   Population  a finite one: every customer waits a drawn time, becomes a job, and starts again when the job returns
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "simcore/kernel/simulation.h"
#include "simcore/queueing/distribution.h"
#include "simcore/queueing/job.h"

namespace simcore {

class Source {
 public:
  // Stops after `limit` jobs. `name` names its random stream. Simulation, pool and sink must outlive it.
  Source(Simulation& simulation, JobPool& pool, std::string_view name, Distribution interval,
         std::uint64_t limit, JobSink& sink);

  std::uint64_t made() const { return made_; }

 private:
  void make();

  Simulation& simulation_;
  JobPool& pool_;
  RandomStream random_;
  Distribution interval_;
  std::uint64_t limit_;
  JobSink& sink_;
  std::uint64_t made_ = 0;
  EventFor<Source, &Source::make> next_{*this};
};

class Population final : public JobSink {
 public:
  // `customers` of them, each thinking for a time drawn from `thinking`. Others as of Source.
  Population(Simulation& simulation, JobPool& pool, std::string_view name, Distribution thinking,
             std::size_t customers, JobSink& sink);

  // A job returns: its customer starts to think.
  void accept(JobPtr job) override;

  std::uint64_t made() const { return made_; }

 private:
  class Customer final : public Event {
   public:
    explicit Customer(Population& population) : population_(population) {}
    Customer* next_idle = nullptr;

   private:
    void fire() override { population_.send(*this); }
    Population& population_;
  };

  void send(Customer& customer);

  Simulation& simulation_;
  JobPool& pool_;
  RandomStream random_;
  Distribution thinking_;
  JobSink& sink_;
  std::vector<std::unique_ptr<Customer>> customers_;
  Customer* idle_ = nullptr;  // those whose job is out
  std::uint64_t made_ = 0;
};

}  // namespace simcore

// SPDX-License-Identifier: MIT
//
// Departures: where jobs leave the model. Counts them and their time in it, and gives them back to their pool.
#pragma once

#include "simcore/kernel/simulation.h"
#include "simcore/queueing/job.h"
#include "simcore/stats/running_stats.h"

namespace simcore {

class Departures final : public JobSink {
 public:
  explicit Departures(const Simulation& simulation) : simulation_(simulation) {}

  void accept(JobPtr job) override { in_model_.add((simulation_.now() - job->created).in_seconds()); }

  const RunningStats& in_model() const { return in_model_; }  // seconds since each job was created

 private:
  const Simulation& simulation_;
  RunningStats in_model_;
};

}  // namespace simcore

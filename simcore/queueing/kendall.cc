// SPDX-License-Identifier: MIT
#include "simcore/queueing/kendall.h"

#include <utility>

#include "simcore/kernel/simulation.h"
#include "simcore/queueing/departures.h"
#include "simcore/queueing/source.h"
#include "simcore/queueing/station.h"
#include "simcore/units/error.h"

namespace simcore {

namespace {

constexpr std::size_t kLevels = 64;

// Gives jobs to a sink that is made later than whoever holds this.
class LaterSink final : public JobSink {
 public:
  void accept(JobPtr job) override { sink->accept(std::move(job)); }
  JobSink* sink = nullptr;
};

// Notes how long each job was in the system, and hands it on.
class Recorder final : public JobSink {
 public:
  Recorder(const Simulation& simulation, OutputVector* responses, JobSink& sink)
      : simulation_(simulation), responses_(responses), sink_(sink) {}

  void accept(JobPtr job) override {
    const SimTime now = simulation_.now();
    if (responses_ != nullptr) responses_->record(now, {(now - job->created).in_seconds()});
    sink_.accept(std::move(job));
  }

 private:
  const Simulation& simulation_;
  OutputVector* responses_;
  JobSink& sink_;
};

KendallResult result_of(Simulation& simulation, Station& station) {
  KendallResult result;
  result.response = station.response();
  result.waiting = station.waiting();
  result.arrived = station.arrived();
  result.lost = station.lost();
  const TimeWeighted& jobs = station.jobs();
  result.mean_jobs = jobs.mean();
  for (std::size_t n = 0; n <= kLevels; ++n) result.share_of_time.push_back(jobs.share(n));
  result.seconds = simulation.now().in_seconds();
  return result;
}

}  // namespace

KendallResult run_kendall(const Kendall& system, std::uint64_t jobs, std::uint64_t seed,
                          OutputVector* responses) {
  if (!system.arrivals) throw ConfigError("run queueing system: no arrivals; give a distribution");
  Simulation simulation(seed);
  JobPool pool;
  const Station::Config config{.service = system.service,
                               .servers = system.servers,
                               .capacity = system.capacity.value_or(Station::kUnlimited),
                               .discipline = system.discipline,
                               .observed_levels = kLevels};
  if (!system.population) {
    Departures departures(simulation);
    Recorder recorder(simulation, responses, departures);
    Station station(simulation, "service", config, recorder);
    Source source(simulation, pool, "arrivals", system.arrivals, jobs, station);
    while (simulation.fire_next(SimTime::never())) {
    }
    return result_of(simulation, station);
  }
  LaterSink home;
  Recorder recorder(simulation, responses, home);
  Station station(simulation, "service", config, recorder, &home);
  Population customers(simulation, pool, "arrivals", system.arrivals, *system.population, station);
  home.sink = &customers;
  while (station.response().count() + station.lost() < jobs && simulation.fire_next(SimTime::never())) {
  }
  return result_of(simulation, station);
}

Results results_of(std::string run, std::uint64_t seed, const KendallResult& result,
                   const OutputVector* responses) {
  const std::string station = "station";
  Results results{.run = std::move(run), .attributes = {{"seed", std::to_string(seed)}}};
  const auto add = [&](std::string name, double value) {
    results.scalars.push_back({station, std::move(name), value});
  };
  add("response:mean", result.response.mean());
  add("response:stddev", result.response.deviation());
  add("waiting:mean", result.waiting.mean());
  add("jobs:timeavg", result.mean_jobs);
  add("arrived", static_cast<double>(result.arrived));
  add("lost", static_cast<double>(result.lost));
  add("served", static_cast<double>(result.response.count()));
  add("simulated:seconds", result.seconds);
  for (std::size_t n = 0; n + 1 < result.share_of_time.size(); ++n) {
    add("jobs:share" + std::to_string(n), result.share_of_time[n]);
  }
  if (responses != nullptr) results.vectors.push_back(*responses);
  return results;
}

}  // namespace simcore

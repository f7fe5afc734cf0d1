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

KendallResult run_kendall(const Kendall& system, std::uint64_t jobs, std::uint64_t seed) {
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
    Station station(simulation, "service", config, departures);
    Source source(simulation, pool, "arrivals", system.arrivals, jobs, station);
    while (simulation.fire_next(SimTime::never())) {
    }
    return result_of(simulation, station);
  }
  LaterSink home;
  Station station(simulation, "service", config, home, &home);
  Population customers(simulation, pool, "arrivals", system.arrivals, *system.population, station);
  home.sink = &customers;
  while (station.response().count() + station.lost() < jobs && simulation.fire_next(SimTime::never())) {
  }
  return result_of(simulation, station);
}

}  // namespace simcore

// SPDX-License-Identifier: MIT
#include "simcore/queueing/station.h"

#include <utility>

#include "simcore/units/error.h"

namespace simcore {

Station::Station(Simulation& simulation, std::string_view name, const Config& config, JobSink& sink,
                 JobSink* lost)
    : simulation_(simulation),
      random_(simulation.stream(name)),
      service_(config.service),
      capacity_(config.capacity),
      sink_(sink),
      lost_(lost),
      queue_(config.discipline),
      jobs_(config.observed_levels) {
  const std::string attempt = "make station " + std::string(name) + ": ";
  if (config.servers < 1) throw ConfigError(attempt + "0 servers; it needs at least 1");
  if (config.capacity < config.servers) {
    throw ConfigError(attempt + "capacity " + std::to_string(config.capacity) + " with " +
                      std::to_string(config.servers) + " servers; it must be at least the number of servers");
  }
  if (!config.service) throw ConfigError(attempt + "no service time; give a distribution");
  for (unsigned i = 0; i < config.servers; ++i) {
    servers_.push_back(std::make_unique<Server>(*this));
    idle_.push_back(servers_.back().get());
  }
}

void Station::accept(JobPtr job) {
  ++arrived_;
  if (jobs_.level() >= capacity_) {
    ++lost_count_;
    if (lost_ != nullptr) lost_->accept(std::move(job));
    return;
  }
  job->arrived = simulation_.now();
  jobs_.set(simulation_.now(), jobs_.level() + 1);
  if (idle_.empty()) return queue_.push(std::move(job));
  Server& server = *idle_.back();
  idle_.pop_back();
  start(server, std::move(job));
}

const TimeWeighted& Station::jobs() {
  jobs_.account(simulation_.now());
  return jobs_;
}

void Station::start(Server& server, JobPtr job) {
  job->started = simulation_.now();
  waiting_.add((job->started - job->arrived).in_seconds());
  server.job = std::move(job);
  simulation_.schedule_in(server, service_(random_));
}

void Station::finish(Server& server) {
  JobPtr job = std::move(server.job);
  response_.add((simulation_.now() - job->arrived).in_seconds());
  jobs_.set(simulation_.now(), jobs_.level() - 1);
  if (queue_.empty()) {
    idle_.push_back(&server);
  } else {
    start(server, queue_.pop());
  }
  sink_.accept(std::move(job));
}

}  // namespace simcore

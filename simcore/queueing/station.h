// SPDX-License-Identifier: MIT
//
// Station: a queue with m servers, A/S/m/B/K/SD without its A and K, which are the source's.
//
//   accept() --> [ waiting, by its discipline ] --> [ m servers ] --> sink.accept()
//
// A job that finds `capacity` jobs here, waiting and in service, is lost: it is counted and goes to `lost`, or back to
// its pool when there is none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "simcore/kernel/simulation.h"
#include "simcore/queueing/distribution.h"
#include "simcore/queueing/job.h"
#include "simcore/queueing/job_queue.h"
#include "simcore/stats/running_stats.h"
#include "simcore/stats/time_weighted.h"

namespace simcore {

class Station final : public JobSink {
 public:
  static constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

  struct Config {
    Distribution service;
    unsigned servers = 1;               // >= 1
    std::size_t capacity = kUnlimited;  // B: jobs here, those in service included; >= servers
    Discipline discipline = Discipline::fifo;
    std::size_t observed_levels = 64;  // of the distribution of the number of jobs here
  };

  // `name` names its random stream. Simulation and sinks must outlive it.
  // Throws ConfigError when there is no server, or room for fewer jobs than servers.
  Station(Simulation& simulation, std::string_view name, const Config& config, JobSink& sink,
          JobSink* lost = nullptr);

  void accept(JobPtr job) override;

  std::uint64_t arrived() const { return arrived_; }
  std::uint64_t lost() const { return lost_count_; }
  const RunningStats& response() const { return response_; }  // seconds from arrival to departure
  const RunningStats& waiting() const { return waiting_; }    // seconds from arrival to the start of service
  // The number of jobs here over time, up to now.
  const TimeWeighted& jobs();

 private:
  class Server final : public Event {
   public:
    explicit Server(Station& station) : station_(station) {}
    JobPtr job;

   private:
    void fire() override { station_.finish(*this); }
    Station& station_;
  };

  void start(Server& server, JobPtr job);
  void finish(Server& server);

  Simulation& simulation_;
  RandomStream random_;
  Distribution service_;
  std::size_t capacity_;
  JobSink& sink_;
  JobSink* lost_;
  JobQueue queue_;
  std::vector<std::unique_ptr<Server>> servers_;
  std::vector<Server*> idle_;
  std::uint64_t arrived_ = 0;
  std::uint64_t lost_count_ = 0;
  RunningStats response_;
  RunningStats waiting_;
  TimeWeighted jobs_;
};

}  // namespace simcore

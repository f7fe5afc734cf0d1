// SPDX-License-Identifier: MIT
//
// The hold model on simcore's kernel and on that of ns-3 with each of its schedulers, in one process and in turns, and
// their ratio; about a minute. Built only with -DSIMCORE_BENCH_NS3=ON, where ns-3 is installed (Debian: libns3-dev).
// Goal: at least 2, 5 and 5 times ns-3's best at 10^3, 10^5 and 10^6 pending events.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/simcore/kernel/hold.h"
#include "benchmarks/simcore/kernel/ns3/ns3_hold.h"
#include "simcore/kernel/simulation.h"

namespace {

using simcore::bench::Increments;

constexpr int kTurns = 3;
constexpr std::size_t kEvents = 500'000;  // measured in each turn
constexpr double kWorthwhile = 0.5;  // of the best rate of the first turn: who is slower has no second turn

double events_per_second(std::size_t events, std::chrono::steady_clock::time_point start) {
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  return static_cast<double>(events) / took.count();
}

class Holder final : public simcore::Event {
 public:
  Holder(simcore::Simulation& simulation, Increments& increments)
      : simulation_(simulation), increments_(increments) {}

 private:
  void fire() override { simulation_.schedule_in(*this, increments_.next()); }

  simcore::Simulation& simulation_;
  Increments& increments_;
};

double simcore_rate(std::size_t pending) {
  Increments increments;
  simcore::Simulation simulation(1);
  std::vector<std::unique_ptr<Holder>> holders;
  for (std::size_t i = 0; i < pending; ++i) {
    holders.push_back(std::make_unique<Holder>(simulation, increments));
    simulation.schedule_in(*holders.back(), increments.next());
  }
  for (std::size_t i = 0; i < pending; ++i) simulation.fire_next(simcore::SimTime::never());
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < kEvents; ++i) simulation.fire_next(simcore::SimTime::never());
  return events_per_second(kEvents, start);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

int main() {
  const std::vector<std::string> schedulers = {"ns3::CalendarScheduler", "ns3::HeapScheduler",
                                               "ns3::MapScheduler", "ns3::PriorityQueueScheduler"};
  const std::vector<std::pair<std::size_t, double>> goals = {{1'000, 2}, {100'000, 5}, {1'000'000, 5}};
  std::vector<std::int64_t> increments;
  for (Increments source; increments.size() < Increments::kCount;)
    increments.push_back(source.next().count_ns());
  bool reached = true;
  for (const auto& [pending, goal] : goals) {
    std::vector<double> ours;
    std::vector<std::vector<double>> theirs(schedulers.size());
    double best_of_first = 0;
    for (int turn = 0; turn < kTurns; ++turn) {
      ours.push_back(simcore_rate(pending));
      for (std::size_t i = 0; i < schedulers.size(); ++i) {
        if (turn > 0 && theirs[i].front() < kWorthwhile * best_of_first) continue;
        theirs[i].push_back(ns3_rate(schedulers[i], pending, kEvents, increments));
      }
      if (turn == 0) {
        for (const auto& rates : theirs) best_of_first = std::max(best_of_first, rates.front());
      }
    }
    double best = 0;
    std::printf("%8zu pending: simcore %6.2f million events/s", pending, median(ours) / 1e6);
    for (std::size_t i = 0; i < schedulers.size(); ++i) {
      best = std::max(best, median(theirs[i]));
      std::printf("  %s %.2f", schedulers[i].c_str() + 5, median(theirs[i]) / 1e6);
    }
    const double ratio = median(ours) / best;
    reached = reached && ratio >= goal;
    std::printf("  ratio to the best %.1f (goal %.0f)\n", ratio, goal);
    std::fflush(stdout);
  }
  return reached ? 0 : 1;
}

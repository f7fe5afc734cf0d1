// SPDX-License-Identifier: MIT
#include "simcore/queueing/station.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "simcore/queueing/departures.h"
#include "simcore/queueing/job.h"
#include "simcore/queueing/job_queue.h"
#include "simcore/queueing/source.h"

namespace simcore {
namespace {

// Writes down which job came when.
class Recorder final : public JobSink {
 public:
  explicit Recorder(const Simulation& simulation) : simulation_(simulation) {}
  void accept(JobPtr job) override { seen.emplace_back(simulation_.now().count_ns(), job->number); }
  std::vector<std::pair<std::int64_t, std::uint64_t>> seen;

 private:
  const Simulation& simulation_;
};

std::vector<std::uint64_t> order(Discipline discipline) {
  JobPool pool;
  JobQueue queue(discipline);
  for (std::uint64_t i = 0; i < 6; ++i) {
    JobPtr job = pool.make();
    job->number = i;
    job->priority = static_cast<std::uint32_t>(2 - i % 3);
    queue.push(std::move(job));
  }
  std::vector<std::uint64_t> numbers;
  while (!queue.empty()) numbers.push_back(queue.pop()->number);
  return numbers;
}

TEST(JobQueue, servesInTheOrderOfItsDiscipline) {
  EXPECT_EQ(order(Discipline::fifo), (std::vector<std::uint64_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(order(Discipline::lifo), (std::vector<std::uint64_t>{5, 4, 3, 2, 1, 0}));
  EXPECT_EQ(order(Discipline::priority), (std::vector<std::uint64_t>{2, 5, 1, 4, 0, 3}));
}

TEST(JobPool, reusesJobsAndCleansThem) {
  JobPool pool;
  for (int i = 0; i < 1'000; ++i) {
    JobPtr job = pool.make();
    EXPECT_EQ(job->priority, 0U);
    job->priority = 3;
  }
  EXPECT_EQ(pool.made(), 1U);
  EXPECT_EQ(pool.in_use(), 0U);
}

// Four jobs a millisecond apart, 2.5 ms of service each.
TEST(Station, serversWorkSideBySide) {
  Simulation sim(1);
  JobPool pool;
  Recorder out(sim);
  Station station(sim, "s", {.service = deterministic(Duration::us(2'500)), .servers = 2}, out);
  Source source(sim, pool, "a", deterministic(Duration::ms(1)), 4, station);
  sim.run_until(SimTime::at_ns(100'000'000));
  EXPECT_EQ(out.seen, (std::vector<std::pair<std::int64_t, std::uint64_t>>{
                          {3'500'000, 0}, {4'500'000, 1}, {6'000'000, 2}, {7'000'000, 3}}));
  EXPECT_NEAR(station.waiting().mean(), (0 + 0 + 0.0005 + 0.0005) / 4, 1e-12);
}

TEST(Station, losesWhatFindsItFull) {
  Simulation sim(1);
  JobPool pool;
  Recorder out(sim);
  Recorder lost(sim);
  Station station(sim, "s", {.service = deterministic(Duration::us(2'500)), .capacity = 2}, out, &lost);
  Source source(sim, pool, "a", deterministic(Duration::ms(1)), 4, station);
  sim.run_until(SimTime::at_ns(100'000'000));
  // Job 0 is served from 1 to 3.5 ms, job 1 waits; job 2 at 3 ms finds both, job 3 at 4 ms finds one.
  EXPECT_EQ(lost.seen, (std::vector<std::pair<std::int64_t, std::uint64_t>>{{3'000'000, 2}}));
  EXPECT_EQ(station.lost(), 1U);
  EXPECT_EQ(out.seen.back(), (std::pair<std::int64_t, std::uint64_t>{8'500'000, 3}));
  EXPECT_EQ(pool.in_use(), 0U);
}

TEST(Station, stationsInARowAreANetwork) {
  Simulation sim(1);
  JobPool pool;
  Departures out(sim);
  Station second(sim, "second", {.service = deterministic(Duration::ms(2))}, out);
  Station first(sim, "first", {.service = deterministic(Duration::ms(1))}, second);
  Source source(sim, pool, "a", deterministic(Duration::ms(10)), 5, first);
  sim.run_until(SimTime::at_ns(1'000'000'000));
  EXPECT_EQ(out.in_model().count(), 5U);
  EXPECT_NEAR(out.in_model().mean(), 0.003, 1e-12);
  EXPECT_NEAR(out.in_model().deviation(), 0.0, 1e-12);
}

TEST(Station, theSteadyStateAllocatesNoJobs) {
  Simulation sim(1);
  JobPool pool;
  Departures out(sim);
  Station station(sim, "s", {.service = exponential(Duration::ms(1)), .capacity = 20}, out);
  Source source(sim, pool, "a", exponential(Duration::ms(1)), 50'000, station);
  sim.run_until(SimTime::zero() + Duration::seconds(100));
  EXPECT_EQ(station.arrived(), 50'000U);
  EXPECT_LE(pool.made(), 21U);
}

}  // namespace
}  // namespace simcore

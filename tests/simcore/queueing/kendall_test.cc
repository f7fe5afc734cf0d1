// SPDX-License-Identifier: MIT
//
// Queueing systems against their closed forms, with fixed seeds. Times in seconds, rates a second.
#include "simcore/queueing/kendall.h"

#include <gtest/gtest.h>

#include <cmath>
#include <thread>
#include <vector>

#include "simcore/stats/confidence.h"
#include "simcore/stats/replications.h"
#include "simcore/units/error.h"

namespace simcore {
namespace {

constexpr double kLambda = 1.0 / 3;
constexpr double kMu = 1.0 / 2;
constexpr double kRho = kLambda / kMu;
constexpr std::uint64_t kJobs = 10'000;
constexpr std::size_t kReplications = 50;

Kendall mm(unsigned servers) {
  return {.arrivals = exponential(Duration::seconds(3)),
          .service = exponential(Duration::seconds(2)),
          .servers = servers};
}

std::vector<KendallResult> replications(const Kendall& system, std::uint64_t jobs = kJobs) {
  return replicate(1, kReplications, 2, [&](std::uint64_t seed) { return run_kendall(system, jobs, seed); });
}

template <class Figure>
RunningStats over(const std::vector<KendallResult>& results, Figure figure) {
  RunningStats stats;
  for (const KendallResult& result : results) stats.add(figure(result));
  return stats;
}

RunningStats mean_responses(const std::vector<KendallResult>& results) {
  return over(results, [](const KendallResult& r) { return r.response.mean(); });
}

TEST(Kendall, mm1RespondsInOneOverMuMinusLambda) {
  const auto results = replications(mm(1));
  const Interval interval = confidence_interval(mean_responses(results));
  const double theory = 1 / (kMu - kLambda);  // 6.0
  EXPECT_TRUE(interval.holds(theory)) << interval.low << " to " << interval.high;
  EXPECT_LT(interval.high - interval.low, 0.05 * theory);
}

TEST(Kendall, mm1HoldsNJobsForOneMinusRhoTimesRhoToTheN) {
  const auto results = replications(mm(1));
  for (std::size_t n = 0; n < 12; ++n) {
    const double share = over(results, [n](const KendallResult& r) { return r.share_of_time[n]; }).mean();
    EXPECT_NEAR(share, (1 - kRho) * std::pow(kRho, static_cast<double>(n)), 0.004) << n;
  }
}

TEST(Kendall, littlesLawHolds) {
  const KendallResult result = run_kendall(mm(1), 100'000, 3);
  const double rate = static_cast<double>(result.arrived) / result.seconds;
  EXPECT_NEAR(result.mean_jobs, rate * result.response.mean(), 1e-6 * result.mean_jobs);
}

TEST(Kendall, mm2WaitsAsErlangsFormulaSays) {
  // Two servers, each of rate mu / 2, so the system is as loaded as M/M/1 above.
  Kendall system = mm(2);
  system.service = exponential(Duration::seconds(4));
  const auto results = replications(system);
  // With rho = lambda / (2 mu'), the mean response of M/M/2 is (1 / mu') / (1 - rho^2).
  const double theory = 4.0 / (1 - kRho * kRho);
  const Interval interval = confidence_interval(mean_responses(results));
  EXPECT_TRUE(interval.holds(theory)) << interval.low << " to " << interval.high << ", theory " << theory;
}

TEST(Kendall, md1WaitsHalfAsLongAsMm1) {
  Kendall system = mm(1);
  system.service = deterministic(Duration::seconds(2));
  const auto results = replications(system);
  // Pollaczek and Khinchine: the wait is rho / (2 mu (1 - rho)).
  const double theory = kRho / (2 * kMu * (1 - kRho));
  const RunningStats waits = over(results, [](const KendallResult& r) { return r.waiting.mean(); });
  EXPECT_TRUE(confidence_interval(waits).holds(theory)) << waits.mean() << ", theory " << theory;
}

TEST(Kendall, mg1WaitsAsPollaczekAndKhinchineSay) {
  Kendall system = mm(1);
  system.service = erlang(4, Duration::seconds(2));  // squared coefficient of variation 1/4
  const auto results = replications(system);
  const double theory = kRho / (kMu * (1 - kRho)) * (1 + 0.25) / 2;
  const RunningStats waits = over(results, [](const KendallResult& r) { return r.waiting.mean(); });
  EXPECT_TRUE(confidence_interval(waits).holds(theory)) << waits.mean() << ", theory " << theory;
}

TEST(Kendall, mm1WithRoomForKLosesTheKthPartOfAGeometricSeries) {
  Kendall system = mm(1);
  system.capacity = 4;
  const auto results = replications(system);
  const double theory = (1 - kRho) * std::pow(kRho, 4) / (1 - std::pow(kRho, 5));
  const RunningStats lost = over(results, [](const KendallResult& r) {
    EXPECT_EQ(r.arrived, r.lost + r.response.count());
    return static_cast<double>(r.lost) / static_cast<double>(r.arrived);
  });
  EXPECT_TRUE(confidence_interval(lost).holds(theory)) << lost.mean() << ", theory " << theory;
}

TEST(Kendall, aFinitePopulationIsTheMachineRepairModel) {
  // Five machines that run for 6 s and are repaired in 2 s by one repairer.
  Kendall system = mm(1);
  system.arrivals = exponential(Duration::seconds(6));
  system.population = 5;
  double weight = 1;
  double sum = 1;
  for (int n = 1; n <= 5; ++n) sum += weight *= (5 - n + 1) * (1.0 / 6) / kMu;
  const auto results = replications(system);
  const RunningStats idle = over(results, [](const KendallResult& r) { return r.share_of_time[0]; });
  EXPECT_TRUE(confidence_interval(idle).holds(1 / sum)) << idle.mean() << ", theory " << 1 / sum;
}

TEST(Kendall, theDisciplineChangesNotTheMeanButTheSpread) {
  Kendall lifo = mm(1);
  lifo.discipline = Discipline::lifo;
  const KendallResult first = run_kendall(mm(1), 100'000, 5);
  const KendallResult last = run_kendall(lifo, 100'000, 5);
  EXPECT_NEAR(first.waiting.mean(), last.waiting.mean(), 0.2 * first.waiting.mean());
  EXPECT_GT(last.waiting.deviation(), 1.5 * first.waiting.deviation());
}

TEST(Kendall, theSameSeedGivesTheSameRun) {
  const KendallResult a = run_kendall(mm(2), 1'000, 9);
  const KendallResult b = run_kendall(mm(2), 1'000, 9);
  EXPECT_EQ(a.response.mean(), b.response.mean());
  EXPECT_EQ(a.share_of_time, b.share_of_time);
  EXPECT_NE(a.response.mean(), run_kendall(mm(2), 1'000, 10).response.mean());
}

TEST(Kendall, recordsTheResponseOfEveryJobThatWasServed) {
  Kendall system = mm(1);
  system.capacity = 3;
  OutputVector responses("station", "response", {"response"});
  const KendallResult result = run_kendall(system, 5'000, 3, &responses);
  ASSERT_EQ(responses.rows(), result.response.count());
  EXPECT_EQ(responses.rows() + result.lost, 5'000U);
  double sum = 0;
  for (std::size_t row = 0; row < responses.rows(); ++row) sum += responses.value(row, 0);
  EXPECT_NEAR(sum / static_cast<double>(responses.rows()), result.response.mean(), 1e-9);
  const Results results = results_of("mm13", 3, result, &responses);
  EXPECT_EQ(results.vectors.size(), 1U);
  EXPECT_EQ(results.scalars.front().value, result.response.mean());
}

TEST(Kendall, refusesASystemThatMakesNoSense) {
  Kendall system = mm(2);
  system.capacity = 1;
  EXPECT_THROW(run_kendall(system, 10, 1), ConfigError);
  EXPECT_THROW(run_kendall(mm(0), 10, 1), ConfigError);
  EXPECT_THROW(run_kendall({.arrivals = nullptr, .service = deterministic(Duration::ms(1))}, 10, 1),
               ConfigError);
  EXPECT_THROW(run_kendall({.arrivals = deterministic(Duration::ms(1)), .service = nullptr}, 10, 1),
               ConfigError);
}

}  // namespace
}  // namespace simcore

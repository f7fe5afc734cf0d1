// SPDX-License-Identifier: MIT
#include "simcore/stats/batch_means.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "simcore/kernel/random.h"
#include "simcore/stats/confidence.h"

namespace simcore {
namespace {

TEST(BatchMeansTest, equal_batches_leave_no_doubt) {
  const std::array<double, 4> batches = {7, 7, 7, 7};
  const BatchMeans means = batch_means(batches, 0.999);
  EXPECT_EQ(means.mean, 7);
  EXPECT_EQ(means.half_width, 0);
  EXPECT_EQ(means.drift, 0);
}

TEST(BatchMeansTest, the_interval_is_students_where_batches_alternate) {
  // Their first autocorrelation is below 0, so it changes nothing. Variance: 6 * 1 / 5.
  const std::array<double, 6> batches = {9, 11, 9, 11, 9, 11};
  const BatchMeans means = batch_means(batches, 0.95);
  EXPECT_EQ(means.mean, 10);
  EXPECT_DOUBLE_EQ(means.half_width, student_t_quantile(0.975, 5) * std::sqrt(6.0 / 5 / 6));
  EXPECT_NEAR(means.drift, 2.0 / 3, 1e-12);  // (11 + 9 + 11) / 3 less (9 + 11 + 9) / 3
}

TEST(BatchMeansTest, batches_that_depend_on_each_other_widen_it) {
  // Distances -1 -1 -1 1 1 1, so that their products with the next are 1 1 -1 1 1: r = 3 / 6.
  const std::array<double, 6> batches = {9, 9, 9, 11, 11, 11};
  const BatchMeans means = batch_means(batches, 0.95);
  const double independent = student_t_quantile(0.975, 5) * std::sqrt(6.0 / 5 / 6);
  EXPECT_DOUBLE_EQ(means.half_width, independent * std::sqrt((1 + 0.5) / (1 - 0.5)));
  EXPECT_EQ(means.drift, 2);
}

TEST(BatchMeansTest, batches_that_only_drift_say_nothing) {
  std::array<double, 200> batches;
  for (std::size_t place = 0; place < batches.size(); ++place) batches[place] = static_cast<double>(place);
  EXPECT_TRUE(std::isinf(batch_means(batches, 0.95).half_width));
}

TEST(BatchMeansTest, it_holds_the_true_mean_as_often_as_it_says) {
  // Of 2,000 runs of 16 independent batches, 95 % within four deviations of a binomial: 0.95 +- 4 * 0.0049. The correction
  // only widens.
  RandomStream random(1, "batches");
  int held = 0;
  for (int run = 0; run < 2'000; ++run) {
    std::array<double, 16> batches;
    for (double& batch : batches) {
      batch = 0;
      for (int one = 0; one < 12; ++one) batch += random.uniform();
    }
    const BatchMeans means = batch_means(batches, 0.95);
    held += std::abs(means.mean - 6) <= means.half_width ? 1 : 0;
  }
  EXPECT_GT(held / 2'000.0, 0.95 - 4 * 0.0049);
}

}  // namespace
}  // namespace simcore

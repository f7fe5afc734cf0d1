// SPDX-License-Identifier: MIT
#include "simcore/stats/confidence.h"

#include <cmath>
#include <string>

#include "simcore/units/error.h"

namespace simcore {

namespace {

// The logarithm of the gamma function; std::lgamma writes a global, and replications run in threads.
double log_gamma(double x) {
  int sign = 0;
  return lgamma_r(x, &sign);
}

// The continued fraction of the incomplete beta function, evaluated by Lentz's method (DLMF 8.17.22).
// It converges fast for x < (a + 1) / (a + b + 2).
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  constexpr double kEnough = 1e-15;
  constexpr int kMostTerms = 500;
  const auto away_from_zero = [](double v) { return std::abs(v) < kTiny ? kTiny : v; };
  double c = 1;
  double d = 1 / away_from_zero(1 - (a + b) * x / (a + 1));
  double value = d;
  for (int m = 1; m < kMostTerms; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away_from_zero(1 + even * d);
    c = away_from_zero(1 + even / c);
    value *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away_from_zero(1 + odd * d);
    c = away_from_zero(1 + odd / c);
    value *= d * c;
    if (std::abs(d * c - 1) < kEnough) break;
  }
  return value;
}

// The regularized incomplete beta function.
double beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double log_front =
      a * std::log(x) + b * std::log1p(-x) + log_gamma(a + b) - log_gamma(a) - log_gamma(b);
  if (x > (a + 1) / (a + b + 2)) return 1 - std::exp(log_front) * beta_fraction(b, a, 1 - x) / b;
  return std::exp(log_front) * beta_fraction(a, b, x) / a;
}

}  // namespace

double student_t_cdf(double t, std::uint64_t degrees) {
  const auto n = static_cast<double>(degrees);
  if (t * t < n) {  // around the middle n / (n + t * t) would round to 1
    const double half = beta(0.5, n / 2, t * t / (n + t * t)) / 2;
    return t > 0 ? 0.5 + half : 0.5 - half;
  }
  const double tail = beta(n / 2, 0.5, n / (n + t * t)) / 2;
  return t > 0 ? 1 - tail : tail;
}

double student_t_quantile(double p, std::uint64_t degrees) {
  double low = -1;
  double high = 1;
  while (student_t_cdf(low, degrees) > p) low *= 2;
  while (student_t_cdf(high, degrees) < p) high *= 2;
  for (int step = 0; step < 200 && high - low > 1e-13 * std::abs(high); ++step) {
    const double middle = (low + high) / 2;
    (student_t_cdf(middle, degrees) < p ? low : high) = middle;
  }
  return (low + high) / 2;
}

Interval confidence_interval(const RunningStats& replications, double level) {
  if (replications.count() < 2) {
    throw ConfigError("confidence interval over " + std::to_string(replications.count()) +
                      " replications: at least 2 are needed");
  }
  if (!(level > 0 && level < 1)) {
    throw ConfigError("confidence interval at level " + std::to_string(level) +
                      ": it must lie between 0 and 1");
  }
  const double t = student_t_quantile((1 + level) / 2, replications.count() - 1);
  const double half = t * replications.deviation() / std::sqrt(static_cast<double>(replications.count()));
  return {replications.mean() - half, replications.mean() + half};
}

}  // namespace simcore

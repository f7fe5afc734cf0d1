// SPDX-License-Identifier: MIT
//
// RandomStream: a named, seeded stream of random numbers.
//
// Each model draws from a stream of its own, so adding one model never changes what another draws. The generator is
// xoshiro256** (Blackman and Vigna, "Scrambled Linear Pseudorandom Number Generators", 2018), its state filled from the
// seed and a hash of the name by splitmix64. It also serves as a standard uniform random bit generator.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>

namespace simcore {

class RandomStream {
 public:
  using result_type = std::uint64_t;

  RandomStream(std::uint64_t seed, std::string_view name);

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }
  result_type operator()();

  // Uniform in [0, 1), with 53 random bits.
  double uniform();
  // Exponential with the given mean. Precondition: mean > 0.
  double exponential(double mean);
  // Normal (Box-Muller, one value a call). Precondition: deviation >= 0.
  double normal(double mean, double deviation);
  // True with the given probability; 0 is never, 1 is always.
  bool bernoulli(double probability) { return uniform() < probability; }

 private:
  std::array<std::uint64_t, 4> state_;
};

}  // namespace simcore

// SPDX-License-Identifier: MIT
#include "simcore/kernel/random.h"

#include <bit>
#include <cmath>
#include <numbers>

namespace simcore {

namespace {

// FNV-1a, 64 bits: enough to tell names apart, and the same on every machine.
std::uint64_t hash(std::string_view text) {
  std::uint64_t value = 0xcbf29ce484222325U;
  for (const char c : text) {
    value ^= static_cast<unsigned char>(c);
    value *= 0x100000001b3U;
  }
  return value;
}

std::uint64_t splitmix64(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15U;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

}  // namespace

RandomStream::RandomStream(std::uint64_t seed, std::string_view name) : state_{} {
  std::uint64_t filler = seed ^ std::rotl(hash(name), 17);
  for (std::uint64_t& word : state_) word = splitmix64(filler);
}

RandomStream::result_type RandomStream::operator()() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

double RandomStream::uniform() { return static_cast<double>((*this)() >> 11) * 0x1.0p-53; }

double RandomStream::exponential(double mean) { return -mean * std::log1p(-uniform()); }

double RandomStream::normal(double mean, double deviation) {
  const double radius = std::sqrt(-2.0 * std::log1p(-uniform()));
  return mean + deviation * radius * std::cos(2.0 * std::numbers::pi * uniform());
}

}  // namespace simcore

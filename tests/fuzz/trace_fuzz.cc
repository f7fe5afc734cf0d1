// SPDX-License-Identifier: MIT
//
// Mahimahi trace files. Whatever is taken gives opportunities that do not go back, over several repetitions, and finds
// each again at its own time; everything else is refused with a ConfigError.
#include <cstdlib>
#include <string>

#include "simcore/link/opportunity_trace.h"
#include "simcore/units/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace simcore;
  try {
    const auto trace = OpportunityTrace::parse({reinterpret_cast<const char*>(data), size}, "fuzzed");
    SimTime before = SimTime::zero();
    for (std::uint64_t number = 0; number < 3 * trace.size(); ++number) {
      const SimTime at = trace.time_of(number);
      const std::uint64_t found = trace.first_at_or_after(at);
      if (at < before || found > number || trace.time_of(found) < at) std::abort();
      before = at;
    }
  } catch (const ConfigError&) {
    return 0;
  }
  return 0;
}

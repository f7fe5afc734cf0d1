// SPDX-License-Identifier: MIT
//
// What one packet costs on one core, through the very classes that `hybridnet wire` uses: accepted from a buffer
// (copied in), stamped, stored in the link's delay line, released by its event, copied out. Also without the copies, and
// beside the limit, the bare loop that does the two copies through as much memory. `hybridnet reproduce tlem` measures
// the same code.
//
// Unit: time per packet. Goals: 64 bytes: 30 ns with no delay and with 25 MB in flight; 1,500 bytes: 200 and 300 ns.
// (TLEM, Rizzo and Lettieri 2016, on two cores: 44 and 54 ns, without copies 30 and 35 ns; 250 and 400 ns.)
#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>

#include "simcore/instance/link_pipeline.h"

namespace simcore::bench {
namespace {

constexpr std::uint64_t kBatch = 64;  // packets between two looks at the clock
constexpr std::int64_t kInFlight = 25 << 20;

void count_packets(benchmark::State& state) {
  const double packets = static_cast<double>(state.iterations()) * static_cast<double>(kBatch);
  state.counters["per_packet"] =
      benchmark::Counter(packets, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void link_pipeline(benchmark::State& state) {
  LinkPipeline pipeline({.frame_bytes = static_cast<std::size_t>(state.range(0)),
                         .bytes_in_flight = static_cast<std::size_t>(state.range(1)),
                         .copies = state.range(2) != 0});
  for (auto _ : state) pipeline.run(kBatch);
  if (pipeline.dropped() != 0) state.SkipWithError("packets were dropped");
  count_packets(state);
}

void two_copies(benchmark::State& state) {
  TwoCopies copies(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)));
  for (auto _ : state) copies.run(kBatch);
  count_packets(state);
}

BENCHMARK(link_pipeline)
    ->ArgNames({"bytes", "in_flight", "copies"})
    ->ArgsProduct({{64, 1'500}, {0, kInFlight}, {1, 0}});
BENCHMARK(two_copies)->ArgNames({"bytes", "in_flight"})->ArgsProduct({{64, 1'500}, {0, kInFlight}});

}  // namespace
}  // namespace simcore::bench

BENCHMARK_MAIN();

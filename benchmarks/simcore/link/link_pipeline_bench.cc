// SPDX-License-Identifier: MIT
//
// What one packet costs on one core, through the very classes that `hybridnet wire` uses: accepted from a buffer
// (copied in), stamped, stored in the link's delay line, released by its event, copied out.
//
// Unit: time per packet. Goals: 64 bytes: 30 ns with no delay and with 25 MB in flight; 1,500 bytes: 200 and 300 ns.
// (TLEM, Rizzo and Lettieri 2016, on two cores: 44 and 54 ns; 250 and 400 ns.) Beside it, as the limit, the bare loop
// that does the two copies through as much memory.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "simcore/kernel/simulation.h"
#include "simcore/link/link.h"
#include "simcore/wire/packet_pool.h"

namespace simcore::bench {
namespace {

constexpr std::size_t kBatch = 64;           // frames that a portal takes in one turn
constexpr std::size_t kBuffers = 1'024;      // of a capture ring
constexpr std::size_t kInFlight = 25 << 20;  // bytes in the delay line

// Frames where a portal would find them, and where it would put them.
class Buffers {
 public:
  explicit Buffers(std::size_t size) : size_(size), bytes_(kBuffers * size, 0x5a) {}

  std::uint8_t* next() { return bytes_.data() + size_ * (index_++ % kBuffers); }

 private:
  std::size_t size_;
  std::size_t index_ = 0;
  std::vector<std::uint8_t> bytes_;
};

class CopyOut final : public PacketSink {
 public:
  explicit CopyOut(std::size_t size) : buffers_(size) {}

  void accept(PacketPtr packet) override {
    std::memcpy(buffers_.next(), packet->bytes().data(), packet->size());
    ++packets;
  }

  std::uint64_t packets = 0;

 private:
  Buffers buffers_;
};

void link_pipeline(benchmark::State& state) {
  const auto size = static_cast<std::size_t>(state.range(0));
  const auto in_flight = static_cast<std::int64_t>(state.range(1)) / state.range(0);
  const DataRate rate = DataRate::gbps(100);
  const Duration interval = serialization(ByteCount::bytes(state.range(0)), rate);

  Simulation simulation(1);
  PacketPool pool;
  CopyOut out(size);
  Link link(simulation, pool, "pipeline", {.rate = rate, .propagation_delay = interval * in_flight}, out);
  Buffers in(size);
  const auto turn = [&] {
    for (std::size_t i = 0; i < kBatch; ++i) {
      const SimTime now = simulation.now() + interval;
      simulation.run_until(now);
      PacketPtr packet = pool.copy_of({in.next(), size});
      packet->first_arrival = packet->last_arrival = now;
      link.accept(std::move(packet));
    }
  };
  while (out.packets < static_cast<std::uint64_t>(in_flight) + kBuffers)
    turn();  // the line is full, the pool grown
  for (auto _ : state) turn();
  benchmark::ClobberMemory();
  if (link.counters().dropped.total() != 0) state.SkipWithError("packets were dropped");
  const double packets = static_cast<double>(state.iterations()) * kBatch;
  state.counters["per_packet"] =
      benchmark::Counter(packets, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

// The limit: copied into one of as many slots as the delay line has packets, and from the oldest of them out.
void two_copies(benchmark::State& state) {
  const auto size = static_cast<std::size_t>(state.range(0));
  const std::size_t slots = static_cast<std::size_t>(state.range(1)) / size + 1;
  std::vector<std::uint8_t> line(slots * size, 1);
  Buffers in(size);
  Buffers out(size);
  std::size_t at = 0;
  for (auto _ : state) {
    for (std::size_t i = 0; i < kBatch; ++i) {
      std::uint8_t* const slot = line.data() + at * size;
      std::memcpy(out.next(), slot, size);
      std::memcpy(slot, in.next(), size);
      if (++at == slots) at = 0;
      benchmark::ClobberMemory();
    }
  }
  const double packets = static_cast<double>(state.iterations()) * kBatch;
  state.counters["per_packet"] =
      benchmark::Counter(packets, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void cases(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"bytes", "in_flight"});
  for (const int size : {64, 1'500}) {
    for (const std::size_t in_flight : {std::size_t{0}, kInFlight}) {
      benchmark->Args({size, static_cast<std::int64_t>(in_flight)});
    }
  }
}

BENCHMARK(link_pipeline)->Apply(cases);
BENCHMARK(two_copies)->Apply(cases);

}  // namespace
}  // namespace simcore::bench

BENCHMARK_MAIN();

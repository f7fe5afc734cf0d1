// SPDX-License-Identifier: MIT
//
// The hold model on simcore's event queue, and on what it was chosen over. Unit: events per second (items_per_second).
// Goal, on one core: at least 20, 12 and 8 million at 10^3, 10^5 and 10^6 pending events.
#include <benchmark/benchmark.h>

#include <memory>
#include <vector>

#include "benchmarks/simcore/kernel/heap_queue.h"
#include "benchmarks/simcore/kernel/hold.h"
#include "benchmarks/simcore/kernel/set_queue.h"
#include "simcore/kernel/simulation.h"

namespace simcore::bench {
namespace {

class Holder final : public Event {
 public:
  Holder(Simulation& simulation, Increments& increments) : simulation_(simulation), increments_(increments) {}

 private:
  void fire() override { simulation_.schedule_in(*this, increments_.next()); }

  Simulation& simulation_;
  Increments& increments_;
};

// The kernel as simulations use it: clock, queue and events.
void simcore_kernel(benchmark::State& state) {
  const auto pending = static_cast<std::size_t>(state.range(0));
  Increments increments;
  Simulation simulation(1);
  std::vector<std::unique_ptr<Holder>> holders;
  for (std::size_t i = 0; i < pending; ++i) {
    holders.push_back(std::make_unique<Holder>(simulation, increments));
    simulation.schedule_in(*holders.back(), increments.next());
  }
  for (std::size_t i = 0; i < 3 * pending; ++i)
    simulation.fire_next(SimTime::never());  // to the steady state
  for (auto _ : state) simulation.fire_next(SimTime::never());
  state.SetItemsProcessed(state.iterations());
}

// A periodic event beside many others, all of one later instant, which are in one bucket.
void simcore_kernel_beside_a_full_bucket(benchmark::State& state) {
  class Idle final : public Event {
    void fire() override {}
  };
  class Periodic final : public Event {
   public:
    explicit Periodic(Simulation& simulation) : simulation_(simulation) {}

   private:
    void fire() override { simulation_.schedule_in(*this, Duration::us(1)); }
    Simulation& simulation_;
  };
  Simulation simulation(1);
  std::vector<Idle> later(static_cast<std::size_t>(state.range(0)));
  for (Idle& each : later) simulation.schedule_in(each, Duration::seconds(1'000'000));
  Periodic periodic(simulation);
  simulation.schedule_in(periodic, Duration::us(1));
  for (auto _ : state) simulation.fire_next(SimTime::never());
  state.SetItemsProcessed(state.iterations());
}

template <class Queue>
class QueueHolder final : public Queue::Event {
 public:
  QueueHolder(Queue& queue, SimTime& now, Increments& increments)
      : queue_(queue), now_(now), increments_(increments) {}

  void fire() override { queue_.schedule(*this, now_ + increments_.next()); }

 private:
  Queue& queue_;
  SimTime& now_;
  Increments& increments_;
};

template <class Queue>
void other_queue(benchmark::State& state) {
  const auto pending = static_cast<std::size_t>(state.range(0));
  Increments increments;
  Queue queue;
  SimTime now = SimTime::zero();
  std::vector<std::unique_ptr<QueueHolder<Queue>>> holders;
  for (std::size_t i = 0; i < pending; ++i) {
    holders.push_back(std::make_unique<QueueHolder<Queue>>(queue, now, increments));
    queue.schedule(*holders.back(), now + increments.next());
  }
  const auto fire_next = [&] {
    now = queue.next_time();
    queue.pop().fire();
  };
  for (std::size_t i = 0; i < 3 * pending; ++i) fire_next();
  for (auto _ : state) fire_next();
  state.SetItemsProcessed(state.iterations());
}

void populations(benchmark::internal::Benchmark* benchmark) {
  for (const int pending : {1, 10, 100, 1'000, 10'000, 100'000, 1'000'000}) benchmark->Arg(pending);
}

BENCHMARK(simcore_kernel)->Apply(populations);
BENCHMARK(simcore_kernel_beside_a_full_bucket)->Arg(1'000)->Arg(100'000);
BENCHMARK_TEMPLATE(other_queue, HeapQueue)->Apply(populations)->Name("heap_of_arity_4");
BENCHMARK_TEMPLATE(other_queue, SetQueue)->Apply(populations)->Name("std_set");

}  // namespace
}  // namespace simcore::bench

BENCHMARK_MAIN();

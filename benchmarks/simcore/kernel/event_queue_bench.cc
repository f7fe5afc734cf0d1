// SPDX-License-Identifier: MIT
//
// The hold model on simcore's event queue, and on what it was chosen over. Unit: events per second (items_per_second).
// Goal, on one core: at least 20, 12 and 8 million at 10^3, 10^5 and 10^6 pending events.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
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

class Idle final : public Event {
  void fire() override {}
};

// An event each microsecond, which may move one of many others.
class Periodic final : public Event {
 public:
  enum class Moves : std::uint8_t { none, first, each };

  // All others are due at one instant, and so in one bucket. Moves::first: the first, which is due before them, goes on; with
  // Moves::each they go on one after the other, by 200 ms, as retransmission timers do.
  Periodic(std::size_t others, Moves moves) : others_(others), moves_(moves) {
    const Duration later = moves == Moves::each ? Duration::ms(200) : Duration::seconds(1'000'000);
    for (Idle& other : others_) simulation_.schedule_in(other, later);
    simulation_.schedule_in(*this, Duration::us(1));
    if (moves == Moves::first) simulation_.schedule_in(others_.front(), first_);
  }

  void fire_next() { simulation_.fire_next(SimTime::never()); }

 private:
  void fire() override {
    if (moves_ == Moves::first) {
      // It stays in the bucket of the others.
      first_ = first_ + Duration::ns(1);
      simulation_.schedule(others_.front(), SimTime::zero() + first_);
    } else if (moves_ == Moves::each) {
      simulation_.schedule_in(others_[next_], Duration::ms(200));
      if (++next_ == others_.size()) next_ = 0;
    }
    simulation_.schedule_in(*this, Duration::us(1));
  }

  Simulation simulation_{1};
  std::vector<Idle> others_;
  Moves moves_;
  std::size_t next_ = 0;
  Duration first_ = Duration::seconds(999'990);
};

// The plain case has no others: the goal of those beside a full bucket is at most three times its time.
template <Periodic::Moves moves>
void periodic(benchmark::State& state) {
  Periodic periodic(static_cast<std::size_t>(state.range(0)), moves);
  for (auto _ : state) periodic.fire_next();
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
BENCHMARK_TEMPLATE(periodic, Periodic::Moves::none)->Arg(0)->Arg(1'000)->Arg(100'000)->Name("periodic_event");
BENCHMARK_TEMPLATE(periodic, Periodic::Moves::first)
    ->Arg(1'000)
    ->Arg(100'000)
    ->Name("periodic_event_that_moves_the_first");
BENCHMARK_TEMPLATE(periodic, Periodic::Moves::each)
    ->Arg(1'000)
    ->Arg(100'000)
    ->Name("periodic_event_that_moves_timers");
BENCHMARK_TEMPLATE(other_queue, HeapQueue)->Apply(populations)->Name("heap_of_arity_4");
BENCHMARK_TEMPLATE(other_queue, SetQueue)->Apply(populations)->Name("std_set");

}  // namespace
}  // namespace simcore::bench

BENCHMARK_MAIN();

// SPDX-License-Identifier: MIT
//
// RunLoop: keeps a Simulation in step with the wall clock, and lets portals in and out.
//
//   turn:  poll each readable portal that stamps its frames (bounded)
//          ->  fire what is due (at most `events_per_turn`)
//          ->  poll the other readable ones (bounded)  ->  flush portals
//          ->  wait until the next event or a readable portal, whichever is first (Waiter)
//
// Simulated time is CLOCK_MONOTONIC minus the instant at which run() was called, divided by `slow`: a slow loop takes
// `slow` wall seconds for each simulated one, so that all that is simulated, whatever it is, is slower by that, and nothing
// else needs to know. Frames enter at the instant
// at which they arrived: portals that have the kernel's timestamps move the clock to each frame's, within
// what is still possible (advance()), firing what is due before it; so they are polled before what is due at all. For
// the others the loop moves the clock to now.
// Lateness, how long after its due instant an event fired, goes into a histogram. The clock is read once for several events;
// then none counts as less late than it was, and with the policy `strict` it is read for each.
//
// One thread runs the loop and owns everything reachable from it. Others may call stop(),
// call(), post() and wall_now().
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "simcore/kernel/simulation.h"
#include "simcore/realtime/accounted_waiter.h"
#include "simcore/realtime/fifo_thread.h"
#include "simcore/realtime/lateness.h"
#include "simcore/realtime/pollable.h"
#include "simcore/realtime/waiter.h"
#include "simcore/sys/clock.h"
#include "simcore/sys/event_fd.h"
#include "simcore/units/error.h"
#include "simcore/units/time.h"

namespace simcore {

class RunLoop {
 public:
  enum class Policy : std::uint8_t {
    best_effort,  // run on when late, and report it
    strict,       // throw LatenessError at the first event later than `lateness_limit`
  };

  static constexpr int kSlowest = 1'000;

  struct Options {
    Policy policy = Policy::best_effort;
    Duration lateness_limit = Duration::ms(1);  // of `strict`; > 0
    Waiter::Policy wait = Waiter::Policy::sleep;
    int events_per_turn = 1'024;  // >= 1
    // While busy, turns begin at least this far apart, and what came meanwhile is handled together; see Moderation. Only
    // with the policies `sleep` and `adaptive`. 0 (never) to 1 ms.
    Duration moderation = Duration::zero();
    int slow = 1;            // wall seconds for a simulated one, 1 to kSlowest
    std::optional<int> cpu;  // pin the thread to this core
    // SCHED_FIFO with this priority, 1 to 99, where allowed, and with pauses in which the thread is an ordinary one;
    // see FifoThread.
    std::optional<int> fifo_priority;
    bool shallow_idle = false;  // while it runs, idle cores wake up at once, where allowed; see ShallowIdle
    // Whether the computer's clocks are of simulated time: then neither `wait` nor `moderation` nor `shallow_idle` counts.
    bool clock_is_simulated = simcore::clock_is_simulated();
  };

  struct Counters {
    std::uint64_t turns = 0;
    std::uint64_t sleeps = 0;            // turns that ended in a wait, not just a look
    std::uint64_t overruns = 0;          // turns that left due events behind
    std::uint64_t moderated = 0;         // turns that waited for more to do
    Duration looked = Duration::zero();  // waited without sleeping
    std::uint64_t fifo_pauses = 0;       // times that SCHED_FIFO was given up for a while
    // Times that the computer kept the thread from running, and all of them together: StallWatch. The loop was late then,
    // and its load is not to blame. Without SCHED_FIFO other programs may have been in the way, and nothing is counted.
    std::uint64_t stalls = 0;
    Duration stalled = Duration::zero();
    Duration cpu_time = Duration::zero();   // used by the loop's thread since run()
    Duration wall_time = Duration::zero();  // since run()
  };

  // `simulation` must outlive the loop. Throws ConfigError for options out of range.
  RunLoop(Simulation& simulation, const Options& options);
  RunLoop(const RunLoop&) = delete;
  RunLoop& operator=(const RunLoop&) = delete;

  // Before run(), or on the loop's thread between two turns (call, post), as the next. `pollable` must outlive run(), or be
  // removed.
  void add(Pollable& pollable);
  // From now on it is not watched, polled or flushed any more.
  void remove(Pollable& pollable);

  // Runs until stop(). Called once. `started` is called when the clock runs, before the first turn. Throws LatenessError
  // (strict), SystemError, ConfigError (no such core), and what a posted task throws.
  void run(const std::function<void()>& started = {});

  // Packets that came over cut links, and those of them that came too late: asked when a slice of time ends. Before run().
  struct Arrivals {
    std::uint64_t late = 0;
    std::uint64_t received = 0;
  };
  void count_arrivals(std::function<Arrivals()> counted) { arrivals_ = std::move(counted); }

  // On the loop's thread, or after run(): the slice of time that goes on ends now; see TimeSlices.
  void end_slice();

  // From any thread or signal-safe context: run() returns after its current turn.
  void stop();

  // From any thread: `task` runs on the loop's thread between two turns. Tasks still waiting when the loop
  // ends are run by run() before it returns; after that, at once, on the caller's thread. What a task throws ends run(),
  // once the other tasks have run.
  void post(std::function<void()> task);

  // From any other thread: posts `task` and waits for what it returns. Throws what it throws, and the loop runs on.
  template <class Task>
  auto call(Task task) {
    using Result = std::invoke_result_t<Task>;
    const auto packaged = std::make_shared<std::packaged_task<Result()>>(std::move(task));
    std::future<Result> result = packaged->get_future();
    post([packaged] { (*packaged)(); });
    return result.get();
  }

  // From any thread: simulated time that corresponds to this instant of the wall clock. Zero before run().
  SimTime wall_now() const;

  // On the loop's thread, in a turn: the same, by the turn's clock; see TurnClock.
  SimTime turn_now() const { return simulated_at(waiter_.clock().now_ns()); }

  // The same after the clock was read, also where a reading lasts for the turn.
  SimTime read_clock() {
    waiter_.read_clock();
    return turn_now();
  }

  // Whether the computer's clocks are of simulated time.
  bool clock_is_simulated() const { return waiter_.clock().held(); }

  // The instant of CLOCK_MONOTONIC that is SimTime zero, in nanoseconds. Precondition: run() has begun.
  std::int64_t epoch_ns() const { return epoch_ns_.load(std::memory_order_relaxed); }

  // The simulated time at an instant of CLOCK_MONOTONIC, rounded toward zero. Precondition: run() has begun.
  SimTime simulated_at(std::int64_t monotonic_ns) const {
    return SimTime::at_ns((monotonic_ns - epoch_ns()) / options_.slow);
  }

  // For a Pollable inside poll(): fires what is due before `time` and moves the clock there; returns the
  // clock. That is later than `time` when the clock had passed it, earlier when `events_per_turn` were not
  // enough. Precondition: time <= wall_now().
  SimTime advance(SimTime time);

  const Options& options() const { return options_; }

  Waiter::Policy wait_policy() const { return waiter_.waiter().policy(); }  // never automatic

  // On the loop's thread, or after run().
  const Lateness& lateness() const { return waiter_.lateness(); }
  const TimeSlices& slices() const { return waiter_.slices(); }
  Counters counters() const;
  bool fifo_refused() const { return fifo_ && fifo_->refused(); }  // a priority was asked for and not allowed
  bool shallow_idle_refused() const { return shallow_idle_refused_; }

 private:
  std::int64_t monotonic_at(SimTime time) const { return epoch_ns() + time.count_ns() * options_.slow; }
  void prepare_thread();
  bool fire_due(SimTime limit);
  LatenessError too_late(SimTime due, Duration late) const;
  void move_clock_to_now();
  void poll_stamped();
  void poll_others();
  void poll(Pollable& pollable);
  bool flush();
  Waiter::Until next_work(bool flush_again) const;
  void turn_until_stopped(const std::function<void()>& started);
  void run_posted();
  void run_each(const std::vector<std::function<void()>>& tasks) noexcept;
  void end();

  Simulation& simulation_;
  Options options_;
  AccountedWaiter waiter_;
  Counters counters_;
  std::function<Arrivals()> arrivals_;
  std::optional<FifoThread> fifo_;  // from run() on, where there is a priority
  bool shallow_idle_refused_ = false;

  EventFd wake_;
  std::vector<Pollable*> pollables_;     // a tag is the index; null: was removed
  std::vector<std::uint32_t> readable_;  // tags, in this turn

  std::int64_t started_ns_ = 0;
  std::int64_t cpu_at_start_ns_ = 0;
  std::atomic<std::int64_t> epoch_ns_{0};
  std::atomic<bool> stopping_{false};
  static_assert(std::atomic<bool>::is_always_lock_free);  // stop() may be called from a signal handler

  std::mutex mutex_;  // guards the two below
  std::vector<std::function<void()>> posted_;
  bool ended_ = false;

  std::exception_ptr failure_;  // what a posted task threw first
};

}  // namespace simcore

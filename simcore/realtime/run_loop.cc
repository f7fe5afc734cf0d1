// SPDX-License-Identifier: MIT
#include "simcore/realtime/run_loop.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "simcore/sys/clock.h"
#include "simcore/sys/shallow_idle.h"
#include "simcore/sys/thread.h"
#include "simcore/units/error.h"

namespace simcore {

namespace {

constexpr std::uint32_t kWakeTag = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t kRemovedTag = kWakeTag - 1;

// How soon flush() is called again for a portal that could not send everything: short enough for 20 Gbit/s in
// trains, long enough for the receiving side to run on the same core.
constexpr Duration kFlushAgain = Duration::us(20);

// So many events fire between two readings of the clock: a few microseconds of work. Reading it for each took longer than
// some of them.
constexpr std::uint64_t kEventsPerReading = 8;

void check(bool in_range, const char* option, std::int64_t value, const char* range) {
  if (in_range) return;
  throw ConfigError(std::string("make a run loop: ") + option + " is " + std::to_string(value) +
                    "; it must be " + range);
}

}  // namespace

RunLoop::RunLoop(Simulation& simulation, const Options& options)
    : simulation_(simulation),
      options_(options),
      waiter_(options.wait, options.moderation, options.clock_is_simulated) {
  check(options.lateness_limit > Duration::zero(), "lateness_limit", options.lateness_limit.count_ns(),
        "more than 0 ns");
  check(options.moderation >= Duration::zero() && options.moderation <= Duration::ms(1), "moderation",
        options.moderation.count_ns(), "0 to 1,000,000 ns");
  check(options.events_per_turn >= 1, "events_per_turn", options.events_per_turn, "at least 1");
  check(options.slow >= 1 && options.slow <= kSlowest, "slow", options.slow, "1 to 1,000");
  check(!options.cpu || *options.cpu >= 0, "cpu", options.cpu.value_or(0), "the number of a core, from 0");
  check(!options.fifo_priority || (*options.fifo_priority >= 1 && *options.fifo_priority <= 99),
        "fifo_priority", options.fifo_priority.value_or(0), "1 to 99");
  waiter_.waiter().watch_always(wake_.fd(), kWakeTag);
}

void RunLoop::add(Pollable& pollable) {
  auto place = std::ranges::find(pollables_, nullptr);
  if (place == pollables_.end()) place = pollables_.insert(place, nullptr);
  waiter_.waiter().watch(pollable.fd(), static_cast<std::uint32_t>(place - pollables_.begin()));
  *place = &pollable;
}

void RunLoop::remove(Pollable& pollable) {
  waiter_.waiter().unwatch(pollable.fd());
  const auto place = std::ranges::find(pollables_, &pollable);
  *place = nullptr;
  std::ranges::replace(readable_, static_cast<std::uint32_t>(place - pollables_.begin()), kRemovedTag);
}

void RunLoop::run(const std::function<void()>& started) {
  {
    // Whatever ends the loop, tasks that others posted and may be waiting for are run.
    struct End {
      RunLoop& loop;
      ~End() { loop.end(); }
    } end_whatever_happens{*this};
    turn_until_stopped(started);
  }
  if (failure_) std::rethrow_exception(failure_);
}

void RunLoop::turn_until_stopped(const std::function<void()>& started) {
  prepare_thread();
  std::optional<ShallowIdle> shallow_idle;
  if (options_.shallow_idle && !clock_is_simulated())
    shallow_idle_refused_ = shallow_idle.emplace().refused();
  cpu_at_start_ns_ = thread_cpu_ns();
  waiter_.read_clock();
  started_ns_ = waiter_.clock().now_ns();
  epoch_ns_.store(started_ns_ - simulation_.now().count_ns() * options_.slow, std::memory_order_release);
  if (started) started();
  waiter_.begin();

  bool flush_again = flush();  // what was sent before the start
  bool overrun = false;
  while (!stopping_.load(std::memory_order_acquire)) {
    Waiter::Until until = next_work(flush_again);
    until.behind = flush_again || overrun;
    const Waiter::Waited waited = waiter_.wait(until);
    ++counters_.turns;
    // Its own list: a task or an event of this turn may have other descriptors watched, and the waiter's is gone then.
    readable_.assign(waited.readable->begin(), waited.readable->end());
    const SimTime now = simulated_at(waited.now_ns);
    waiter_.waiter().turn_begins(waited.now_ns, !readable_.empty() || simulation_.event_due(now));
    poll_stamped();
    overrun = !fire_due(now);
    if (overrun) ++counters_.overruns;
    poll_others();
    flush_again = flush();
    // Asks the kernel for this thread's processor time: not before what somebody waits for.
    if (fifo_ && fifo_->keep(waiter_.now_ns())) waiter_.judge_stalls(fifo_->active());
    if (waiter_.slice_over()) end_slice();
  }
}

void RunLoop::end_slice() {
  const Arrivals arrivals = arrivals_ ? arrivals_() : Arrivals();
  waiter_.end_slice(arrivals.late, arrivals.received, options_.slow);
}

void RunLoop::stop() {
  stopping_.store(true, std::memory_order_release);
  wake_.signal();
}

void RunLoop::post(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    if (!ended_) {
      posted_.push_back(std::move(task));
      wake_.signal();
      return;
    }
  }
  task();
}

SimTime RunLoop::wall_now() const {
  const std::int64_t epoch = epoch_ns_.load(std::memory_order_acquire);
  return epoch == 0 ? SimTime::zero() : simulated_at(monotonic_ns());
}

SimTime RunLoop::advance(SimTime time) {
  waiter_.arrived(monotonic_at(time));
  if (fire_due(time) && time > simulation_.now()) simulation_.advance_to(time);
  return simulation_.now();
}

RunLoop::Counters RunLoop::counters() const {
  Counters counters = counters_;
  if (counters.wall_time > Duration::zero() || epoch_ns() == 0) return counters;  // ended, or not begun
  counters.sleeps = waiter_.counts().sleeps;
  counters.moderated = waiter_.counts().moderated;
  counters.looked = waiter_.counts().looked;
  counters.fifo_pauses = fifo_ ? fifo_->pauses() : 0;
  if (fifo_ && !fifo_->refused()) {
    counters.stalls = waiter_.stalls().count();
    counters.stalled = waiter_.stalls().total();
  }
  counters.cpu_time = Duration::ns(thread_cpu_ns() - cpu_at_start_ns_);
  counters.wall_time = Duration::ns(monotonic_ns() - started_ns_);
  return counters;
}

void RunLoop::prepare_thread() {
  set_least_timer_slack();
  if (wait_policy() == Waiter::Policy::dedicated && cores_allowed() < 2) {
    throw ConfigError(
        "wait with the policy dedicated: it takes a core for itself, and this process may use one core only; "
        "give it "
        "more, or write adaptive");
  }
  if (options_.cpu) pin_to_cpu(*options_.cpu);
  if (options_.fifo_priority) fifo_.emplace(*options_.fifo_priority);
}

// Fires what is due at or before `limit`, at most events_per_turn of it; says whether that was all. The first event between
// two readings of the clock counts as late as it is, the others as late as they can be at most.
bool RunLoop::fire_due(SimTime limit) {
  if (!simulation_.event_due(limit)) return true;
  const bool strict = options_.policy == Policy::strict;
  auto left = static_cast<std::uint64_t>(options_.events_per_turn);
  for (SimTime now = turn_now();;) {
    const SimTime due = simulation_.next_event_time();
    const Duration late = now - due;
    if (strict && late > options_.lateness_limit) throw too_late(due, late);
    waiter_.fires(monotonic_at(now), late);
    const std::uint64_t fired = simulation_.fire(limit, strict ? 1 : std::min(left, kEventsPerReading));
    left -= fired;
    const bool more = simulation_.event_due(limit);
    if (fired == 1 && !more) return true;
    now = turn_now();
    waiter_.fired(fired - 1, now - due);
    if (!more || left == 0) return !more;
  }
}

LatenessError RunLoop::too_late(SimTime due, Duration late) const {
  return LatenessError("keep time: the event due at " + std::to_string(due.count_ns()) + " ns ran " +
                       std::to_string(late.count_ns()) + " ns late, the limit is " +
                       std::to_string(options_.lateness_limit.count_ns()) +
                       " ns; simulate less on this machine, give the instance a core of its own, or run with "
                       "the policy best_effort");
}

void RunLoop::move_clock_to_now() {
  SimTime possible = turn_now();
  if (simulation_.event_due(possible)) possible = simulation_.next_event_time();
  if (possible > simulation_.now()) simulation_.advance_to(possible);
}

// Before what is due now: a frame that came while the loop slept finds the network as it was when it came.
void RunLoop::poll_stamped() {
  for (const std::uint32_t tag : readable_) {
    if (tag == kWakeTag || tag == kRemovedTag) continue;
    if (pollables_[tag]->stamps_arrivals()) poll(*pollables_[tag]);
  }
}

void RunLoop::poll_others() {
  for (const std::uint32_t tag : readable_) {
    if (tag == kRemovedTag || (tag != kWakeTag && pollables_[tag]->stamps_arrivals())) continue;
    move_clock_to_now();
    if (tag == kWakeTag) {
      run_posted();
    } else {
      poll(*pollables_[tag]);
    }
  }
}

void RunLoop::poll(Pollable& pollable) { waiter_.handled(pollable.poll()); }

// True when a portal has something left to send.
bool RunLoop::flush() {
  bool left = false;
  std::size_t frames = 0;
  for (Pollable* pollable : pollables_) {
    if (pollable == nullptr) continue;
    const Pollable::Flushed flushed = pollable->flush();
    left = left || flushed.left;
    frames += flushed.frames;
  }
  waiter_.handled(frames);
  return left;
}

Waiter::Until RunLoop::next_work(bool flush_again) const {
  const SimTime next = simulation_.no_event_before();
  Waiter::Until until;
  if (next != SimTime::never()) until.due_ns = monotonic_at(next);
  if (!flush_again) return until;
  const std::int64_t again_ns = waiter_.clock().now_ns() + kFlushAgain.count_ns();
  if (again_ns < until.due_ns) until = {.due_ns = again_ns, .event = false};
  return until;
}

void RunLoop::run_posted() {
  wake_.clear();
  std::vector<std::function<void()>> tasks;
  {
    const std::lock_guard lock(mutex_);
    tasks.swap(posted_);
  }
  run_each(tasks);
  if (!tasks.empty()) waiter_.begin();  // they take what they take
}

// Whatever one of them throws, the others run: somebody may wait for each.
void RunLoop::run_each(const std::vector<std::function<void()>>& tasks) noexcept {
  for (const std::function<void()>& task : tasks) {
    try {
      task();
    } catch (...) {
      if (!failure_) failure_ = std::current_exception();
      stopping_.store(true, std::memory_order_release);
    }
  }
}

void RunLoop::end() {
  if (epoch_ns() != 0) counters_ = counters();
  std::vector<std::function<void()>> tasks;
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    tasks.swap(posted_);
  }
  run_each(tasks);
}

}  // namespace simcore

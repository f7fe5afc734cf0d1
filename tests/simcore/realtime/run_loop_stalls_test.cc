// SPDX-License-Identifier: MIT
//
// What the run loop counts as kept from running by the computer; which pauses those are, stall_watch_test.cc says.
#include <gtest/gtest.h>
#include <sched.h>

#include <thread>
#include <utility>

#include "simcore/realtime/run_loop.h"
#include "simcore/sys/clock.h"
#include "simcore/sys/thread.h"
#include "tests/simcore/kernel/call.h"
#include "tests/simcore/realtime/pipe_portal.h"

namespace simcore {
namespace {

// The first that this process may run on.
int first_core() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (::sched_getaffinity(0, sizeof cores, &cores) != 0) return 0;
  int core = 0;
  while (core < CPU_SETSIZE - 1 && !CPU_ISSET(core, &cores)) ++core;
  return core;
}

// Runs the loop in a thread of its own, whose priority goes with it; says whether it got the priority.
bool run_in_thread(RunLoop& loop) {
  std::thread([&loop] { loop.run(); }).join();
  return !loop.fifo_refused();
}

void take_ms(std::int64_t ms) {
  const std::int64_t end_ns = monotonic_ns() + ms * 1'000'000;
  while (monotonic_ns() < end_ns) {
  }
}

class RunLoopStallsTest : public testing::Test {
 protected:
  RunLoopStallsTest() { options_.fifo_priority = 10; }

  Simulation simulation_{1};
  RunLoop::Options options_;
};

TEST_F(RunLoopStallsTest, what_passes_between_two_events_is_a_stall_when_it_is_too_much) {
  RunLoop loop(simulation_, options_);
  Call slow([] { take_ms(3); });
  Call end([&] { loop.stop(); });
  simulation_.schedule(slow, SimTime::at_ns(1'000'000));
  simulation_.schedule(end, SimTime::at_ns(1'000'001));
  if (!run_in_thread(loop)) GTEST_SKIP() << "SCHED_FIFO is not allowed";
  EXPECT_GE(loop.counters().stalls, 1u);
  EXPECT_GE(loop.counters().stalled, Duration::ms(3));
}

// The kernel would stop it for 50 ms in every second, and leave the core idle meanwhile.
TEST_F(RunLoopStallsTest, a_loop_that_never_sleeps_gives_up_its_priority_now_and_then) {
  if (!realtime_share()) GTEST_SKIP() << "this computer gives real-time threads all of a core";
  RunLoop loop(simulation_, options_);
  const SimTime patience = SimTime::zero() + Duration::seconds(20);
  Call again([&] {
    if (loop.counters().fifo_pauses == 2 || loop.wall_now() > patience) return loop.stop();
    simulation_.schedule_in(again, Duration::ns(1));  // always too late
  });
  simulation_.schedule(again, SimTime::zero());
  if (!run_in_thread(loop)) GTEST_SKIP() << "SCHED_FIFO is not allowed";
  const RunLoop::Counters counters = loop.counters();
  if (counters.wall_time > Duration::seconds(20) && counters.cpu_time * 10 < counters.wall_time * 9)
    GTEST_SKIP() << "this computer gave the thread less of a core than a real-time thread may have";
  EXPECT_EQ(counters.fifo_pauses, 2u);
}

TEST_F(RunLoopStallsTest, a_frame_that_had_to_wait_for_the_loop_to_wake_up_is_one) {
  RunLoop loop(simulation_, options_);
  Pipe pipe;
  pipe.stamps = true;
  loop.add(pipe);
  SimTime sent = SimTime::zero();
  pipe.on_byte = [&] {
    loop.advance(sent);
    loop.stop();
  };
  // The frame is stamped 5 ms before it wakes the loop up.
  std::thread sender([&] {
    while (loop.wall_now() < SimTime::at_ns(20'000'000)) sleep_until_ns(monotonic_ns() + 100'000);
    sent = loop.wall_now();
    while (loop.wall_now() < sent + Duration::ms(5)) sleep_until_ns(monotonic_ns() + 100'000);
    pipe.send(1);
  });
  const bool allowed = run_in_thread(loop);
  sender.join();
  if (!allowed) GTEST_SKIP() << "SCHED_FIFO is not allowed";
  EXPECT_GE(loop.counters().stalls, 1u);
  EXPECT_GE(loop.counters().stalled, Duration::ms(5));
}

TEST_F(RunLoopStallsTest, a_system_call_that_takes_more_than_its_frames_do_is_a_stall) {
  RunLoop loop(simulation_, options_);
  Pipe pipe;
  loop.add(pipe);
  bool sent = false;
  Call send([&] {
    pipe.send(1);
    sent = true;
  });
  pipe.on_byte = [] { take_ms(3); };  // one frame
  pipe.on_flush = [&] {
    if (!std::exchange(sent, false)) return Pollable::Flushed{};
    take_ms(4);
    return Pollable::Flushed{.frames = 2, .left = false};
  };
  Call end([&] { loop.stop(); });
  simulation_.schedule(send, SimTime::at_ns(1'000'000));
  simulation_.schedule(end, SimTime::at_ns(20'000'000));
  if (!run_in_thread(loop)) GTEST_SKIP() << "SCHED_FIFO is not allowed";
  EXPECT_GE(loop.counters().stalls, 2u);
  EXPECT_GE(loop.counters().stalled, Duration::ms(7) - StallWatch::kPerFrame * 3);
}

TEST_F(RunLoopStallsTest, a_task_that_was_posted_takes_what_it_takes_and_is_none) {
  RunLoop loop(simulation_, options_);
  constexpr std::int64_t kTask_ms = 100;
  loop.post([&] {
    take_ms(kTask_ms);
    loop.stop();
  });
  if (!run_in_thread(loop)) GTEST_SKIP() << "SCHED_FIFO is not allowed";
  // The computer may keep it from running before or after that, but not for as long.
  EXPECT_LT(loop.counters().stalled, Duration::ms(kTask_ms));
}

TEST_F(RunLoopStallsTest, a_sleep_that_ends_too_late_is_a_stall) {
  options_.cpu = first_core();
  RunLoop loop(simulation_, options_);
  Call end([&] { loop.stop(); });
  simulation_.schedule(end, SimTime::at_ns(20'000'000));
  // Holds the core, above the loop, from while that sleeps until 30 ms after it was to wake up.
  std::thread above([&] {
    pin_to_cpu(first_core());
    if (!try_fifo_priority(20)) return;
    while (loop.wall_now() == SimTime::zero()) sleep_until_ns(monotonic_ns() + 100'000);
    while (loop.wall_now() < SimTime::at_ns(50'000'000)) {
    }
  });
  const bool allowed = run_in_thread(loop);
  above.join();
  if (!allowed) GTEST_SKIP() << "SCHED_FIFO is not allowed";
  EXPECT_GE(loop.counters().stalls, 1u);
  EXPECT_GE(loop.counters().stalled, Duration::ms(29));
}

TEST_F(RunLoopStallsTest, without_real_time_priority_others_may_have_been_in_the_way_and_nothing_is_a_stall) {
  RunLoop loop(simulation_, {});
  Call slow([] { take_ms(3); });
  Call end([&] { loop.stop(); });
  simulation_.schedule(slow, SimTime::at_ns(1'000'000));
  simulation_.schedule(end, SimTime::at_ns(1'000'001));
  loop.run();
  EXPECT_EQ(loop.counters().stalls, 0u);
  EXPECT_EQ(loop.counters().stalled, Duration::zero());
}

}  // namespace
}  // namespace simcore

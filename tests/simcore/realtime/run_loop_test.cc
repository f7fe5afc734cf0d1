// SPDX-License-Identifier: MIT
#include "simcore/realtime/run_loop.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <functional>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "simcore/sys/clock.h"
#include "simcore/sys/thread.h"
#include "simcore/units/error.h"
#include "tests/simcore/kernel/call.h"
#include "tests/simcore/realtime/pipe_portal.h"

namespace simcore {
namespace {

class RunLoopTest : public testing::Test {
 protected:
  Simulation simulation_{1};
};

TEST_F(RunLoopTest, events_fire_in_order_and_never_before_they_are_due) {
  RunLoop loop(simulation_, {});
  std::vector<std::pair<SimTime, SimTime>> fired;  // simulated and wall
  const auto note = [&] { fired.emplace_back(simulation_.now(), loop.wall_now()); };
  Call first(note);
  Call second(note);
  Call last([&] { loop.stop(); });
  simulation_.schedule(second, SimTime::at_ns(2'000'000));
  simulation_.schedule(first, SimTime::at_ns(1'000'000));
  simulation_.schedule(last, SimTime::at_ns(2'000'001));
  loop.run();
  ASSERT_EQ(fired.size(), 2u);
  EXPECT_EQ(fired[0].first, SimTime::at_ns(1'000'000));
  EXPECT_EQ(fired[1].first, SimTime::at_ns(2'000'000));
  for (const auto& [simulated, wall] : fired) EXPECT_GE(wall, simulated);
  EXPECT_EQ(loop.lateness().count(), 3u);
}

TEST_F(RunLoopTest, a_slow_loop_takes_so_many_wall_seconds_for_a_simulated_one) {
  RunLoop::Options options;
  options.slow = 5;
  RunLoop loop(simulation_, options);
  std::int64_t began_ns = 0;
  std::int64_t fired_ns = 0;
  SimTime now = SimTime::zero();
  Call event([&] {
    fired_ns = monotonic_ns();
    now = loop.wall_now();
    loop.stop();
  });
  simulation_.schedule(event, SimTime::at_ns(2'000'000));
  loop.run([&] { began_ns = loop.epoch_ns(); });
  EXPECT_GE(fired_ns - began_ns, 10'000'000);
  EXPECT_EQ(loop.simulated_at(began_ns + 10'000'000), SimTime::at_ns(2'000'000));
  EXPECT_GE(now, SimTime::at_ns((fired_ns - began_ns) / 5));
  EXPECT_EQ(loop.lateness().count(), 1u);
  // Lateness is simulated time: what passed since the event was due, by the wall, divided by 5; within a bin's width.
  EXPECT_LE(loop.lateness().max(), Duration::ns((fired_ns - began_ns - 10'000'000) / 5 * 17 / 16 + 1));
}

TEST_F(RunLoopTest, a_slow_loop_does_not_outpace_the_wall_while_it_is_fed) {
  RunLoop::Options options;
  options.slow = 1'000;
  RunLoop loop(simulation_, options);
  Pipe pipe;
  SimTime arrived = SimTime::zero();
  std::int64_t arrived_ns = 0;
  pipe.on_byte = [&] {
    arrived_ns = monotonic_ns();
    arrived = simulation_.now();
    loop.stop();
  };
  pipe.send(1);
  loop.add(pipe);
  loop.run();
  EXPECT_LE(arrived, SimTime::at_ns((arrived_ns - loop.epoch_ns()) / 1'000));
}

TEST_F(RunLoopTest, the_clock_runs_when_it_says_that_it_has_started_and_nothing_has_fired) {
  RunLoop loop(simulation_, {});
  bool fired = false;
  Call event([&] {
    fired = true;
    loop.stop();
  });
  simulation_.schedule(event, SimTime::zero());
  int started = 0;
  loop.run([&] {
    ++started;
    EXPECT_FALSE(fired);
    EXPECT_NE(loop.epoch_ns(), 0);
    EXPECT_LE(loop.epoch_ns(), monotonic_ns());
  });
  EXPECT_EQ(started, 1);
  EXPECT_TRUE(fired);
}

TEST_F(RunLoopTest, where_the_clock_is_simulated_one_reading_lasts_for_a_turn) {
  RunLoop::Options options;
  options.clock_is_simulated = true;
  RunLoop loop(simulation_, options);
  SimTime began = SimTime::zero();
  SimTime ended = SimTime::zero();
  Call event([&] {
    began = loop.turn_now();
    const std::int64_t until_ns = monotonic_ns() + 1'000'000;
    while (monotonic_ns() < until_ns) continue;
    ended = loop.turn_now();
    EXPECT_GE(loop.wall_now() - began, Duration::ms(1));
    EXPECT_GE(loop.read_clock() - began, Duration::ms(1));
    loop.stop();
  });
  simulation_.schedule(event, SimTime::at_ns(1'000'000));
  loop.run();
  EXPECT_EQ(began, ended);
  EXPECT_GE(began, SimTime::at_ns(1'000'000));
  EXPECT_EQ(loop.wait_policy(), Waiter::Policy::simulated);
}

TEST_F(RunLoopTest, a_fixed_poll_makes_events_late_and_lets_frames_in_at_once) {
  RunLoop::Options options;
  options.wait = Waiter::Policy::inet;
  RunLoop loop(simulation_, options);
  Pipe pipe;
  loop.add(pipe);
  SimTime event_ran = SimTime::zero();
  SimTime frame_came = SimTime::zero();
  Call event([&] {
    event_ran = loop.wall_now();
    pipe.send(1);
  });
  pipe.on_byte = [&] {
    frame_came = loop.wall_now();
    loop.stop();
  };
  simulation_.schedule(event, SimTime::at_ns(1'000'000));
  loop.run();
  EXPECT_GE(event_ran, SimTime::at_ns(10'000'000));  // due after 1 ms: 9 ms late, or more
  EXPECT_GE(loop.lateness().max(), Duration::ms(9));
  EXPECT_LT(frame_came - event_ran, FixedPoll::kInterval);
}

TEST_F(RunLoopTest, a_fixed_poll_waits_at_one_portal_while_a_frame_waits_at_the_other) {
  RunLoop::Options options;
  options.wait = Waiter::Policy::inet;
  RunLoop loop(simulation_, options);
  Pipe first;
  Pipe second;
  loop.add(first);
  loop.add(second);
  std::vector<SimTime> came;
  const auto note = [&](Pipe& next) {
    came.push_back(loop.wall_now());
    if (came.size() == 4) return loop.stop();
    next.send(1);
  };
  first.on_byte = [&] { note(first); };  // which waits while the loop is at the second
  first.send(1);
  loop.run();
  ASSERT_EQ(came.size(), 4U);
  for (std::size_t i = 1; i < came.size(); ++i) EXPECT_GE(came[i] - came[i - 1], FixedPoll::kInterval) << i;
}

TEST_F(RunLoopTest, a_busy_loop_is_moderated) {
  RunLoop::Options options;
  options.moderation = Duration::us(200);
  RunLoop loop(simulation_, options);
  // One every 5 us, for 10 ms at least: on a busy computer the thread may not run for so long, and falls behind instead.
  int fired = 0;
  Call busy([&] {
    ++fired;
    const bool moderated = loop.counters().moderated > 0;
    if ((fired >= 2'000 && moderated) || fired == 2'000'000) return loop.stop();
    simulation_.schedule_in(busy, Duration::us(5));
  });
  simulation_.schedule(busy, SimTime::zero());
  loop.run();
  EXPECT_GT(loop.counters().moderated, 0U);
  EXPECT_LT(loop.counters().turns, static_cast<std::uint64_t>(fired));
}

TEST_F(RunLoopTest, a_quiet_loop_is_not_moderated) {
  RunLoop::Options options;
  options.moderation = Duration::us(200);
  RunLoop loop(simulation_, options);
  int left = 20;
  Call quiet([&] {
    if (--left == 0) return loop.stop();
    simulation_.schedule_in(quiet, Duration::ms(1));
  });
  simulation_.schedule(quiet, SimTime::zero());
  loop.run();
  EXPECT_EQ(loop.counters().moderated, 0U);
}

TEST_F(RunLoopTest, a_loop_with_a_core_of_its_own_is_not_moderated) {
  RunLoop::Options options;
  options.moderation = Duration::us(200);
  options.wait = Waiter::Policy::dedicated;
  if (cores_allowed() < 2) GTEST_SKIP() << "this takes a core";
  RunLoop loop(simulation_, options);
  int left = 400;
  Call busy([&] {
    if (--left == 0) return loop.stop();
    simulation_.schedule_in(busy, Duration::us(5));
  });
  simulation_.schedule(busy, SimTime::zero());
  loop.run();
  EXPECT_EQ(loop.counters().moderated, 0U);
}

TEST_F(RunLoopTest, a_loop_that_wakes_up_early_fires_nothing_before_it_is_due) {
  RunLoop::Options options;
  options.wait = Waiter::Policy::adaptive;
  RunLoop loop(simulation_, options);
  int left = 100;
  Call seldom([&] {
    EXPECT_GE(loop.wall_now(), simulation_.now());
    if (--left == 0) return loop.stop();
    simulation_.schedule_in(seldom, Duration::ms(2));
  });
  simulation_.schedule(seldom, SimTime::zero());
  loop.run();
  EXPECT_EQ(loop.lateness().count(), 100U);
}

TEST_F(RunLoopTest, a_frame_ends_the_wait_before_an_event) {
  RunLoop::Options options;
  options.wait = Waiter::Policy::adaptive;
  RunLoop loop(simulation_, options);
  Pipe pipe;
  pipe.stamps = true;
  pipe.on_byte = [&] { loop.stop(); };
  Call never_due([] {});
  simulation_.schedule(never_due, SimTime::at_ns(60'000'000'000));
  pipe.send(1);
  loop.add(pipe);
  loop.run();
  EXPECT_LT(loop.wall_now(), SimTime::at_ns(30'000'000'000));
}

TEST_F(RunLoopTest, a_signal_ends_no_sleep_for_good) {
  struct sigaction nothing {};
  nothing.sa_handler = [](int) {};
  struct sigaction before {};
  ASSERT_EQ(sigaction(SIGUSR1, &nothing, &before), 0);
  RunLoop::Options options;
  options.wait = Waiter::Policy::adaptive;
  RunLoop loop(simulation_, options);
  Call last([&] { loop.stop(); });
  simulation_.schedule(last, SimTime::at_ns(400'000'000));
  const pthread_t sleeper = pthread_self();
  std::thread other([&] {
    while (loop.wall_now() < SimTime::at_ns(50'000'000)) std::this_thread::yield();
    pthread_kill(sleeper, SIGUSR1);
  });
  loop.run();
  other.join();
  sigaction(SIGUSR1, &before, nullptr);
  EXPECT_LT(loop.counters().cpu_time, Duration::ms(200)) << "it spun until the event";
}

TEST_F(RunLoopTest, simulated_time_continues_where_it_was) {
  simulation_.run_until(SimTime::at_ns(7'000'000'000));
  RunLoop loop(simulation_, {});
  Call end([&] { loop.stop(); });
  simulation_.schedule(end, SimTime::at_ns(7'000'500'000));
  const std::int64_t before = monotonic_ns();
  loop.run();
  EXPECT_LT(monotonic_ns() - before, 7'000'000'000);
  EXPECT_EQ(simulation_.now(), SimTime::at_ns(7'000'500'000));
}

TEST_F(RunLoopTest, a_readable_portal_is_polled_until_it_is_empty) {
  RunLoop loop(simulation_, {});
  Pipe pipe;
  int taken = 0;
  pipe.on_byte = [&] {
    if (++taken == 5) loop.stop();
  };
  pipe.send(5);
  loop.add(pipe);
  loop.run();
  EXPECT_EQ(taken, 5);
}

TEST_F(RunLoopTest, the_clock_is_at_now_when_a_portal_is_polled) {
  RunLoop loop(simulation_, {});
  Pipe pipe;
  SimTime at_poll = SimTime::zero();
  SimTime wall_before = SimTime::zero();
  pipe.on_byte = [&] {
    at_poll = simulation_.now();
    loop.stop();
  };
  Call send([&] {
    wall_before = loop.wall_now();
    pipe.send(1);
  });
  simulation_.schedule(send, SimTime::at_ns(1'000'000));
  loop.add(pipe);
  loop.run();
  EXPECT_GE(at_poll, wall_before);
  EXPECT_LE(at_poll, loop.wall_now());
}

TEST_F(RunLoopTest, a_portal_that_stamps_moves_the_clock_to_each_arrival_past_what_is_due) {
  RunLoop loop(simulation_, {});
  Pipe pipe;
  pipe.stamps = true;
  std::vector<int> order;
  Call due([&] { order.push_back(1); });
  Call due_later([&] { order.push_back(3); });
  pipe.on_byte = [&] {
    const SimTime start = simulation_.now();
    while (loop.wall_now() < start + Duration::us(30)) {
    }
    simulation_.schedule(due, start + Duration::us(10));
    simulation_.schedule(due_later, start + Duration::us(30));
    EXPECT_EQ(loop.advance(start + Duration::us(20)), start + Duration::us(20));
    order.push_back(2);
    EXPECT_EQ(loop.advance(start), start + Duration::us(20)) << "the clock went back";
    EXPECT_EQ(loop.advance(start + Duration::us(30)), start + Duration::us(30));
    loop.stop();
  };
  pipe.send(1);
  loop.add(pipe);
  loop.run();
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
}

TEST_F(RunLoopTest, a_portal_that_stamps_is_asked_before_what_is_due_runs) {
  RunLoop loop(simulation_, {});
  Pipe pipe;
  pipe.stamps = true;
  std::vector<int> order;
  Call due([&] {
    order.push_back(2);
    loop.stop();
  });
  pipe.on_byte = [&] {  // it came while the loop slept, at 1 ms
    const SimTime came = SimTime::at_ns(1'000'000);
    EXPECT_EQ(loop.advance(came), came) << "what was due after it had run already";
    order.push_back(1);
  };
  simulation_.schedule(due, SimTime::at_ns(1'500'000));
  Call busy([&] {  // until both are there
    pipe.send(1);
    while (loop.wall_now() < SimTime::at_ns(2'000'000)) {
    }
  });
  simulation_.schedule(busy, SimTime::zero());
  loop.add(pipe);
  loop.run();
  EXPECT_EQ(order, (std::vector<int>{1, 2}));
}

TEST_F(RunLoopTest, portals_are_served_between_turns_however_many_events_are_due) {
  RunLoop::Options options;
  options.events_per_turn = 10;
  RunLoop loop(simulation_, options);
  Pipe pipe;
  std::uint64_t fired_at_poll = 0;
  pipe.on_byte = [&] {
    fired_at_poll = simulation_.events_fired();
    loop.stop();
  };
  Call endless([&] { simulation_.schedule_in(endless, Duration::ns(1)); });
  simulation_.schedule(endless, SimTime::zero());
  pipe.send(1);
  loop.add(pipe);
  loop.run();
  EXPECT_EQ(fired_at_poll, 10u);
  EXPECT_EQ(loop.counters().overruns, 1u);
}

TEST_F(RunLoopTest, a_portal_that_could_not_send_everything_is_flushed_again) {
  RunLoop loop(simulation_, {});
  Pipe pipe;
  int flushes = 0;
  pipe.on_flush = [&] {
    if (++flushes < 4) return Pollable::Flushed{.frames = 0, .left = true};
    loop.stop();
    return Pollable::Flushed{};
  };
  loop.add(pipe);
  loop.run();
  EXPECT_EQ(flushes, 4);
}

TEST_F(RunLoopTest, strict_stops_at_the_first_event_that_is_too_late) {
  RunLoop::Options options;
  options.policy = RunLoop::Policy::strict;
  options.lateness_limit = Duration::us(200);
  RunLoop loop(simulation_, options);
  bool second_fired = false;
  Call slow([&] {
    const SimTime until = simulation_.now() + Duration::us(500);
    while (loop.wall_now() < until) {
    }
  });
  Call late([&] { second_fired = true; });
  simulation_.schedule(slow, SimTime::zero());
  simulation_.schedule(late, SimTime::at_ns(1));
  EXPECT_THROW(loop.run(), LatenessError);
  EXPECT_FALSE(second_fired);
}

TEST_F(RunLoopTest, no_event_counts_as_less_late_than_it_was) {
  RunLoop loop(simulation_, {});
  Call slow([&] {
    const SimTime until = simulation_.now() + Duration::us(2'000);
    while (loop.wall_now() < until) {
    }
  });
  Call second([] {});
  Call third([&] { loop.stop(); });
  simulation_.schedule(slow, SimTime::zero());
  simulation_.schedule(second, SimTime::at_ns(1));
  simulation_.schedule(third, SimTime::at_ns(2));
  loop.run();
  EXPECT_EQ(loop.lateness().count(), 3U);
  EXPECT_GE(loop.lateness().later_than(Duration::us(1'500)), 2U);
}

TEST_F(RunLoopTest, tasks_posted_from_another_thread_run_on_the_loops_thread) {
  RunLoop loop(simulation_, {});
  std::thread::id ran_on;
  std::thread poster([&] {
    loop.post([&] {
      ran_on = std::this_thread::get_id();
      loop.stop();
    });
  });
  loop.run();
  poster.join();
  EXPECT_EQ(ran_on, std::this_thread::get_id());
}

TEST_F(RunLoopTest, every_posted_task_runs_once_whenever_it_was_posted) {
  RunLoop loop(simulation_, {});
  int runs = 0;
  loop.post([&] {
    ++runs;
    loop.stop();
    loop.post([&] { ++runs; });
  });
  loop.run();
  EXPECT_EQ(runs, 2);
  loop.post([&] { ++runs; });
  EXPECT_EQ(runs, 3);
}

TEST_F(RunLoopTest, tasks_run_when_the_loop_ends_by_an_error) {
  RunLoop::Options options;
  options.policy = RunLoop::Policy::strict;
  options.lateness_limit = Duration::ns(1);
  RunLoop loop(simulation_, options);
  bool ran = false;
  Call late([] {});
  simulation_.schedule(late, SimTime::zero());
  loop.post([&] { ran = true; });
  EXPECT_THROW(loop.run(), LatenessError);
  EXPECT_TRUE(ran);
}

TEST_F(RunLoopTest, a_call_gives_the_caller_what_its_task_returns_or_throws_and_the_loop_runs_on) {
  RunLoop loop(simulation_, {});
  std::thread running([&] { loop.run(); });
  EXPECT_EQ(loop.call([&] { return std::this_thread::get_id(); }), running.get_id());
  EXPECT_THROW(loop.call([] { throw std::bad_alloc(); }), std::bad_alloc);
  EXPECT_THROW(loop.call([]() -> int { throw 7; }), int);
  EXPECT_EQ(loop.call([] { return 5; }), 5);
  loop.stop();
  running.join();
  EXPECT_EQ(loop.call([] { return 6; }), 6);
  EXPECT_THROW(loop.call([] { throw std::logic_error("after the end"); }), std::logic_error);
}

TEST_F(RunLoopTest, what_a_posted_task_throws_ends_the_loop_when_the_others_have_run) {
  RunLoop loop(simulation_, {});
  int runs = 0;
  loop.post([&] { ++runs; });
  loop.post([] { throw std::out_of_range("first"); });
  loop.post([] { throw 2; });
  loop.post([&] { ++runs; });
  EXPECT_THROW(loop.run(), std::out_of_range);
  EXPECT_EQ(runs, 2);
}

TEST_F(RunLoopTest, who_calls_while_the_loop_fails_is_answered) {
  RunLoop::Options options;
  options.policy = RunLoop::Policy::strict;
  options.lateness_limit = Duration::ns(1);
  RunLoop loop(simulation_, options);
  Call late([] {});
  simulation_.schedule(late, SimTime::zero());
  std::thread caller([&] { EXPECT_EQ(loop.call([] { return 1; }), 1); });
  EXPECT_THROW(loop.run(), LatenessError);
  caller.join();
}

TEST_F(RunLoopTest, a_dedicated_wait_never_sleeps_and_sees_frames_and_tasks) {
  if (cores_allowed() < 2) GTEST_SKIP() << "this takes a core";
  RunLoop::Options options;
  options.wait = Waiter::Policy::dedicated;
  RunLoop loop(simulation_, options);
  Pipe pipe;
  loop.add(pipe);
  SimTime frame_came = SimTime::never();
  pipe.on_byte = [&] {
    frame_came = loop.wall_now();
    loop.post([&] { loop.stop(); });
  };
  Call send([&] { pipe.send(1); });
  simulation_.schedule(send, SimTime::at_ns(3'000'000));
  loop.run();
  EXPECT_GE(frame_came, SimTime::at_ns(3'000'000));
  EXPECT_EQ(loop.counters().sleeps, 0u);
  EXPECT_GE(loop.counters().looked, Duration::ms(2));
  EXPECT_EQ(loop.wait_policy(), Waiter::Policy::dedicated);
}

TEST_F(RunLoopTest, a_dedicated_wait_is_refused_where_there_is_one_core) {
  RunLoop::Options options;
  options.wait = Waiter::Policy::dedicated;
  RunLoop loop(simulation_, options);
  std::string told;
  std::thread([&] {
    int core = 0;
    cpu_set_t cores;
    CPU_ZERO(&cores);
    ASSERT_EQ(sched_getaffinity(0, sizeof cores, &cores), 0);
    while (!CPU_ISSET(core, &cores)) ++core;
    pin_to_cpu(core);
    try {
      loop.run();
    } catch (const ConfigError& error) {
      told = error.what();
    }
  }).join();
  EXPECT_NE(told.find("write adaptive"), std::string::npos) << told;
}

TEST_F(RunLoopTest, who_leaves_the_wait_to_it_gets_the_adaptive_one) {
  RunLoop::Options options;
  options.wait = Waiter::Policy::automatic;
  EXPECT_EQ(RunLoop(simulation_, options).wait_policy(), Waiter::Policy::adaptive);
}

TEST_F(RunLoopTest, counters_tell_the_cpu_time_of_the_loop_only) {
  RunLoop loop(simulation_, {});
  Call end([&] { loop.stop(); });
  simulation_.schedule(end, SimTime::at_ns(3'000'000));
  loop.run();
  const RunLoop::Counters counters = loop.counters();
  EXPECT_GE(counters.wall_time, Duration::ms(3));
  EXPECT_GT(counters.cpu_time, Duration::zero());
  EXPECT_LT(counters.cpu_time, counters.wall_time);
}

TEST_F(RunLoopTest, options_out_of_range_are_refused_with_their_value) {
  RunLoop::Options options;
  options.moderation = Duration::us(1'001);
  EXPECT_THROW(RunLoop(simulation_, options), ConfigError);
  options = {};
  options.events_per_turn = 0;
  EXPECT_THROW(RunLoop(simulation_, options), ConfigError);
  options = {};
  options.fifo_priority = 100;
  EXPECT_THROW(RunLoop(simulation_, options), ConfigError);
  options = {};
  options.lateness_limit = Duration::zero();
  EXPECT_THROW(RunLoop(simulation_, options), ConfigError);
}

TEST_F(RunLoopTest, a_core_that_does_not_exist_is_refused) {
  RunLoop::Options options;
  options.cpu = 100'000;
  RunLoop loop(simulation_, options);
  EXPECT_THROW(loop.run(), ConfigError);
}

TEST_F(RunLoopTest, a_portal_can_be_removed_and_another_takes_its_place_while_it_runs) {
  for (const auto wait : {Waiter::Policy::sleep, Waiter::Policy::adaptive, Waiter::Policy::inet}) {
    Simulation simulation(1);
    RunLoop::Options options;
    options.wait = wait;
    RunLoop loop(simulation, options);
    Pipe first;
    Pipe second;
    Pipe third;
    int bytes = 0;
    first.on_byte = [] { ADD_FAILURE() << "it was removed"; };
    second.on_byte = third.on_byte = [&] {
      if (++bytes == 2) loop.stop();
    };
    loop.add(first);
    loop.add(second);
    Call change([&] {
      loop.remove(first);
      loop.add(third);
      for (Pipe* const pipe : {&first, &second, &third}) pipe->send(1);
    });
    simulation.schedule(change, SimTime::at_ns(1'000'000));
    loop.run();
    EXPECT_EQ(bytes, 2);
  }
}

TEST_F(RunLoopTest, a_task_may_add_and_remove_portals_while_others_are_readable_in_the_same_turn) {
  for (const auto wait : {Waiter::Policy::sleep, Waiter::Policy::adaptive, Waiter::Policy::inet}) {
    Simulation simulation(1);
    RunLoop::Options options;
    options.wait = wait;
    RunLoop loop(simulation, options);
    std::array<Pipe, 4> there;
    std::array<Pipe, 40> added;  // more than what is watched has room for
    std::size_t bytes = 0;
    for (Pipe& pipe : there) {
      pipe.on_byte = [&] {
        if (++bytes == there.size() - 1) loop.stop();
      };
      loop.add(pipe);
    }
    there[0].on_byte = [] { ADD_FAILURE() << "it was removed"; };
    loop.post([&] {
      loop.remove(there[0]);
      for (Pipe& pipe : added) loop.add(pipe);
    });
    for (Pipe& pipe : there) pipe.send(1);
    loop.run();
    EXPECT_EQ(bytes, there.size() - 1);
  }
}

TEST_F(RunLoopTest, a_portal_that_stamps_may_remove_another_that_is_readable_in_the_same_turn) {
  RunLoop loop(simulation_, {});
  Pipe first;
  Pipe second;
  int polled = 0;
  const auto remove_the_other = [&](Pipe& own, Pipe& other) {
    own.stamps = true;
    own.on_byte = [&] {
      ++polled;
      loop.remove(other);
      loop.stop();
    };
    own.send(1);
    loop.add(own);
  };
  remove_the_other(first, second);
  remove_the_other(second, first);
  loop.run();
  EXPECT_EQ(polled, 1);
}

TEST_F(RunLoopTest, a_task_may_remove_a_portal_that_is_readable_in_the_same_turn) {
  RunLoop loop(simulation_, {});
  Pipe pipe;
  pipe.on_byte = [] { ADD_FAILURE() << "it was removed"; };
  loop.post([&] {
    loop.remove(pipe);
    loop.stop();
  });
  loop.add(pipe);
  pipe.send(1);
  loop.run();
}

}  // namespace
}  // namespace simcore

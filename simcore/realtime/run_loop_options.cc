// SPDX-License-Identifier: MIT
#include "simcore/realtime/run_loop_options.h"

namespace simcore {

namespace {

RunLoop::Options of_a_run() {
  RunLoop::Options options;
  options.wait = Waiter::Policy::automatic;
  options.fifo_priority = 10;
  options.shallow_idle = true;
  return options;
}

}  // namespace

const OptionTable<RunLoop::Options>& run_loop_options() {
  using O = RunLoop::Options;
  using Wait = Waiter::Policy;
  static const OptionTable<O> table(
      "realtime", "how an instance keeps up with the wall clock", of_a_run(),
      {
          {"policy",
           &O::policy,
           {{"best_effort", RunLoop::Policy::best_effort}, {"strict", RunLoop::Policy::strict}},
           {.help = "`best_effort` runs on when late and reports it, `strict` stops"}},
          {"lateness_limit", &O::lateness_limit, {.help = "of the strict policy", .least = 1}},
          {"wait",
           &O::wait,
           {{name_of(Wait::automatic), Wait::automatic},
            {name_of(Wait::sleep), Wait::sleep},
            {name_of(Wait::adaptive), Wait::adaptive},
            {name_of(Wait::dedicated), Wait::dedicated},
            {name_of(Wait::inet), Wait::inet}},
           {.help = "`sleep` takes the least processor time, `adaptive` also looks for what comes next, "
                    "for a while, `dedicated` looks all the time, on a core of its own; `auto`: "
                    "`dedicated` where a plan finds cores to spare, else `adaptive`; `inet` waits as INET "
                    "2.6 did"}},
          {"cpu", &O::cpu, {.help = "the processor it is pinned to; null: any"}},
          {"fifo_priority",
           &O::fifo_priority,
           {.help = "of SCHED_FIFO, where it is allowed; null: the ordinary scheduler",
            .least = 1,
            .most = 99}},
          {"shallow_idle",
           &O::shallow_idle,
           {.help = "while it runs, idle processors stay in states that they leave at once, where it is "
                    "allowed"}},
      },
      {},
      {{"spin_ns", "write wait dedicated, which looks all the time"},
       {"early_wake_ns", "write wait adaptive, which wakes up in time for events"},
       {"fixed_poll_ns", "write wait inet, which waits for 10 ms at one portal after the other"},
       {"moderation_ns",
        "leave it out: it follows from the delays of the links; with wait dedicated nothing is gathered"}});
  return table;
}

}  // namespace simcore

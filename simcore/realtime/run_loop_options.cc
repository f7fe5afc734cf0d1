// SPDX-License-Identifier: MIT
#include "simcore/realtime/run_loop_options.h"

namespace simcore {

namespace {

RunLoop::Options of_a_run() {
  RunLoop::Options options;
  options.early_wake = Duration::us(150);
  options.fifo_priority = 10;
  options.shallow_idle = true;
  return options;
}

}  // namespace

const OptionTable<RunLoop::Options>& run_loop_options() {
  using O = RunLoop::Options;
  constexpr double kMillisecond = 1'000'000;
  static const OptionTable<O> table(
      "realtime", "how an instance keeps up with the wall clock", of_a_run(),
      {
          {"policy",
           &O::policy,
           {{"best_effort", RunLoop::Policy::best_effort}, {"strict", RunLoop::Policy::strict}},
           {.help = "`best_effort` runs on when late and reports it, `strict` stops"}},
          {"lateness_limit", &O::lateness_limit, {.help = "of the strict policy", .least = 1}},
          {"spin",
           &O::spin,
           {.help = "how long before an event it stops sleeping and spins", .most = kMillisecond}},
          {"moderation",
           &O::moderation,
           {.help = "while busy, its turns begin at least this far apart; 0: as soon as there is work. A "
                    "plan chooses by "
                    "the delays of the links where nobody says",
            .most = kMillisecond}},
          {"early_wake",
           &O::early_wake,
           {.help = "sleeps end before an event by what waking up takes, at most by this; 0: they do not",
            .most = kMillisecond}},
          {"fixed_poll",
           &O::fixed_poll,
           {.help = "waits this long whenever no event is due, as INET 2.6 did; 0: waits for the event",
            .most = 1'000 * kMillisecond,
            .plan_only = true}},
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
      });
  return table;
}

}  // namespace simcore

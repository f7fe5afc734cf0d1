// SPDX-License-Identifier: MIT
#include <limits>

#include "simcore/link/link.h"
#include "simcore/options/option_table.h"

namespace simcore {

namespace {

constexpr std::int64_t kNoBound = std::numeric_limits<std::int64_t>::max();

}  // namespace

const OptionTable<Link::Config>& Link::Config::options() {
  using C = Config;
  static const OptionTable<C> table(
      "link", "a rate, a delay, a drop-tail queue", C{},
      {
          {"rate",
           &C::rate,
           {.help = "rate of each direction; none: no limit, and then nothing queues", .mininet = "bw"}},
          {"delay", &C::propagation_delay, {.help = "propagation delay of each direction"}},
          {"queue",
           [](const C& of) {
             return of.queue_packets == kNoBound ? std::nullopt : std::optional(of.queue_packets);
           },
           [](C& of, std::optional<std::int64_t> packets) { of.queue_packets = packets.value_or(kNoBound); },
           {.help = "queue length, the packet that is being sent included; further packets are dropped",
            .unit = "packets",
            .key = "queue_packets",
            .mininet = "max_queue_size",
            .least = 1}},
          {"queue_bytes",
           &C::queue_bytes,
           {.help = "a bound in bytes besides", .key = "queue_bytes", .least = 1, .plan_only = true}},
          {"overhead",
           &C::overhead,
           {.help = "added to every frame on the wire, each padded to the 60 B of Ethernet first; 24 B are "
                    "Ethernet's preamble, gap and FCS"}},
          {"train_limit",
           &C::train_limit,
           {.help = "longest time that one train of segments may occupy the link; 0: each packet alone, "
                    "exact and slower"}},
      });
  return table;
}

}  // namespace simcore

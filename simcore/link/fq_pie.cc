// SPDX-License-Identifier: MIT
#include "simcore/link/fq_pie.h"

#include <utility>

#include "simcore/options/option_table.h"

namespace simcore {

FqPie::FqPie(const Config& config, RandomStream random)
    : FlowQueues(config, "FQ-PIE", random()), pie_(config.pie), random_(random) {
  check(config.pie);
}

void FqPie::admit(PacketPtr packet, SimTime now, ByteCount) {
  const std::size_t index = flow_of(*packet);
  Flow& flow = flows()[index];
  flow.control.advance(pie_, now, flow.queue.bytes());
  const bool full = packets() >= limit();
  if (full || !flow.control.admits(pie_, *packet, flow.queue.bytes(), random_, counters_.marked)) {
    flow.control.dropped();
    return drop(std::move(packet), full ? DropReason::queue_full : DropReason::aqm);
  }
  hold(index, std::move(packet));
}

PacketPtr FqPie::next_of(Flow& flow, SimTime now) {
  flow.control.advance(pie_, now, flow.queue.bytes());
  PacketPtr packet = flow.queue.pop();
  if (!packet) return nullptr;
  take_out(*packet);
  flow.control.left(now, now - packet->first_arrival, flow.queue.bytes());
  return packet;
}

const OptionTable<FqPie::Config>& FqPie::Config::options() {
  using C = Config;
  static const OptionTable<C> table(
      "fq_pie", "a queue for each flow, in turns, each with PIE, as Linux's", C{},
      joined<C>({PieConfig::options().within(&C::pie),
                 {
                     {"flows",
                      &C::flows,
                      {.help = "queues, to which flows are hashed", .least = 1, .most = 65'536}},
                     {"quantum", &C::quantum, {.help = "what a flow may send in a turn", .least = 1}},
                 }}));
  return table;
}

std::unique_ptr<QueueDiscipline> make_queue(const FqPie::Config& config, const QueuePlace& place,
                                            RandomStream random) {
  require_no_bytes(place, "FQ-PIE");
  FqPie::Config here = config;
  here.limit = place.packets;
  return std::make_unique<FqPie>(here, random);
}

}  // namespace simcore

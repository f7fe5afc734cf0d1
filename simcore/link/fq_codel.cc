// SPDX-License-Identifier: MIT
#include "simcore/link/fq_codel.h"

#include <algorithm>
#include <utility>

#include "simcore/options/option_table.h"

namespace simcore {

namespace {

constexpr std::int64_t kMostDroppedAtOnce = 64;

}  // namespace

FqCodel::FqCodel(const Config& config, RandomStream random)
    : FlowQueues(config, "FQ-CoDel", random()), codel_(config.codel) {
  check(config.codel);
}

void FqCodel::admit(PacketPtr packet, SimTime, ByteCount) {
  hold(std::move(packet));
  if (packets() > limit()) drop_from_fattest();
}

void FqCodel::drop_from_fattest() {
  Flow& fattest = *std::max_element(flows().begin(), flows().end(), [](const Flow& a, const Flow& b) {
    return a.queue.bytes() < b.queue.bytes();
  });
  const std::int64_t enough = fattest.queue.bytes().count() / 2;
  std::int64_t dropped = 0;
  for (std::int64_t count = 0; count < kMostDroppedAtOnce && (count == 0 || dropped < enough); ++count) {
    PacketPtr packet = fattest.queue.pop();
    dropped += packet->wire_size().count();
    take_out(*packet);
    drop(std::move(packet), DropReason::queue_full);
  }
}

PacketPtr FqCodel::next_of(Flow& flow, SimTime now) {
  PacketPtr packet = flow.control.next(codel_, flow.queue, now, counters_.marked, [this](PacketPtr dropped) {
    take_out(*dropped);
    drop(std::move(dropped), DropReason::aqm);
  });
  if (packet) take_out(*packet);
  return packet;
}

const OptionTable<FqCodel::Config>& FqCodel::Config::options() {
  using C = Config;
  static const OptionTable<C> table(
      "fq_codel", "a queue for each flow, in turns, each with CoDel (RFC 8290)", C{},
      joined<C>({CodelConfig::options().within(&C::codel),
                 {
                     {"flows",
                      &C::flows,
                      {.help = "queues, to which flows are hashed", .least = 1, .most = 65'536}},
                     {"quantum", &C::quantum, {.help = "what a flow may send in a turn", .least = 1}},
                 }}));
  return table;
}

std::unique_ptr<QueueDiscipline> make_queue(const FqCodel::Config& config, const QueuePlace& place,
                                            RandomStream random) {
  require_no_bytes(place, "FQ-CoDel");
  FqCodel::Config here = config;
  here.limit = place.packets;
  return std::make_unique<FqCodel>(here, random);
}

}  // namespace simcore

// SPDX-License-Identifier: MIT
//
// FqPie: flow queues with PIE, as Linux has it (net/sched/sch_fq_pie.c): FlowQueues, each with a PieControl. Who finds the
// limit of all queues reached is dropped.
#pragma once

#include <cstdint>
#include <memory>

#include "simcore/kernel/random.h"
#include "simcore/link/flow_queues.h"
#include "simcore/link/pie.h"
#include "simcore/link/queue_discipline.h"
#include "simcore/link/queue_model.h"

namespace simcore {

template <class T>
class OptionTable;

class FqPie final : public FlowQueues<PieControl> {
 public:
  struct Config {
    PieConfig pie = {};
    std::int64_t limit = 10'240;                  // packets in all queues; >= 1
    std::int64_t flows = 1'024;                   // queues; 1 to 65,536
    ByteCount quantum = ByteCount::bytes(1'514);  // >= 1

    bool operator==(const Config&) const = default;
    static const OptionTable<Config>& options();
  };

  // Throws ConfigError when a value is out of its range.
  FqPie(const Config& config, RandomStream random);

 protected:
  void admit(PacketPtr packet, SimTime now, ByteCount sending) override;
  PacketPtr next_of(Flow& flow, SimTime now) override;

 private:
  PieConfig pie_;
  RandomStream random_;
};

// Its limit is the link's bound in packets. Throws ConfigError where the link has one in bytes.
std::unique_ptr<QueueDiscipline> make_queue(const FqPie::Config& config, const QueuePlace& place,
                                            RandomStream random);

}  // namespace simcore

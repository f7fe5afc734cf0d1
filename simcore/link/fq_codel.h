// SPDX-License-Identifier: MIT
//
// FqCodel: flow queues with CoDel (RFC 8290): FlowQueues, each with a CodelControl.
//
// At the limit, half of the queue with most bytes (64 packets at most) is dropped from its front.
#pragma once

#include <cstdint>
#include <memory>

#include "simcore/kernel/random.h"
#include "simcore/link/codel.h"
#include "simcore/link/flow_queues.h"
#include "simcore/link/queue_discipline.h"
#include "simcore/link/queue_model.h"

namespace simcore {

template <class T>
class OptionTable;

class FqCodel final : public FlowQueues<CodelControl> {
 public:
  struct Config {
    CodelConfig codel = {};
    std::int64_t limit = 10'240;                  // packets in all queues; >= 1
    std::int64_t flows = 1'024;                   // queues; 1 to 65,536
    ByteCount quantum = ByteCount::bytes(1'514);  // >= 1

    bool operator==(const Config&) const = default;
    static const OptionTable<Config>& options();
  };

  // Throws ConfigError when a value is out of its range.
  FqCodel(const Config& config, RandomStream random);

 protected:
  void admit(PacketPtr packet, SimTime now, ByteCount sending) override;
  PacketPtr next_of(Flow& flow, SimTime now) override;

 private:
  void drop_from_fattest();

  CodelConfig codel_;
};

// Its limit is the link's bound in packets. Throws ConfigError where the link has one in bytes.
std::unique_ptr<QueueDiscipline> make_queue(const FqCodel::Config& config, const QueuePlace& place,
                                            RandomStream random);

}  // namespace simcore

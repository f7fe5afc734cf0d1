// SPDX-License-Identifier: MIT
//
// FqCodel: flow queues with CoDel (RFC 8290). Flows are told apart by a hash of addresses, protocol and ports, salted
// by the random stream; each has a queue with a CoDel of its own. Queues take turns, `quantum` bytes each; one that
// was empty comes before those that wait, so flows that send little pass at once.
//
// At the limit, half of the queue with most bytes (64 packets at most) is dropped from its front.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "simcore/kernel/random.h"
#include "simcore/link/codel.h"
#include "simcore/link/queue_discipline.h"
#include "simcore/link/queue_model.h"
#include "simcore/link/ring.h"

namespace simcore {

template <class T>
class OptionTable;

class FqCodel final : public QueueDiscipline {
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

  void look(const std::function<void(const Packet&)>& see) const override;
  std::int64_t packets() const override { return packets_; }
  ByteCount bytes() const override { return bytes_; }

 protected:
  void admit(PacketPtr packet, SimTime now, ByteCount sending) override;
  PacketPtr release(SimTime now) override;
  void hold(PacketPtr packet) override;
  std::vector<PacketPtr> drain() override;

 private:
  struct Flow {
    PacketFifo queue;
    CodelControl control;
    std::int64_t credit = 0;  // bytes it may still send in this turn
    bool waiting = false;     // in one of the two lists
  };

  std::size_t flow_of(const Packet& packet) const;
  void drop_from_fattest();
  PacketPtr next_of(Flow& flow, SimTime now);
  void take_out(const Packet& packet);

  Config config_;
  std::uint64_t salt_;
  std::vector<Flow> flows_;
  Ring<std::size_t> fresh_;   // flows that were empty
  Ring<std::size_t> others_;  // that had a turn
  std::int64_t packets_ = 0;
  ByteCount bytes_ = ByteCount::zero();
};

// Its limit is the link's bound in packets. Throws ConfigError where the link has one in bytes.
std::unique_ptr<QueueDiscipline> make_queue(const FqCodel::Config& config, const QueuePlace& place,
                                            RandomStream random);

}  // namespace simcore

// SPDX-License-Identifier: MIT
//
// DualPi2: two queues that share a link, one for senders that react to each mark (L4S) and one for all others, coupled so
// that both get the same rate (RFC 9332 appendix A; Linux net/sched/sch_dualpi2.c).
//
//   every `interval`   p += alpha (delay - target) + beta (delay - delay before), in seconds, from 0 to 1; the delay is that
//                      of the first packet of either queue, the longer one
//   classic queue      dropped, or marked where the sender understands it, with probability p^2
//   L queue            marked with probability coupling * p, and where it waited for longer than `step`; ECT(1) and marked
//                      packets are here
//   coupling * p > 1   the path is overloaded: both queues drop with p^2
//
// The L queue goes first, but for a tenth of the bytes (weighted round robin), so nobody starves. Packets are judged when
// they leave, and none while less than two full frames wait. There is no timer: what was due is reckoned when the next packet
// comes or goes, with the delays of its instant.
#pragma once

#include <cstdint>
#include <memory>

#include "simcore/kernel/random.h"
#include "simcore/link/packet_fifo.h"
#include "simcore/link/queue_discipline.h"
#include "simcore/link/queue_model.h"

namespace simcore {

template <class T>
class OptionTable;

class DualPi2 final : public QueueDiscipline {
 public:
  struct Config {
    Duration target = Duration::ms(15);    // > 0
    Duration interval = Duration::ms(16);  // > 0, between two steps of the probability
    double alpha = 0.16;                   // >= 0, per second above the target
    double beta = 3.2;                     // >= 0, per second that the delay grew
    Duration step = Duration::ms(1);       // >= 0
    double coupling = 2;                   // > 0

    bool operator==(const Config&) const = default;
    static const OptionTable<Config>& options();
  };

  // `limit` in packets, of both queues together, >= 1: who finds it reached is dropped. Throws ConfigError when a value is
  // out of its range.
  DualPi2(const Config& config, std::int64_t limit, RandomStream random);

  void look(const std::function<void(const Packet&)>& see) const override {
    scalable_.look(see);
    classic_.look(see);
  }
  std::int64_t packets() const override { return classic_.packets() + scalable_.packets(); }
  ByteCount bytes() const override { return classic_.bytes() + scalable_.bytes(); }
  double probability() const { return probability_; }

 protected:
  void admit(PacketPtr packet, SimTime now, ByteCount sending) override;
  PacketPtr release(SimTime now) override;
  void hold(PacketPtr packet) override;
  std::vector<PacketPtr> drain() override;

 private:
  void advance(SimTime now);
  void take_step(SimTime at);
  Duration delay_at(SimTime time) const;
  bool judge(Packet& packet, bool scalable, ByteCount backlog);
  bool roll(double probability) { return random_.bernoulli(probability); }
  void mark(Packet& packet);

  Config config_;
  std::int64_t limit_;
  RandomStream random_;
  PacketFifo classic_;
  PacketFifo scalable_;
  double probability_ = 0;
  Duration delay_before_ = Duration::zero();
  SimTime next_step_ = SimTime::never();
  std::int64_t credit_;  // above zero it is the classic queue's turn
};

// Its bound is the link's, in packets. Throws ConfigError where the link has one in bytes.
std::unique_ptr<QueueDiscipline> make_queue(const DualPi2::Config& config, const QueuePlace& place,
                                            RandomStream random);

}  // namespace simcore

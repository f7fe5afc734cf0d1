// SPDX-License-Identifier: MIT
//
// PIE: proportional integral controller enhanced (RFC 8033), as Linux has it (net/sched/sch_pie.c): the delay is that of the
// packet that left last.
//
//   every `interval`   p += alpha (delay - target) + beta (delay - delay before), in seconds, and a small p moves in small
//                      steps: by 1/2 below 10 %, 1/8 below 1 %, down to 1/2048 below a millionth
//   a packet comes     it is dropped with probability p, not before p has added up to 0.85 since the last drop, and surely at
//                      8.5; nobody is while the delay is below half the target and p below 20 %, while less than two full
//                      frames wait, and in the first 150 ms of a congestion
//
// With ECN who understands marks is marked, up to p = 10 %.
//
// PieControl is the control alone, over any queue (FqPie has one per flow); Pie is the queue discipline. There is no timer:
// what was due is reckoned when the next packet comes or goes, which is when it first matters.
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

struct PieConfig {
  Duration target = Duration::ms(15);    // > 0
  Duration interval = Duration::ms(15);  // > 0, between two steps of the probability
  double alpha = 0.125;                  // >= 0, per second above the target
  double beta = 1.25;                    // >= 0, per second that the delay grew
  bool ecn = false;                      // mark instead of dropping, where the sender understands it

  bool operator==(const PieConfig&) const = default;
  static const OptionTable<PieConfig>& options();
};
// Throws ConfigError when a value is out of its range.
void check(const PieConfig& config);

class PieControl {
 public:
  // Takes the steps that are due. `backlog` is what waits, and did since the last call.
  void advance(const PieConfig& config, SimTime now, ByteCount backlog);
  // Whether the packet that comes now may stay; it is marked where that is enough, and `marked` counts it.
  bool admits(const PieConfig& config, Packet& packet, ByteCount backlog, RandomStream& random,
              std::uint64_t& marked);
  void dropped() { accumulated_ = 0; }
  // A packet leaves that waited for `sojourn`; `backlog` is what is left.
  void left(SimTime now, Duration sojourn, ByteCount backlog);

  double probability() const { return probability_; }
  // Of alpha and beta, at this probability: RFC 8033 section 4.2.
  static double scale(double probability);

 private:
  bool step(const PieConfig& config, ByteCount backlog);
  bool chosen(const PieConfig& config, ByteCount backlog, RandomStream& random);

  double probability_ = 0;
  double accumulated_ = 0;  // probability since the last drop
  Duration delay_ = Duration::zero();
  Duration delay_before_ = Duration::zero();
  Duration burst_ = kBurst;  // of which nobody is dropped
  SimTime left_at_ = SimTime::never();
  SimTime next_step_ = SimTime::never();

  static constexpr Duration kBurst = Duration::ms(150);
};

class Pie final : public QueueDiscipline {
 public:
  // `limit` in packets, >= 1: who finds it reached is dropped. Throws ConfigError when a value is out of its range.
  Pie(const PieConfig& config, std::int64_t limit, RandomStream random);

  void look(const std::function<void(const Packet&)>& see) const override { waiting_.look(see); }
  std::int64_t packets() const override { return waiting_.packets(); }
  ByteCount bytes() const override { return waiting_.bytes(); }
  double probability() const { return control_.probability(); }

 protected:
  void admit(PacketPtr packet, SimTime now, ByteCount sending) override;
  PacketPtr release(SimTime now) override;
  void hold(PacketPtr packet) override { waiting_.push(std::move(packet)); }
  std::vector<PacketPtr> drain() override { return waiting_.drain(); }

 private:
  PieConfig config_;
  std::int64_t limit_;
  RandomStream random_;
  PacketFifo waiting_;
  PieControl control_;
};

// Its bound is the link's, in packets. Throws ConfigError where the link has one in bytes.
std::unique_ptr<QueueDiscipline> make_queue(const PieConfig& config, const QueuePlace& place,
                                            RandomStream random);

}  // namespace simcore

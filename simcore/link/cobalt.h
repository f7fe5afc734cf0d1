// SPDX-License-Identifier: MIT
//
// Cobalt: CoDel and BLUE together, the queue management of CAKE (Palmei and others, "Design and Evaluation of COBALT Queue
// Discipline", 2019; Linux net/sched/sch_cake.c, cobalt_*).
//
//   CoDel   while packets stand for longer than `target`, and than four full frames take: a drop after `interval`, then one
//           after each interval / sqrt(count); count falls one by one at the same pace when the delay is short again, so the
//           next congestion begins where the last one was
//   BLUE    a full queue drops from its front and adds 1/256 to a probability with which every packet is dropped, marks or
//           not; an empty one takes 1/4096 off; neither more often than once in `target`
//
// On slow links `target` is at least one and a half full frames, and `interval` grows with it, as CAKE does for its rate. The
// last packet is never dropped.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "simcore/kernel/random.h"
#include "simcore/link/packet_fifo.h"
#include "simcore/link/queue_discipline.h"
#include "simcore/link/queue_model.h"

namespace simcore {

template <class T>
class OptionTable;

// The control of one queue.
class CobaltControl {
 public:
  struct Config {
    Duration target;
    Duration interval;
    Duration frame = Duration::zero();  // how long a full frame takes
    bool ecn = false;

    // On slow links target and interval are longer.
    static Config on_link(Duration target, Duration interval, Duration frame, bool ecn);
  };

  // The queue was full: its front is dropped.
  void overflowed(const Config& config, SimTime now);
  // Somebody was to leave, and nobody waited.
  void ran_empty(const Config& config, SimTime now);
  // Says whether a packet that is about to leave is to be dropped; it may be marked, and is counted as that.
  bool to_drop(const Config& config, Packet& packet, SimTime now, RandomStream& random,
               std::uint64_t& marked);

  double blue() const { return blue_; }
  // Nothing is left of earlier congestion.
  bool at_rest(SimTime now) const { return blue_ <= 0 && count_ == 0 && now >= drop_next_; }

 private:
  void forget_one(const Config& config);
  SimTime after(SimTime from, const Config& config) const;

  std::uint32_t count_ = 0;
  bool dropping_ = false;
  SimTime drop_next_ = SimTime::zero();
  double blue_ = 0;
  SimTime blue_changed_ = SimTime::zero();
};

class Cobalt final : public QueueDiscipline {
 public:
  struct Config {
    Duration target = Duration::ms(5);      // > 0
    Duration interval = Duration::ms(100);  // > 0, in the order of a round trip
    bool ecn = false;  // CoDel marks instead of dropping, where the sender understands it

    bool operator==(const Config&) const = default;
    static const OptionTable<Config>& options();
  };

  // `limit` in packets, >= 1; `frame` is how long a full frame takes, zero where that is not known. Throws ConfigError when
  // a value is out of its range.
  Cobalt(const Config& config, std::int64_t limit, Duration frame, RandomStream random);

  void look(const std::function<void(const Packet&)>& see) const override { waiting_.look(see); }
  std::int64_t packets() const override { return waiting_.packets(); }
  ByteCount bytes() const override { return waiting_.bytes(); }
  double blue() const { return control_.blue(); }

 protected:
  void admit(PacketPtr packet, SimTime now, ByteCount sending) override;
  PacketPtr release(SimTime now) override;
  void hold(PacketPtr packet) override { waiting_.push(std::move(packet)); }
  std::vector<PacketPtr> drain() override { return waiting_.drain(); }

 private:
  CobaltControl::Config config_;
  std::int64_t limit_;
  RandomStream random_;
  PacketFifo waiting_;
  CobaltControl control_;
};

// Throws ConfigError, which names the queue, when a value is not above zero.
void check_cobalt(Duration target, Duration interval, std::int64_t limit, const std::string& queue);

// Its bound is the link's, in packets. Throws ConfigError where the link has one in bytes.
std::unique_ptr<QueueDiscipline> make_queue(const Cobalt::Config& config, const QueuePlace& place,
                                            RandomStream random);

}  // namespace simcore

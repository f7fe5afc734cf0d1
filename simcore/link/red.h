// SPDX-License-Identifier: MIT
//
// Red: random early detection (Floyd and Jacobson 1993), in bytes as Linux's.
//
//   average = (1 - weight) average + weight * queue               when a packet comes
//   average = (1 - weight)^m average                              after an idle time of m typical packets
//
//   average < least               nobody is dropped
//   least <= average < most       p = highest * (average - least) / (most - least), and p / (1 - count * p) after
//                                 `count` packets since the last drop, which spreads the drops evenly
//   most <= average               everybody is dropped; `gentle`: p rises from highest to 1 at twice `most` (Floyd 2000)
//
// `adaptive`: each half second `highest` moves so that the average comes to the middle, between 0.4 and 0.6 of the way from
// least to most: it grows by 0.01, a quarter of itself at most, up to 0.5, or shrinks by a tenth, down to 0.01 (Floyd,
// Gummadi and Shenker, "Adaptive RED", 2001; Linux include/net/red.h, red_adaptative_algo). There is no timer: what was due is
// reckoned when the next packet comes.
//
// With ECN a sender that understands marks is marked instead of dropped. A full queue drops all the same.
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

class Red final : public QueueDiscipline {
 public:
  struct Config {
    ByteCount limit = ByteCount::bytes(1'000'000);  // of the queue; >= 1
    ByteCount least = ByteCount::bytes(30'000);     // >= 0, of the average
    ByteCount most = ByteCount::bytes(90'000);      // > least
    double highest = 0.02;                          // the probability just below `most`
    double weight = 0.002;                          // of a new sample; above 0, at most 1
    Duration typical = Duration::zero();  // serialization of a typical packet; zero: idle time does not count
    bool ecn = false;
    bool gentle = false;
    bool adaptive = false;  // the probability begins with `highest`

    bool operator==(const Config&) const = default;
    static const OptionTable<Config>& options();
  };

  // Throws ConfigError when a value is out of its range.
  Red(const Config& config, RandomStream random);

  void look(const std::function<void(const Packet&)>& see) const override { waiting_.look(see); }
  std::int64_t packets() const override { return waiting_.packets(); }
  ByteCount bytes() const override { return waiting_.bytes(); }
  double average() const { return average_; }  // bytes
  double highest() const { return highest_; }

 protected:
  void admit(PacketPtr packet, SimTime now, ByteCount sending) override;
  PacketPtr release(SimTime now) override;
  void hold(PacketPtr packet) override;
  std::vector<PacketPtr> drain() override { return waiting_.drain(); }

 private:
  void sample(SimTime now);
  double average_at(SimTime time) const;
  void adapt(SimTime now);
  double share() const;
  bool chosen();

  Config config_;
  RandomStream random_;
  PacketFifo waiting_;
  double average_ = 0.0;
  std::int64_t count_ = -1;  // packets since the last drop or mark; -1: the average was below `least`
  SimTime idle_since_ = SimTime::zero();
  bool idle_ = true;
  double highest_;
  SimTime adapt_next_ = SimTime::never();
};

// The typical packet is 1,500 bytes at the link's rate, where it has one.
std::unique_ptr<QueueDiscipline> make_queue(const Red::Config& config, const QueuePlace& place,
                                            RandomStream random);

}  // namespace simcore

// SPDX-License-Identifier: MIT
//
// RedControl: the average of random early detection, and who is dropped or marked at it; the queue is somebody else's, of
// packets (red.h), or of packets and fluid (fluid_link.h). Floyd and Jacobson 1993, in bytes as Linux's.
//
//   average = (1 - weight) average + weight * queue               when a packet comes
//   average = (1 - weight)^m average                              after an idle time of m typical packets
//
//   average < least               nobody is chosen
//   least <= average < most       p = highest * (average - least) / (most - least), and p / (1 - count * p) after
//                                 `count` packets since the last one, which spreads them evenly
//   most <= average               everybody is chosen; `gentle`: p rises from highest to 1 at twice `most` (Floyd 2000)
//
// `adaptive`: each half second `highest` moves so that the average comes to the middle, between 0.4 and 0.6 of the way from
// least to most: it grows by 0.01, a quarter of itself at most, up to 0.5, or shrinks by a tenth, down to 0.01 (Floyd,
// Gummadi and Shenker, "Adaptive RED", 2001; Linux include/net/red.h, red_adaptative_algo). There is no timer: what was due is
// reckoned when the next packet comes.
//
// Fluid is many packets: n of them that find the same queue move the average to it by (1 - weight)^n. Of evenly spread
// packets every 1 / p-th at most is chosen, after 1 to 1 / p with equal chance, which is a share of 2 p / (1 + p).
#pragma once

#include "simcore/kernel/random.h"
#include "simcore/units/data.h"
#include "simcore/units/time.h"

namespace simcore {

template <class T>
class OptionTable;

class RedControl {
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
  RedControl(const Config& config, RandomStream random);

  // A packet comes, and finds so many bytes. Whether it is dropped or marked.
  bool chosen(SimTime now, ByteCount queued);

  // The queue begins with this.
  void begin_with(ByteCount queued);
  // Nothing waits any more.
  void empty(SimTime now);

  // So many packets of fluid have come since the last call, and there are so many bytes now. Which share of those to come is
  // chosen. Such a queue is never told to be empty.
  double flow(SimTime now, double packets, ByteCount queued);

  const Config& config() const { return config_; }
  double average() const { return average_; }  // bytes
  double highest() const { return highest_; }

 private:
  double average_at(SimTime time) const;
  void adapt(SimTime now);
  bool too_small() const;
  bool too_large() const;
  double chance() const;

  Config config_;
  RandomStream random_;
  double average_ = 0.0;
  std::int64_t count_ = -1;  // packets since the last that was chosen; -1: the average was below `least`
  SimTime idle_since_ = SimTime::zero();
  bool idle_ = true;
  double highest_;
  SimTime adapt_next_ = SimTime::never();
  SimTime flowed_ = SimTime::zero();
};

// The typical packet is 1,500 bytes at this rate, unless the configuration says another.
RedControl::Config with_typical_packet(RedControl::Config config, DataRate rate);

}  // namespace simcore

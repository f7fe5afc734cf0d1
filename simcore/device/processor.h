// SPDX-License-Identifier: MIT
//
// Processor: what a node needs to look at a packet: a serial server in front of it (Kendall's D/1/K service).
//
//   interface --> [ bounded FIFO | one packet at a time, `delay` each ] --> node
//
// It handles what arrives by the node's interfaces, one segment after the other, whichever interface it came by: a node
// handles at most 1/delay packets per second. What the node sends of its own does not wait for it. A train is handled
// segment by segment as they arrive, and goes on as the train that they then are; until its last segment is done it
// counts as all of them against the bound.
#pragma once

#include <cstdint>
#include <string>

#include "simcore/kernel/simulation.h"
#include "simcore/link/drop_counters.h"
#include "simcore/link/ring.h"
#include "simcore/packet/packet.h"

namespace simcore {

class Interface;
class Node;

class Processor {
 public:
  struct Config {
    Duration delay;  // per packet, above 0
    std::int64_t queue_packets =
        1'000;  // that wait or are handled; what comes above is dropped as processor_full
  };

  // Throws ConfigError when a value is out of range. Both must outlive it.
  Processor(Simulation& simulation, Node& node, const Config& config);

  // Takes what `arrival`, an interface of the node, got from its link.
  void accept(Interface& arrival, PacketPtr packet);

  // Segments that wait, or whose handling has not begun.
  std::uint64_t held_segments() const;

  // Drops what came by `arrival` and waits; says how many segments.
  std::uint64_t drop_from(const Interface& arrival);

  const Config& config() const { return config_; }
  std::string place() const;

 private:
  struct Job {
    PacketPtr packet;
    Interface* arrival = nullptr;
  };
  struct Handled {  // of a train of which the first segment is done
    SimTime done = SimTime::zero();
    std::int64_t packets = 0;
  };

  void finish();
  void forget_handled();

  Simulation& simulation_;
  Node& node_;
  Config config_;
  Ring<Job> jobs_;  // each packet's first_arrival is when it leaves
  Ring<Handled> handled_;
  std::int64_t packets_ = 0;
  SimTime free_ = SimTime::zero();
  EventFor<Processor, &Processor::finish, "a packet has been handled"> finish_{*this};
};

}  // namespace simcore

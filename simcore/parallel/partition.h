// SPDX-License-Identifier: MIT
//
// Partition: one part of a simulation: a network of its own, whose cut links lead to other partitions. Used by one thread
// at a time.
//
//   Partition partition(seed, 0, 2);
//   partition.network().add_node(NodeKind::router, "r1"); ...
//   partition.add_link("h1-r1", 0, "h1-eth0", "r1-eth1", there, back);
//   partition.add_cut_link("r1-r2", {.number = 1, .near = "r1-eth2", .far = "r2-eth1", .partition = 1}, there, back);
//
// The trace does not depend on how the network is partitioned:
//   1. Of the events of one instant, arrivals by links come first, in the order of the links' numbers, which are those of
//      the description (Event::set_rank).
//   2. The others come in the order in which they were scheduled, and an event of a node is scheduled by events of that
//      node and of arrivals at it alone. So those of one node have the same order among themselves whatever is elsewhere.
//   3. Every random stream belongs to one element, and every element to one partition. Of a cut link, all up to its
//      propagation delay is at the sender; its extra delay is at the receiver.
// What is not equal is the memory: each partition has a pool of packets, and what a pool that is exhausted drops depends on
// what else it holds. The counters pool_exhausted and pool_share say whether that happened.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "simcore/network/simulated_network.h"
#include "simcore/network/snapshot.h"
#include "simcore/network/standstill.h"
#include "simcore/parallel/cut_end.h"
#include "simcore/parallel/exchange.h"
#include "simcore/parallel/parcel.h"
#include "simcore/traffic/transfer_ends.h"

namespace simcore {

// What lives in a partition's time besides its events: the kernel of a machine, say.
class Companion {
 public:
  virtual SimTime next_event() = 0;
  // All that it does before `bound`; it sees nothing of the network meanwhile. Precondition: next_event() < bound.
  virtual void run_before(SimTime bound) = 0;

 protected:
  ~Companion() = default;
};

class Partition {
 public:
  struct Counters {
    std::uint64_t windows = 0;
    std::uint64_t sent_parcels = 0;
    std::uint64_t sent_bytes = 0;
    std::int64_t waited_ns = 0;  // for the other partitions, wall clock
    std::int64_t wall_ns = 0;    // all of it
  };

  struct CutLink {
    std::uint32_t number;   // of the link
    std::string near;       // interface here
    std::string far;        // interface there
    std::size_t partition;  // there
    bool near_is_a = true;  // else the far one is
  };

  Partition(std::uint64_t seed, std::size_t own, std::size_t partitions);
  Partition(const Partition&) = delete;
  Partition& operator=(const Partition&) = delete;

  std::size_t own() const { return own_; }
  SimulatedNetwork& network() { return network_; }
  const SimulatedNetwork& network() const { return network_; }
  // Of transfers with an end here, or both.
  TransferEnds& transfer_ends() { return transfer_ends_; }
  const TransferEnds& transfer_ends() const { return transfer_ends_; }

  // `number`: that of the link in the description, the same in all partitions. Throws as SimulatedNetwork::add_link.
  void add_link(const std::string& name, std::uint32_t number, const std::string& a, const std::string& b,
                const LinkModel& a_to_b, const LinkModel& b_to_a);
  // Both directions, as in the description; the other partition has the same link. Throws ConfigError too when the
  // direction that is sent from here has no delay.
  void add_cut_link(const std::string& name, const CutLink& cut, const LinkModel& a_to_b,
                    const LinkModel& b_to_a);

  // From another port than an interface.
  void add_cut_link(const std::string& name, const CutLink& cut, const Links::End& near,
                    const LinkModel& a_to_b, const LinkModel& b_to_a);

  // It takes turns with the events, which come first where both are due at one instant. It must outlive the last turn.
  void accompany(Companion& companion) { companion_ = &companion; }

  SimTime now() const { return network_.simulation().now(); }
  SimTime next_event();

  // Fires what is due before `bound`, or less where parcels for others have become too many: they are to be given away.
  void run_before(SimTime bound);
  void advance_to(SimTime time) { network_.simulation().advance_to(time); }

  // Meets the others, gives them what is for them and takes what is from them. Times how long that took.
  void meet(Exchange& exchange, bool stop, Exchange::Round& round);

  Counters& counters() { return counters_; }
  const Counters& counters() const { return counters_; }

  Snapshot snapshot() const;
  // Of cut links, what has come: their rows are in the snapshots of the senders, and lack this.
  std::vector<SnapshotRow> arrived() const;

 private:
  bool full() const;
  void fire_before(SimTime bound);
  void take_in(std::span<const std::uint8_t> bytes);

  SimulatedNetwork network_;
  TransferEnds transfer_ends_{network_};
  Standstill standstill_;
  std::size_t own_;
  Companion* companion_ = nullptr;
  std::vector<Outbox> outboxes_;               // one for each partition
  std::vector<std::unique_ptr<CutEnd>> ends_;  // by the number of their link; null: not cut, or not here
  Counters counters_;
};

}  // namespace simcore

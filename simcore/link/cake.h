// SPDX-License-Identifier: MIT
//
// Cake: the queue of a home's uplink (Høiland-Jørgensen, Täht and Morton, "Piece of CAKE", 2018; Linux net/sched/sch_cake.c).
// The link's rate and overhead are its shaper.
//
//   DSCP --> tin --> flow --> COBALT        hosts share a tin, and the flows of a host what it gets
//
//   tins    each has a rate at which its packets come first; whoever is within it goes, the last of these tins before the
//           others; where none is, the one whose turn is due earliest:
//             diffserv3   best effort 1, bulk (CS1, LE) 1/16, voice (CS7, CS6, EF, VA, TOS4) 1/4 of the link's rate
//             diffserv4   these with CS5 and CS4 as voice, and video (AF2x to AF4x, CS2, CS3, TOS4) 1/2
//             besteffort  one
//   flows   1,024 queues in a tin, in sets of eight: a flow takes one of its set that is free, so two share a queue only
//           where nine meet. They take turns (DRR++): a flow that has sent no more than its quantum comes first
//   hosts   a turn is a quantum by the number of flows of the busier of its two hosts (triple-isolate)
//   full    the front of the longest queue is dropped, and COBALT is told
//
// Left out: the filter of acknowledgements, NAT, ingress, what adapts to a rate by itself, and washing of DSCP.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "simcore/kernel/random.h"
#include "simcore/link/cobalt.h"
#include "simcore/link/flow_hash.h"
#include "simcore/link/packet_fifo.h"
#include "simcore/link/queue_discipline.h"
#include "simcore/link/queue_model.h"
#include "simcore/link/ring.h"

namespace simcore {

template <class T>
class OptionTable;

enum class CakeTins : std::uint8_t { besteffort, diffserv3, diffserv4 };
enum class CakeIsolation : std::uint8_t { flows, triple };

class Cake final : public QueueDiscipline {
 public:
  struct Config {
    CakeTins tins = CakeTins::diffserv3;
    CakeIsolation isolation = CakeIsolation::triple;
    Duration target = Duration::ms(5);      // > 0
    Duration interval = Duration::ms(100);  // > 0, in the order of a round trip
    bool ecn = true;

    bool operator==(const Config&) const = default;
    static const OptionTable<Config>& options();
  };

  // `limit` in packets, >= 1. Throws ConfigError when a value is out of its range.
  Cake(const Config& config, std::int64_t limit, DataRate rate, RandomStream random);

  void look(const std::function<void(const Packet&)>& see) const override;
  std::int64_t packets() const override { return packets_; }
  ByteCount bytes() const override { return bytes_; }

 protected:
  void admit(PacketPtr packet, SimTime now, ByteCount sending) override;
  PacketPtr release(SimTime now) override;
  void hold(PacketPtr packet) override;
  std::vector<PacketPtr> drain() override;

 private:
  // Where a flow is: nowhere; new, and within its quantum; the same, though its turn is among the others'; with others; or
  // empty while its control has not come to rest.
  enum class Set : std::uint8_t { none, sparse, sparse_waits, bulk, decaying };

  struct Flow {
    PacketFifo queue;
    CobaltControl control;
    std::uint64_t tag = 0;  // hash of who has the queue
    HostHashes hosts{};
    Set set = Set::none;
    std::int64_t deficit = 0;  // bytes
  };

  struct Tin {
    CobaltControl::Config control;
    std::int64_t rate = 0;     // bit/s
    std::int64_t quantum = 0;  // bytes
    SimTime next = SimTime::zero();
    std::vector<Flow> flows = {};
    Ring<std::size_t> fresh = {};
    Ring<std::size_t> others = {};
    Ring<std::size_t> decaying = {};
    std::int64_t waiting = 0;                                   // packets
    std::int64_t active = 0;                                    // flows that are neither nowhere nor decaying
    std::unordered_map<std::uint64_t, std::int64_t> from = {};  // bulk flows of each host that has any
    std::unordered_map<std::uint64_t, std::int64_t> to = {};
  };

  std::size_t tin_of(const Packet& packet) const;
  Flow& flow_of(Tin& tin, const Packet& packet, std::uint64_t hash, std::size_t& index) const;
  std::int64_t turn_of(Tin& tin, const Flow& flow);
  Tin* next_tin(SimTime now);
  Ring<std::size_t>* next_list(Tin& tin, bool first) const;
  PacketPtr release_from(Tin& tin, SimTime now, bool& first);
  PacketPtr take_from(Tin& tin, Flow& flow, SimTime now);
  void set_out(Tin& tin, Flow& flow, Set set);
  void count_hosts(Tin& tin, const Flow& flow, std::int64_t step) const;
  PacketPtr pop(Tin& tin, Flow& flow);
  void drop_from_longest(SimTime now);

  CakeTins by_;
  CakeIsolation isolation_;
  std::int64_t limit_;
  RandomStream random_;
  std::uint64_t salt_;
  std::vector<Tin> tins_;
  std::int64_t packets_ = 0;
  ByteCount bytes_ = ByteCount::zero();
};

// Its limit is the link's bound in packets. Throws ConfigError where the link has one in bytes, or no rate of its own.
std::unique_ptr<QueueDiscipline> make_queue(const Cake::Config& config, const QueuePlace& place,
                                            RandomStream random);

}  // namespace simcore

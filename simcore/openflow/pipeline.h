// SPDX-License-Identifier: MIT
//
// Pipeline: a packet's way through the tables, and what their actions make of it.
//
//   packet --> key --> cache of ways --hit--> flows of the way --> actions --> ports, controllers
//                          | miss                  ^
//                          `--> table, table, ... -'
//
// A way is the flow that each table gave, in order. Whatever two packets differ in, they go the same way if they agree in
// the bits that some flow looks at; so the cache is over these bits only (as Open vSwitch's megaflows are, but for all
// flows together). It holds for one version of the tables. An action that uncovers other headers ends the recorded part,
// and the tables behind it are looked up.
//
// What becomes of one packet is bounded (Pipeline::Allowance), however flows and groups multiply it.
//
// A train goes through as one packet. Where some action of the switch takes headers apart that a train must keep, trains
// come as single frames (Pipeline::set_single_frames).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "simcore/link/drop_counters.h"
#include "simcore/openflow/bridge.h"
#include "simcore/openflow/groups.h"
#include "simcore/openflow/meters.h"
#include "simcore/openflow/ports.h"
#include "simcore/openflow/tables.h"
#include "simcore/packet/packet.h"
#include "simcore/packet/packet_pool.h"

namespace simcore::openflow {

// Why and whence a packet goes to a controller.
struct PacketInCause {
  PacketInReason reason = PacketInReason::action;
  std::uint8_t table = 0;
  std::uint64_t cookie = ~std::uint64_t{0};
  bool implicit_miss = false;  // no flow matched: only controllers of 1.0 want that
};

// Where packets go.
class PipelineOutlet {
 public:
  // By a port that may forward.
  virtual void transmit(SwitchPort& port, PacketPtr packet) = 0;
  virtual void to_controllers(const Packet& packet, const FlowKey& key, const PacketInCause& cause) = 0;
  virtual void drop(DropReason reason, const Packet& packet) = 0;
  // Flows have got timeouts, or other ones.
  virtual void timeouts_changed() = 0;

 protected:
  ~PipelineOutlet() = default;
};

class Pipeline {
 public:
  Pipeline(Tables& tables, Groups& groups, Meters& meters, Ports& ports, PacketPool& pool,
           PipelineOutlet& outlet)
      : tables_(tables), groups_(groups), meters_(meters), ports_(ports), pool_(pool), outlet_(outlet) {}

  // A packet that came by a port. Precondition: it has an Ethernet header.
  void receive(std::uint32_t in_port, PacketPtr packet, SimTime now);
  // The actions of a packet-out. Says how much work they were, in units of about 10 ns.
  std::size_t perform(const Actions& actions, std::uint32_t in_port, PacketPtr packet, SimTime now);
  // As an ordinary bridge, without any flow.
  void forward_normally(std::uint32_t in_port, PacketPtr packet, SimTime now);

  // Whether the cache has the way of such a packet.
  bool knows(const FlowKey& key);
  void forget_port(std::uint32_t port) { bridge_.forget_port(port); }
  void set_single_frames(bool single) { single_frames_ = single; }
  Fragments fragments() const { return fragments_; }
  void set_fragments(Fragments fragments) { fragments_ = fragments; }

  std::uint64_t hits = 0;  // ways found in the cache
  std::uint64_t misses = 0;

 private:
  static constexpr std::size_t kLongestWay = 8;  // tables; what is behind these is looked up
  static constexpr std::size_t kSmallestCache = 64;
  static constexpr std::size_t kLargestCache = 8'192;
  static constexpr int kDeepest = 64;  // of resubmits and groups within each other

  // What is left for one packet.
  struct Allowance {
    static constexpr int kWork = 65'536;

    int lookups = 4'096;  // in tables, and of groups
    int work = kWork;     // actions and buckets; a copy is kCopyWork and more
  };
  static constexpr int kCopyWork = 16;
  static constexpr int kLearnWork = 100;

  struct Way {
    std::uint64_t version = 0;
    std::uint64_t hash = 0;
    std::uint8_t length = 0;
    bool missed = false;  // the table behind them had none
    std::array<Flow*, kLongestWay> flows{};
    const Action* learning = nullptr;  // the learn action of the way, and its flow
    Flow* learned = nullptr;
  };

  struct Context {
    PacketPtr packet;
    FlowKey key;
    Layout layout;
    SimTime now;
    Actions set;                           // the action set
    std::optional<std::uint32_t> pending;  // a port that the packet goes out of, once nothing else needs it
    bool sent = false;
    std::int64_t added = 0;  // bytes that actions have put into each frame
    std::uint8_t table = 0;
    const Flow* flow = nullptr;
    int depth = 0;
    Allowance* allowance = nullptr;
    Way* way = nullptr;  // of the packet as it came; null: tables are looked up
    std::size_t step = 0;
    bool recording = false;

    // On the wire as it came: what counters count, whatever actions have added.
    std::uint64_t bytes() const {
      return static_cast<std::uint64_t>(packet->wire_size().count() - added * packet->segments);
    }
  };

  void run_whole(std::uint32_t in_port, PacketPtr packet, SimTime now);
  Context begin(std::uint32_t in_port, PacketPtr packet, SimTime now, Allowance& allowance) const;
  Way* cached(const FlowKey& key, std::uint64_t& hash);
  Way* cached_again(std::uint64_t hash, std::uint64_t version);
  void store(const Way& way, const FlowKey& key);

  // It is a fragment, of which flows do not see all.
  bool hides(const FlowKey& key) const {
    return key.u8(at::kIpFragment) != 0 && fragments_ != Fragments::match;
  }
  void run(Context& context, std::uint8_t table);
  Flow* look_up(Context& context, std::uint8_t table) const;
  Flow* next_flow(Context& context, std::uint8_t table);
  // False: the packet has used up what it may.
  static bool spend(Context& context, std::size_t work);
  static bool write_into(Context& context, const Actions& written);
  void give_up(Context& context);
  void perform_flow(Context& context, Flow& flow, bool metered);
  bool meter(Context& context, std::uint32_t number, Flow& flow);
  void finish(Context& context);
  void end(Context& context);

  // False: the rest of the list is not done.
  bool apply(Context& context, const Actions& actions, bool last);
  bool apply(Context& context, const Action& action, bool last);
  void set_field(Context& context, const Field& named, FieldValue value, FieldValue mask);
  void output(Context& context, std::uint32_t port);
  void emit(Context& context, SwitchPort& port);
  void flood(Context& context, bool all);
  void normal(Context& context);
  void settle(Context& context);
  void to_controllers(Context& context, PacketInReason reason);
  void group(Context& context, std::uint32_t number, bool last);
  void bucket(Context& context, Bucket& bucket, bool last);
  Bucket* choose(Context& context, Group& group) const;
  bool live(Context& context, std::uint32_t port, std::uint32_t group, int depth) const;
  bool live(Context& context, const Bucket& bucket, int depth) const;
  void resubmit(Context& context, const Action& action);
  void learn(Context& context, const Action& action);
  bool decrement_ttl(Context& context, const Field& ttl, Needs needs);
  void push_tag(Context& context, std::uint16_t type);
  void pop_tag(Context& context);
  void push_label(Context& context, std::uint16_t type);
  void pop_label(Context& context, std::uint16_t type);
  void push_service(Context& context, std::uint16_t type);
  void pop_service(Context& context);
  void copy_ttl(Context& context, bool outwards);
  bool insert(Context& context, std::size_t offset, std::size_t count);
  void erase(Context& context, std::size_t offset, std::size_t count);
  void reparse(Context& context);
  PacketPtr copy(Context& context);

  Tables& tables_;
  Groups& groups_;
  Meters& meters_;
  Ports& ports_;
  PacketPool& pool_;
  PipelineOutlet& outlet_;
  Bridge bridge_;
  bool single_frames_ = false;
  Fragments fragments_ = Fragments::normal;

  std::vector<Way> cache_;           // by hash; a power of two
  std::vector<std::uint64_t> keys_;  // of each way, the words that are looked at
  std::size_t key_words_ = 0;
  std::uint64_t evicted_ = 0;  // since the cache has this size
};

}  // namespace simcore::openflow

// SPDX-License-Identifier: MIT
//
// FlowTable: the flows of one table. Lookup by tuple space: flows whose matches look at the same bits stand in one hash
// table, and these are tried in the order of their highest priorities (Srinivasan, Suri, Varghese, "Packet
// classification using tuple space search", SIGCOMM 1999).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "simcore/openflow/action.h"
#include "simcore/openflow/match.h"
#include "simcore/openflow/protocol.h"
#include "simcore/units/flat_map.h"
#include "simcore/units/time.h"

namespace simcore::openflow {

struct Flow {
  Match match;
  std::uint16_t priority = 0;
  std::uint8_t table = 0;
  std::uint16_t flags = 0;
  std::uint16_t idle_timeout = 0;  // seconds; 0: none
  std::uint16_t hard_timeout = 0;
  std::uint64_t cookie = 0;
  Instructions instructions;

  SimTime created = SimTime::zero();
  SimTime modified = SimTime::zero();
  SimTime used = SimTime::zero();
  std::uint64_t packets = 0;  // segments
  std::uint64_t bytes = 0;

  std::uint64_t serial = 0;        // of all flows of the switch
  SimTime due = SimTime::never();  // when its timeouts are looked at

  // Every packet, at the lowest priority: packets that it sends to a controller were missed by the others.
  bool is_table_miss() const { return priority == 0 && match.mask == FlowKey{}; }
  std::size_t memory() const;

 private:
  friend class FlowTable;
  Flow* next = nullptr;  // of the same hash
  std::uint64_t hash = 0;
  std::size_t place = 0;
};

// Bits of a FlowKey that something looks at, word by word.
using KeyWords = std::vector<std::pair<std::uint8_t, std::uint64_t>>;
KeyWords words_of(const FlowKey& mask);

inline std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15U;
  return hash ^ hash >> 29;
}

class FlowTable {
 public:
  // The flow of the highest priority that covers the key; of several the oldest. Null: a miss.
  Flow* lookup(const FlowKey& key) const;

  Flow* find(const Match& match, std::uint16_t priority) const;

  // Precondition: find() has none like it.
  Flow& add(std::unique_ptr<Flow> flow);
  std::unique_ptr<Flow> take(Flow& flow);

  const std::vector<std::unique_ptr<Flow>>& flows() const { return flows_; }
  // Different sets of bits that its flows look at.
  std::size_t masks() const { return tuples_.size(); }
  bool has_mask(const FlowKey& mask) const { return tuple(mask) != nullptr; }

  // The bits that lookups look at.
  void add_looked_at(FlowKey& mask) const;
  // Counts whenever these change.
  std::uint64_t shape() const { return shape_; }

  std::uint64_t lookups = 0;  // segments
  std::uint64_t matched = 0;

 private:
  struct Tuple {
    FlowKey mask;
    KeyWords words;
    FlatMap<std::uint64_t, Flow*> flows;  // by hash, the highest priority first
    std::map<std::uint16_t, std::size_t> priorities;
    std::size_t count = 0;

    std::uint16_t highest() const { return priorities.rbegin()->first; }
    std::uint64_t hash(const FlowKey& key) const;
  };

  Tuple* tuple(const FlowKey& mask) const;
  void order();

  std::vector<std::unique_ptr<Tuple>> tuples_;  // the highest priority first
  std::vector<std::unique_ptr<Flow>> flows_;
  std::uint64_t shape_ = 0;
};

}  // namespace simcore::openflow

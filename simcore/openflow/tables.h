// SPDX-License-Identifier: MIT
//
// Tables: all flow tables of a switch, their bounds, and the order in which timeouts end flows.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "simcore/openflow/flow_table.h"

namespace simcore::openflow {

class Tables {
 public:
  // `most_flows`: in all tables together; `most_bytes`: what they may take.
  Tables(std::size_t most_flows, std::size_t most_bytes) : most_flows_(most_flows), most_bytes_(most_bytes) {}

  // Precondition of all: number < kTables. Null: nothing was ever in it.
  FlowTable* at(std::uint8_t number) const { return tables_[number].get(); }
  FlowTable& make(std::uint8_t number);

  // Null, and `flow` is gone, where there is no room.
  Flow* add(std::unique_ptr<Flow> flow, SimTime now);
  // Other instructions for a flow; false where there is no room.
  bool replace(Flow& flow, Instructions instructions);
  std::unique_ptr<Flow> take(Flow& flow);
  // After a change of its timeouts.
  void schedule(Flow& flow);

  // What `learn` makes of a packet: the flow, new or refreshed. Null where there is no room, or the port is none.
  Flow* learn(const Learn& learn, const FlowKey& key, SimTime now);

  // When timeouts are to be looked at, SimTime::never() without; and the next flow that has timed out by then, with its
  // reason. Null: no other has.
  SimTime next_due() const { return due_.empty() ? SimTime::never() : due_.begin()->first.first; }
  std::pair<Flow*, RemovedReason> next_expired(SimTime now);

  // Flows with actions that take headers apart which a train must keep.
  std::size_t single_frame_flows() const { return single_frame_flows_; }

  std::size_t size() const { return flows_; }
  std::size_t most_flows() const { return most_flows_; }
  // Counts whenever a lookup may have another result.
  std::uint64_t version() const { return version_; }
  // The bits of a key upon which the way through the tables depends, as of now.
  const KeyWords& looked_at() {
    if (looked_version_ != version_) look_again();
    return looked_at_;
  }

  // Each flow, in no order that matters; none may come or go meanwhile.
  void each(std::uint8_t table, const std::function<void(Flow&)>& visit) const;

 private:
  static SimTime due_of(const Flow& flow);
  std::uint64_t shape() const;
  void look_again();
  void count(const Flow& flow, int change);

  std::array<std::unique_ptr<FlowTable>, kTables> tables_;
  std::map<std::pair<SimTime, std::uint64_t>, Flow*> due_;  // by that and serial number
  std::vector<const Flow*> readers_;                        // whose actions read fields
  KeyWords looked_at_;
  std::uint64_t shape_ = ~std::uint64_t{0};  // for which looked_at_ holds
  std::uint64_t looked_version_ = 0;
  std::uint64_t readers_changed_ = 0;
  std::size_t most_flows_;
  std::size_t most_bytes_;
  std::size_t flows_ = 0;
  std::size_t single_frame_flows_ = 0;
  std::size_t bytes_ = 0;
  std::uint64_t version_ = 1;
  std::uint64_t serial_ = 0;
};

}  // namespace simcore::openflow

// SPDX-License-Identifier: MIT
//
// Tables: all flow tables of a switch, their bounds, who uses which group and meter, and the order in which timeouts end
// flows.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "simcore/openflow/effort.h"
#include "simcore/openflow/flow_table.h"

namespace simcore::openflow {

class Tables {
 public:
  // Flows of all tables together look at so many different sets of bits, at most: a lookup tries one after the other.
  static constexpr std::size_t kMostMasks = 4'096;

  // `most_flows`: in all tables together; `most_bytes`: what they may take.
  Tables(std::size_t most_flows, std::size_t most_bytes) : most_flows_(most_flows), most_bytes_(most_bytes) {}

  // Precondition of all: number < kTables. Null: nothing was ever in it.
  FlowTable* at(std::uint8_t number) const { return tables_[number].get(); }
  FlowTable& make(std::uint8_t number);

  // Null, and `flow` is gone, where there is no room.
  Flow* add(std::unique_ptr<Flow> flow, SimTime now);
  // Exchanges the instructions of a flow; false, and they stay, where there is no room.
  bool replace(Flow& flow, Instructions& instructions);
  std::unique_ptr<Flow> take(Flow& flow);
  // After a change of its timeouts.
  void schedule(Flow& flow);

  // What `learn` makes of a packet: the flow, new or refreshed. Null where there is no room, or the port is none.
  // A packet may be on its way through a flow that it replaces: that lives on until forget_retired().
  Flow* learn(const Learn& learn, const FlowKey& key, SimTime now);
  void forget_retired() { retired_.clear(); }

  // When timeouts are to be looked at, SimTime::never() without; and the next flow that has timed out by then, with its
  // reason. Null: no other has, or the effort is spent.
  SimTime next_due() const { return due_.empty() ? SimTime::never() : due_.begin()->first.first; }
  std::pair<Flow*, RemovedReason> next_expired(SimTime now, Effort& effort);

  // A cookie of a table, whose flows are to go: the last `learn` that makes such flows, and takes them along, is gone.
  struct Learned {
    std::uint8_t table;
    std::uint64_t cookie;

    auto operator<=>(const Learned&) const = default;
  };
  bool has_unlearned() const { return !unlearned_.empty(); }
  // Takes one off that list. None: that was all.
  std::optional<Learned> next_unlearned();

  // Flows with actions that take headers apart which a train must keep.
  std::size_t single_frame_flows() const { return single_frame_flows_; }
  // Flows that name a group or a meter.
  std::size_t users_of_group(std::uint32_t number) const { return of(group_users_, number); }
  std::size_t users_of_meter(std::uint32_t number) const { return of(meter_users_, number); }
  bool groups_used() const { return !group_users_.empty(); }
  bool meters_used() const { return !meter_users_.empty(); }

  std::size_t size() const { return flows_; }
  std::size_t most_flows() const { return most_flows_; }
  // Counts whenever a lookup may have another result.
  std::uint64_t version() const { return version_; }
  // The bits of a key upon which the way through the tables depends, as of now.
  const KeyWords& looked_at() {
    if (looked_version_ != version_) look_again();
    return looked_at_;
  }

  // A walk over the flows of a table, or of all, while flows come and go: it sees each that stays, the youngest first;
  // one may come twice.
  struct Walk {
    explicit Walk(std::uint8_t number)
        : table(number == kAllTables ? std::uint8_t{0} : number),
          end(number == kAllTables ? kTables : static_cast<std::uint8_t>(number + 1)) {}

    std::uint8_t table;
    std::uint8_t end;
    std::size_t left = ~std::size_t{0};  // flows of this table
  };
  // Null: that was the last.
  Flow* next(Walk& walk) const;

 private:
  struct ByWords {
    bool operator()(const FlowKey& a, const FlowKey& b) const { return a.words < b.words; }
  };
  using Users = std::map<std::uint32_t, std::size_t>;

  static std::size_t of(const Users& users, std::uint32_t number) {
    const auto found = users.find(number);
    return found == users.end() ? 0 : found->second;
  }
  Flow* replace_learned(Flow& old, Actions actions, SimTime now);
  bool has_room(const Flow& flow) const;
  static SimTime due_of(const Flow& flow);
  std::uint64_t shape() const;
  void look_again();
  void count(const Flow& flow, int change);

  std::array<std::unique_ptr<FlowTable>, kTables> tables_;
  std::map<std::pair<SimTime, std::uint64_t>, Flow*> due_;  // by that and serial number
  std::map<FlowKey, std::size_t, ByWords> readers_;         // what actions read, and how many flows do
  Users group_users_;
  Users meter_users_;
  std::map<Learned, std::size_t>
      learners_;                    // that take their flows along, and how many flows have such an action
  std::vector<Learned> unlearned_;  // that have lost the last, some of which have got another since
  std::vector<std::unique_ptr<Flow>> retired_;
  KeyWords looked_at_;
  std::uint64_t shape_ = ~std::uint64_t{0};  // for which looked_at_ holds
  std::uint64_t looked_version_ = 0;
  std::uint64_t readers_changed_ = 0;
  std::size_t most_flows_;
  std::size_t most_bytes_;
  std::size_t flows_ = 0;
  std::size_t single_frame_flows_ = 0;
  std::size_t masks_ = 0;
  std::size_t bytes_ = 0;
  std::uint64_t version_ = 1;
  std::uint64_t serial_ = 0;
};

}  // namespace simcore::openflow

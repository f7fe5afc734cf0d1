// SPDX-License-Identifier: MIT
//
// Modifications of groups and meters. Each is checked as a whole before anything changes.
#include <algorithm>
#include <utility>

#include "simcore/openflow/flow_filter.h"
#include "simcore/openflow/switch.h"

namespace simcore::openflow {

void Switch::group_mod(Reader body) {
  enum : std::uint16_t { kAdd = 0, kModify = 1, kErase = 2 };
  const std::uint16_t command = body.u16();
  const std::uint8_t kind = body.u8();
  body.skip(1);
  const std::uint32_t number = body.u32();
  if (command > kErase) throw ProtocolError(error::kGroupCommand);
  if (command == kErase) {
    if (number != kAllGroups) return remove_group(number);
    while (!groups_.empty()) remove_group(groups_.begin()->first);
    return;
  }
  if (kind > static_cast<std::uint8_t>(GroupType::fast_failover)) throw ProtocolError(error::kGroupType);
  if (number > kMaxGroup) throw ProtocolError(error::kInvalidGroup);
  Group made;
  made.type = static_cast<GroupType>(kind);
  made.buckets = read_buckets(body);
  check_group(made.type, made.buckets);
  for (const Bucket& bucket : made.buckets) {
    for (const Action& action : bucket.actions) {
      if (action.type == ActionType::group && action.port == number) throw ProtocolError(error::kGroupLoop);
    }
  }
  const auto there = groups_.find(number);
  if (command == kAdd && there != groups_.end()) throw ProtocolError(error::kGroupExists);
  if (command == kModify && there == groups_.end()) throw ProtocolError(error::kUnknownGroup);
  const std::size_t before = there == groups_.end() ? 0 : memory_of(there->second);
  const std::size_t after = memory_of(made);
  if ((command == kAdd && groups_.size() >= kMostGroups) || group_bytes_ - before + after > kMostGroupBytes)
    throw ProtocolError(error::kOutOfGroups);
  made.created = there == groups_.end() ? host_.now() : there->second.created;
  groups_[number] = std::move(made);
  group_bytes_ += after - before;
  judge_trains();
}

void Switch::remove_group(std::uint32_t number) {
  const auto found = groups_.find(number);
  if (found == groups_.end()) return;
  FlowFilter of_group;
  of_group.out_group = number;
  for (Flow* const flow : selected(of_group)) remove_flow(*flow, RemovedReason::group_erased);
  group_bytes_ -= memory_of(found->second);
  groups_.erase(found);
  judge_trains();
}

void Switch::meter_mod(Reader body) {
  enum : std::uint16_t { kAdd = 0, kModify = 1, kErase = 2 };
  const std::uint16_t command = body.u16();
  const std::uint16_t flags = body.u16();
  const std::uint32_t number = body.u32();
  if (command > kErase) throw ProtocolError(error::kMeterCommand);
  if (command == kErase) {
    if (number != kAllMeters) return remove_meter(number);
    while (!meters_.empty()) remove_meter(meters_.begin()->first);
    return;
  }
  if (number == 0 || number > kMaxMeter) throw ProtocolError(error::kInvalidMeter);
  Meter made;
  made.flags = flags;
  made.bands = read_bands(body, flags);
  const auto there = meters_.find(number);
  if (command == kAdd && there != meters_.end()) throw ProtocolError(error::kMeterExists);
  if (command == kModify && there == meters_.end()) throw ProtocolError(error::kUnknownMeter);
  if (command == kAdd && meters_.size() >= kMostMeters) throw ProtocolError(error::kOutOfMeters);
  made.created = there == meters_.end() ? host_.now() : there->second.created;
  made.begin(host_.now());
  meters_[number] = std::move(made);
}

void Switch::remove_meter(std::uint32_t number) {
  const auto found = meters_.find(number);
  if (found == meters_.end()) return;
  std::vector<Flow*> users;
  tables_.each(kAllTables, [&](Flow& flow) {
    if (flow.instructions.meter == number) users.push_back(&flow);
  });
  for (Flow* const flow : users) remove_flow(*flow, RemovedReason::erased);
  meters_.erase(found);
}

// Whether trains may come whole. Flows that went are judged with the next change.
void Switch::judge_trains() {
  bool single = std::ranges::any_of(groups_, [](const auto& each) {
    return std::ranges::any_of(each.second.buckets,
                               [](const Bucket& bucket) { return needs_single_frames(bucket.actions); });
  });
  if (!single) single = tables_.single_frame_flows() > 0;
  pipeline_.set_single_frames(single);
}

}  // namespace simcore::openflow

// SPDX-License-Identifier: MIT
//
// Modifications of groups and meters. Each is checked as a whole before anything changes. Groups may name each other in
// a loop, as in Open vSwitch: the pipeline bounds what a packet does there.
#include <algorithm>
#include <utility>

#include "simcore/openflow/flow_filter.h"
#include "simcore/openflow/switch.h"

namespace simcore::openflow {

void Switch::group_mod(Session& session, Reader body) {
  enum : std::uint16_t { kAdd = 0, kModify = 1, kErase = 2, kAddOrModify = 0x8000 };
  std::uint16_t command = body.u16();
  const std::uint8_t kind = body.u8();
  body.skip(1);
  const std::uint32_t number = body.u32();
  if (command > kErase && command != kAddOrModify) throw ProtocolError(error::kGroupCommand);
  if (kind > static_cast<std::uint8_t>(GroupType::fast_failover)) throw ProtocolError(error::kGroupType);
  Group made;
  made.type = static_cast<GroupType>(kind);
  made.buckets = read_buckets(body);
  if (command == kErase) {
    if (!made.buckets.empty()) throw ProtocolError(error::kInvalidGroup);
    return erase_groups(session, number);
  }
  check_group(made.type, made.buckets);
  const auto there = groups_.find(number);
  if (command == kAddOrModify) command = there == groups_.end() ? kAdd : kModify;
  if (command == kAdd && number > kMaxGroup) throw ProtocolError(error::kInvalidGroup);
  if (command == kAdd && there != groups_.end()) throw ProtocolError(error::kGroupExists);
  if (command == kModify && there == groups_.end()) throw ProtocolError(error::kUnknownGroup);
  const std::size_t before = there == groups_.end() ? 0 : memory_of(there->second);
  const std::size_t after = memory_of(made);
  if ((command == kAdd && groups_.size() >= kMostGroups) || group_bytes_ - before + after > kMostGroupBytes)
    throw ProtocolError(error::kOutOfGroups);
  made.created = there == groups_.end() ? host_.now() : there->second.created;
  if (there != groups_.end() && needs_single_frames(there->second)) --single_frame_groups_;
  if (needs_single_frames(made)) ++single_frame_groups_;
  groups_[number] = std::move(made);
  group_bytes_ += after - before;
  judge_trains();
}

// The groups are gone at once, the flows that go to them with the next turns where they are many.
void Switch::erase_groups(Session& session, std::uint32_t number) {
  const bool all = number == kAllGroups;
  if (!all && !groups_.contains(number)) return;
  const bool used = all ? tables_.groups_used() : tables_.users_of_group(number) != 0;
  for (auto place = all ? groups_.begin() : groups_.find(number); place != groups_.end();) {
    group_bytes_ -= memory_of(place->second);
    single_frame_groups_ -= needs_single_frames(place->second) ? 1U : 0U;
    place = groups_.erase(place);
    if (!all) break;
  }
  judge_trains();
  if (!used) return;
  walk(
      session, kAllTables,
      [all, number](const Flow& flow) {
        return all ? goes_to_groups(flow.instructions) : goes_to_group(flow.instructions, number);
      },
      [this](Flow& flow) { remove_flow(flow, RemovedReason::group_erased); }, [this] { judge_trains(); });
}

void Switch::meter_mod(Session& session, Reader body) {
  enum : std::uint16_t { kAdd = 0, kModify = 1, kErase = 2 };
  const std::uint16_t command = body.u16();
  const std::uint16_t flags = body.u16();
  const std::uint32_t number = body.u32();
  if (command > kErase) throw ProtocolError(error::kMeterCommand);
  if (command == kErase) {
    if (body.left() % 8 != 0) throw ProtocolError(error::kBadLength);
    return erase_meters(session, number);
  }
  const bool reserved = number == kControllerMeter || number == kSlowpathMeter;
  if (number == 0 || (number > kMaxMeter && !reserved)) throw ProtocolError(error::kInvalidMeter);
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

// As erase_groups().
void Switch::erase_meters(Session& session, std::uint32_t number) {
  const bool all = number == kAllMeters;
  if (!all && !meters_.contains(number)) return;
  const bool used = all ? tables_.meters_used() : tables_.users_of_meter(number) != 0;
  if (all) {
    meters_.clear();
  } else {
    meters_.erase(number);
  }
  if (!used) return;
  walk(
      session, kAllTables,
      [all, number](const Flow& flow) {
        const auto& meter = flow.instructions.meter;
        return all ? meter.has_value() : meter == number;
      },
      [this](Flow& flow) { remove_flow(flow, RemovedReason::erased); }, [this] { judge_trains(); });
}

// Whether trains may come whole. Flows that went are judged with the next change.
void Switch::judge_trains() {
  pipeline_.set_single_frames(single_frame_groups_ > 0 || tables_.single_frame_flows() > 0);
}

}  // namespace simcore::openflow

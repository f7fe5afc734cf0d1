// SPDX-License-Identifier: MIT
//
// What a message is, by the second byte of its header, and of which type a multipart message is: the numbers of OpenFlow 1.3,
// and those of 1.0 that differ.
#pragma once

#include <cstdint>

namespace simcore::openflow {

namespace type {
enum Number : std::uint8_t {
  kHello = 0,
  kError = 1,
  kEchoRequest = 2,
  kEchoReply = 3,
  kExperimenter = 4,
  kFeaturesRequest = 5,
  kFeaturesReply = 6,
  kGetConfigRequest = 7,
  kGetConfigReply = 8,
  kSetConfig = 9,
  kPacketIn = 10,
  kFlowRemoved = 11,
  kPortStatus = 12,
  kPacketOut = 13,
  kFlowMod = 14,
  kGroupMod = 15,
  kPortMod = 16,
  kTableMod = 17,
  kMultipartRequest = 18,
  kMultipartReply = 19,
  kBarrierRequest = 20,
  kBarrierReply = 21,
  kQueueConfigRequest = 22,
  kQueueConfigReply = 23,
  kRoleRequest = 24,
  kRoleReply = 25,
  kGetAsyncRequest = 26,
  kGetAsyncReply = 27,
  kSetAsync = 28,
  kMeterMod = 29,
};
}  // namespace type
namespace type10 {
enum : std::uint8_t {
  kPortMod = 15,
  kStatisticsRequest = 16,
  kStatisticsReply = 17,
  kBarrierRequest = 18,
  kBarrierReply = 19,
  kQueueConfigRequest = 20,
  kQueueConfigReply = 21,
};
}  // namespace type10

// What a multipart message of 1.3, and a statistics message of 1.0 up to kQueues, is about.
namespace multipart_type {
enum Number : std::uint16_t {
  kDescription = 0,
  kFlows = 1,
  kAggregate = 2,
  kTableCounters = 3,
  kPortCounters = 4,
  kQueues = 5,
  kGroupCounters = 6,
  kGroupDescriptions = 7,
  kGroupFeatures = 8,
  kMeterCounters = 9,
  kMeterConfigs = 10,
  kMeterFeatures = 11,
  kTableFeatures = 12,
  kPortDescriptions = 13,
};
}  // namespace multipart_type

}  // namespace simcore::openflow

// SPDX-License-Identifier: MIT
//
// The numbers of OpenFlow 1.0 and 1.3 that more than one file needs, by the names of the specifications.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>

namespace simcore::openflow {

enum class Version : std::uint8_t { v10 = 1, v13 = 4 };

// Reserved ports, as OpenFlow 1.3 has them; those of 1.0 are the low 16 bits.
namespace port_no {
inline constexpr std::uint32_t kMax = 0xffffff00;
inline constexpr std::uint32_t kInPort = 0xfffffff8;
inline constexpr std::uint32_t kTable = 0xfffffff9;
inline constexpr std::uint32_t kNormal = 0xfffffffa;
inline constexpr std::uint32_t kFlood = 0xfffffffb;
inline constexpr std::uint32_t kAll = 0xfffffffc;
inline constexpr std::uint32_t kController = 0xfffffffd;
inline constexpr std::uint32_t kLocal = 0xfffffffe;
inline constexpr std::uint32_t kAny = 0xffffffff;
inline constexpr std::uint16_t kMax10 = 0xff00;
}  // namespace port_no

inline constexpr std::size_t kEthernetHeader = 14;
inline constexpr std::uint32_t kNoBuffer = 0xffffffff;
inline constexpr std::uint32_t kMaxGroup = 0xffffff00;
inline constexpr std::uint32_t kAllGroups = 0xfffffffc;
inline constexpr std::uint32_t kAnyGroup = 0xffffffff;
inline constexpr std::uint32_t kMaxMeter = 0xffff0000;
inline constexpr std::uint32_t kSlowpathMeter = 0xfffffffd;
inline constexpr std::uint32_t kControllerMeter = 0xfffffffe;
inline constexpr std::uint32_t kAllMeters = 0xffffffff;
inline constexpr std::uint8_t kTables = 254;  // numbers 0 to 253, as Open vSwitch shows
inline constexpr std::uint8_t kAllTables = 255;
inline constexpr std::uint32_t kNicira = 0x00002320;
inline constexpr std::uint32_t kOnf = 0x4f4e4600;

namespace ethertype {
inline constexpr std::uint16_t kIpv4 = 0x0800;
inline constexpr std::uint16_t kArp = 0x0806;
inline constexpr std::uint16_t kRarp = 0x8035;
inline constexpr std::uint16_t kVlan = 0x8100;
inline constexpr std::uint16_t kServiceVlan = 0x88a8;
inline constexpr std::uint16_t kIpv6 = 0x86dd;
inline constexpr std::uint16_t kMpls = 0x8847;
inline constexpr std::uint16_t kMplsMulticast = 0x8848;
inline constexpr std::uint16_t kPbb = 0x88e7;
inline constexpr std::uint16_t kNone = 0x05ff;  // an 802.3 frame without SNAP
}  // namespace ethertype

enum class PacketInReason : std::uint8_t { no_match = 0, action = 1, invalid_ttl = 2 };
enum class RemovedReason : std::uint8_t { idle_timeout = 0, hard_timeout = 1, erased = 2, group_erased = 3 };
enum class PortReason : std::uint8_t { added = 0, erased = 1, modified = 2 };
// What becomes of fragments, as a controller sets it for the whole switch (OFPC_FRAG_*; `match` is Nicira's).
enum class Fragments : std::uint8_t {
  normal = 0,      // flows see no ports of theirs, not even the first one's
  drop = 1,        // they are dropped before any flow
  reassemble = 2,  // not to be had
  match = 3,       // the first one has its ports
};
enum class Role : std::uint32_t { nochange = 0, equal = 1, master = 2, slave = 3 };

namespace port_config {
inline constexpr std::uint32_t kDown = 1U << 0;
inline constexpr std::uint32_t kNoReceive = 1U << 2;
inline constexpr std::uint32_t kNoFlood = 1U << 4;  // of 1.0
inline constexpr std::uint32_t kNoForward = 1U << 5;
inline constexpr std::uint32_t kNoPacketIn = 1U << 6;
}  // namespace port_config
namespace port_state {
inline constexpr std::uint32_t kLinkDown = 1U << 0;
inline constexpr std::uint32_t kLive = 1U << 2;
}  // namespace port_state

namespace flow_flag {
inline constexpr std::uint16_t kSendRemoved = 1U << 0;
inline constexpr std::uint16_t kCheckOverlap = 1U << 1;
inline constexpr std::uint16_t kResetCounts = 1U << 2;
inline constexpr std::uint16_t kNoPacketCounts = 1U << 3;
inline constexpr std::uint16_t kNoByteCounts = 1U << 4;
inline constexpr std::uint16_t kEmergency10 = 1U << 2;  // of 1.0
}  // namespace flow_flag

// An error message's type and code, as OpenFlow 1.3 counts them. Of type kExperimenterError the code is one of the Open
// Networking Foundation's.
struct ErrorCode {
  std::uint16_t type;
  std::uint16_t code;

  bool operator==(const ErrorCode&) const = default;
};

inline constexpr std::uint16_t kExperimenterError = 0xffff;

// The same as OpenFlow 1.0 counts them. What it does not know becomes Nicira's where that has a word (kNiciraError), or
// else the nearest that it does know.
ErrorCode in_version_10(ErrorCode error);
// An error of 1.0 that Nicira's extension tells: type and code of it stand behind this.
inline constexpr ErrorCode kNiciraError{0xb0c2, 0};
// Null: 1.0 tells it by itself.
const ErrorCode* nicira_error10(ErrorCode error);

namespace error {
inline constexpr ErrorCode kHelloIncompatible{0, 0};
inline constexpr ErrorCode kBadVersion{1, 0};
inline constexpr ErrorCode kBadType{1, 1};
inline constexpr ErrorCode kBadMultipart{1, 2};
inline constexpr ErrorCode kBadExperimenter{1, 3};
inline constexpr ErrorCode kBadExperimenterType{1, 4};
inline constexpr ErrorCode kPermission{1, 5};
inline constexpr ErrorCode kBadLength{1, 6};
inline constexpr ErrorCode kBufferUnknown{1, 8};
inline constexpr ErrorCode kBadTable{1, 9};
inline constexpr ErrorCode kIsSlave{1, 10};
inline constexpr ErrorCode kBadPort{1, 11};
inline constexpr ErrorCode kBadPacket{1, 12};
inline constexpr ErrorCode kMultipartOverflow{1, 13};
inline constexpr ErrorCode kActionType{2, 0};
inline constexpr ErrorCode kActionLength{2, 1};
inline constexpr ErrorCode kActionExperimenter{2, 2};
inline constexpr ErrorCode kActionExperimenterType{2, 3};
inline constexpr ErrorCode kActionOutPort{2, 4};
inline constexpr ErrorCode kActionArgument{2, 5};
inline constexpr ErrorCode kActionTooMany{2, 7};
inline constexpr ErrorCode kActionOutGroup{2, 9};
inline constexpr ErrorCode kActionInconsistent{2, 10};
inline constexpr ErrorCode kActionTag{2, 12};
inline constexpr ErrorCode kActionSetType{2, 13};
inline constexpr ErrorCode kActionSetLength{2, 14};
inline constexpr ErrorCode kActionSetArgument{2, 15};
inline constexpr ErrorCode kActionSetMask{kExperimenterError, 4250};
inline constexpr ErrorCode kUnknownInstruction{3, 0};
inline constexpr ErrorCode kInstructionTable{3, 2};
inline constexpr ErrorCode kInstructionExperimenter{3, 5};
inline constexpr ErrorCode kInstructionLength{3, 7};
inline constexpr ErrorCode kDuplicateInstruction{kExperimenterError, 2600};
inline constexpr ErrorCode kMatchType{4, 0};
inline constexpr ErrorCode kMatchLength{4, 1};
inline constexpr ErrorCode kMatchWildcards{4, 5};
inline constexpr ErrorCode kMatchField{4, 6};
inline constexpr ErrorCode kMatchValue{4, 7};
inline constexpr ErrorCode kMatchMask{4, 8};
inline constexpr ErrorCode kMatchPrerequisite{4, 9};
inline constexpr ErrorCode kMatchDuplicate{4, 10};
inline constexpr ErrorCode kTableFull{5, 1};
inline constexpr ErrorCode kFlowTable{5, 2};
inline constexpr ErrorCode kOverlap{5, 3};
inline constexpr ErrorCode kFlowTimeout{5, 5};
inline constexpr ErrorCode kFlowCommand{5, 6};
inline constexpr ErrorCode kFlowFlags{5, 7};
inline constexpr ErrorCode kGroupExists{6, 0};
inline constexpr ErrorCode kInvalidGroup{6, 1};
inline constexpr ErrorCode kOutOfGroups{6, 3};
inline constexpr ErrorCode kOutOfBuckets{6, 4};
inline constexpr ErrorCode kWatchUnsupported{6, 6};
inline constexpr ErrorCode kUnknownGroup{6, 8};
inline constexpr ErrorCode kGroupType{6, 10};
inline constexpr ErrorCode kGroupCommand{6, 11};
inline constexpr ErrorCode kBadBucket{6, 12};
inline constexpr ErrorCode kPortModPort{7, 0};
inline constexpr ErrorCode kPortModAddress{7, 1};
inline constexpr ErrorCode kTableModTable{8, 0};
inline constexpr ErrorCode kTableModPermission{8, 2};
inline constexpr ErrorCode kQueuePort{9, 0};
inline constexpr ErrorCode kQueueQueue{9, 1};
inline constexpr ErrorCode kConfigFlags{10, 0};
inline constexpr ErrorCode kRoleStale{11, 0};
inline constexpr ErrorCode kRoleBad{11, 2};
inline constexpr ErrorCode kMeterExists{12, 1};
inline constexpr ErrorCode kInvalidMeter{12, 2};
inline constexpr ErrorCode kUnknownMeter{12, 3};
inline constexpr ErrorCode kMeterCommand{12, 4};
inline constexpr ErrorCode kMeterFlags{12, 5};
inline constexpr ErrorCode kMeterRate{12, 6};
inline constexpr ErrorCode kMeterBand{12, 8};
inline constexpr ErrorCode kMeterBandValue{12, 9};
inline constexpr ErrorCode kOutOfMeters{12, 10};
inline constexpr ErrorCode kOutOfBands{12, 11};
inline constexpr ErrorCode kTableFeatures{13, 5};  // EPERM: they cannot be set
}  // namespace error

// What a malformed or refused message ends in: the error message that is sent back. Never on the packet path.
class ProtocolError : public std::exception {
 public:
  explicit ProtocolError(ErrorCode code) : code_(code) {}
  ErrorCode code() const { return code_; }
  const char* what() const noexcept override { return "OpenFlow message refused"; }

 private:
  ErrorCode code_;
};

}  // namespace simcore::openflow

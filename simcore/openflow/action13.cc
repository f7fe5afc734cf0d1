// SPDX-License-Identifier: MIT
//
// The actions of OpenFlow 1.3, read and written (section 7.2.5).
#include <algorithm>

#include "simcore/openflow/action_codec.h"

namespace simcore::openflow {

namespace {

enum : std::uint16_t {
  kOutput = 0,
  kCopyTtlOut = 11,
  kCopyTtlIn = 12,
  kSetMplsTtl = 15,
  kDecMplsTtl = 16,
  kPushVlan = 17,
  kPopVlan = 18,
  kPushMpls = 19,
  kPopMpls = 20,
  kSetQueue = 21,
  kGroup = 22,
  kSetNwTtl = 23,
  kDecNwTtl = 24,
  kSetField = 25,
  kPushPbb = 26,
  kPopPbb = 27,
};

Action read_set_field(Reader body) {
  OxmField read{};
  try {
    read = read_oxm(body);
  } catch (const ProtocolError& refused) {
    if (refused.code() == error::kMatchLength) throw ProtocolError(error::kActionSetLength);
    if (refused.code() == error::kMatchField) throw ProtocolError(error::kActionSetType);
    if (refused.code() == error::kMatchWildcards) throw;
    if (refused.code() == error::kMatchMask) throw ProtocolError(error::kActionSetMask);
    throw ProtocolError(error::kActionSetArgument);
  }
  if (!read.field->writable) throw ProtocolError(error::kActionSetArgument);
  if (body.left() >= 8) throw ProtocolError(error::kActionLength);
  const auto padding = body.rest();
  if (std::ranges::any_of(padding, [](std::uint8_t byte) { return byte != 0; }))
    throw ProtocolError(error::kActionSetArgument);
  if (read.field->id == FieldId::vlan_vid && (read.mask & 0x1000) != 0 && (read.value & 0x1000) == 0)
    throw ProtocolError(error::kActionSetArgument);
  Action action = of_type(ActionType::set_field);
  action.field = read.field;
  action.value = read.value;
  action.mask = read.mask;
  return action;
}

std::uint16_t pushed_type(std::uint16_t type, std::initializer_list<std::uint16_t> right) {
  if (std::ranges::find(right, type) == right.end()) throw ProtocolError(error::kActionArgument);
  return type;
}

}  // namespace

Action read_action13(std::uint16_t type, Reader body) {
  const std::size_t length = body.left() + 4;
  switch (type) {
    case kOutput: {
      need_length(length, 16);
      Action action = of_type(ActionType::output);
      action.port = body.u32();
      action.number = body.u16();
      check_port(action.port);
      return action;
    }
    case kSetField:
      return read_set_field(body);
    default:
      break;
  }
  if (type > kPopPbb || (type > kOutput && type < kCopyTtlOut) || type == 13 || type == 14)
    throw ProtocolError(error::kActionType);
  need_length(length, 8);
  switch (type) {
    case kCopyTtlOut:
      return of_type(ActionType::copy_ttl_out);
    case kCopyTtlIn:
      return of_type(ActionType::copy_ttl_in);
    case kSetMplsTtl:
      return numbered(ActionType::set_mpls_ttl, body.u8());
    case kDecMplsTtl:
      return of_type(ActionType::dec_mpls_ttl);
    case kPushVlan:
      return numbered(ActionType::push_vlan,
                      pushed_type(body.u16(), {ethertype::kVlan, ethertype::kServiceVlan}));
    case kPopVlan:
      return of_type(ActionType::pop_vlan);
    case kPushMpls:
      return numbered(ActionType::push_mpls,
                      pushed_type(body.u16(), {ethertype::kMpls, ethertype::kMplsMulticast}));
    case kPopMpls:
      return numbered(ActionType::pop_mpls, body.u16());
    case kSetQueue:
    case kGroup: {
      Action action = of_type(type == kGroup ? ActionType::group : ActionType::set_queue);
      action.port = body.u32();
      return action;
    }
    case kSetNwTtl:
      return numbered(ActionType::set_ip_ttl, body.u8());
    case kDecNwTtl:
      return of_type(ActionType::dec_ip_ttl);
    case kPushPbb:
      return numbered(ActionType::push_pbb, pushed_type(body.u16(), {ethertype::kPbb}));
    default:
      return of_type(ActionType::pop_pbb);
  }
}

void write_action13(Writer& to, const Action& action) {
  const auto bare = [&](std::uint16_t type) {
    write_head(to, type, 8);
    to.zeros(4);
  };
  const auto with_u8 = [&](std::uint16_t type, std::uint16_t value) {
    write_head(to, type, 8);
    to.u8(static_cast<std::uint8_t>(value));
    to.zeros(3);
  };
  const auto with_u32 = [&](std::uint16_t type, std::uint32_t value) {
    write_head(to, type, 8);
    to.u32(value);
  };
  const auto with_field = [&](const Field& of, FieldValue value, FieldValue mask) {
    const std::size_t begin = to.size();
    write_head(to, kSetField, 0);
    write_oxm(to, of, value, mask);
    to.pad(begin);
    to.set16(begin + 2, to.size() - begin);
  };
  switch (action.type) {
    case ActionType::output:
      if (action.queue) with_u32(kSetQueue, *action.queue);
      write_head(to, kOutput, 16);
      to.u32(action.port);
      to.u16(action.number);
      to.zeros(6);
      break;
    case ActionType::group:
      return with_u32(kGroup, action.port);
    case ActionType::set_queue:
      return with_u32(kSetQueue, action.port);
    case ActionType::set_field:
      return with_field(*action.field, action.value, action.mask);
    case ActionType::copy_ttl_out:
      return bare(kCopyTtlOut);
    case ActionType::copy_ttl_in:
      return bare(kCopyTtlIn);
    case ActionType::set_mpls_ttl:
      return with_u8(kSetMplsTtl, action.number);
    case ActionType::dec_mpls_ttl:
      return bare(kDecMplsTtl);
    case ActionType::push_vlan:
      return write_u16(to, kPushVlan, action.number);
    case ActionType::pop_vlan:
      return bare(kPopVlan);
    case ActionType::push_mpls:
      return write_u16(to, kPushMpls, action.number);
    case ActionType::pop_mpls:
      return write_u16(to, kPopMpls, action.number);
    case ActionType::set_ip_ttl:
      return with_u8(kSetNwTtl, action.number);
    case ActionType::dec_ip_ttl:
      return bare(kDecNwTtl);
    case ActionType::push_pbb:
      return write_u16(to, kPushPbb, action.number);
    case ActionType::pop_pbb:
      return bare(kPopPbb);
    case ActionType::set_vlan_vid:
      return with_field(field(FieldId::vlan_vid), FieldValue{0x1000U | action.number}, 0x1fff);
    case ActionType::set_vlan_pcp:
      return with_field(field(FieldId::vlan_pcp), action.number, 7);
    default:
      return write_nicira(to, action);
  }
}

}  // namespace simcore::openflow

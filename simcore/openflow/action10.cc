// SPDX-License-Identifier: MIT
//
// The actions of OpenFlow 1.0, read and written (section 5.2.4).
#include "simcore/openflow/action_codec.h"

namespace simcore::openflow {

namespace {

enum : std::uint16_t {
  kOutput = 0,
  kSetVlanVid = 1,
  kSetVlanPcp = 2,
  kStripVlan = 3,
  kSetEthSrc = 4,
  kSetEthDst = 5,
  kSetIpSrc = 6,
  kSetIpDst = 7,
  kSetTos = 8,
  kSetPortSrc = 9,
  kSetPortDst = 10,
  kEnqueue = 11,
};

Action set(FieldId id, FieldValue value) {
  Action action = of_type(ActionType::set_field);
  action.field = &field(id);
  action.value = value;
  action.mask = action.field->all_bits();
  return action;
}

}  // namespace

Action read_action10(std::uint16_t type, Reader body) {
  const std::size_t length = body.left() + 4;
  if (type > kEnqueue) throw ProtocolError(error::kActionType);
  const bool wide = type == kSetEthSrc || type == kSetEthDst || type == kEnqueue;
  need_length(length, wide ? 16 : 8);
  switch (type) {
    case kOutput: {
      Action action = of_type(ActionType::output);
      action.port = port_of10(body.u16());
      action.number = body.u16();
      check_port(action.port);
      return action;
    }
    case kSetVlanVid: {
      const std::uint16_t vlan = body.u16();
      if (vlan > 0xfff) throw ProtocolError(error::kActionArgument);
      return numbered(ActionType::set_vlan_vid, vlan);
    }
    case kSetVlanPcp: {
      const std::uint8_t pcp = body.u8();
      if (pcp > 7) throw ProtocolError(error::kActionArgument);
      return numbered(ActionType::set_vlan_pcp, pcp);
    }
    case kStripVlan:
      return of_type(ActionType::pop_vlan);
    case kSetEthSrc:
    case kSetEthDst:
      return set(type == kSetEthSrc ? FieldId::eth_src : FieldId::eth_dst, read_value(body.take(6)));
    case kSetIpSrc:
    case kSetIpDst:
      return set(type == kSetIpSrc ? FieldId::ipv4_src : FieldId::ipv4_dst, body.u32());
    case kSetTos: {
      const std::uint8_t tos = body.u8();
      if ((tos & 3U) != 0) throw ProtocolError(error::kActionArgument);
      return set(FieldId::ip_dscp, tos >> 2);
    }
    case kSetPortSrc:
    case kSetPortDst:
      return set(type == kSetPortSrc ? FieldId::tcp_src : FieldId::tcp_dst, body.u16());
    default: {  // a port has one queue
      Action action = of_type(ActionType::output);
      action.port = port_of10(body.u16());
      if (action.port >= port_no::kMax && action.port != port_no::kInPort && action.port != port_no::kLocal)
        throw ProtocolError(error::kActionOutPort);
      check_port(action.port);
      body.skip(6);
      action.queue = body.u32();
      return action;
    }
  }
}

void write_action10(Writer& to, const Action& action) {
  switch (action.type) {
    case ActionType::output:
      if (action.queue) {
        write_head(to, kEnqueue, 16);
        to.u16(port_in10(action.port));
        to.zeros(6);
        to.u32(*action.queue);
        return;
      }
      write_head(to, kOutput, 8);
      to.u16(port_in10(action.port));
      to.u16(action.number);
      return;
    case ActionType::set_vlan_vid:
      return write_u16(to, kSetVlanVid, action.number);
    case ActionType::set_vlan_pcp:
      return write_u16(to, kSetVlanPcp, static_cast<std::uint16_t>(action.number << 8));
    case ActionType::pop_vlan:
      return write_u16(to, kStripVlan, 0);
    case ActionType::set_field:
      break;
    case ActionType::group:
    case ActionType::set_queue:
    case ActionType::push_mpls:
    case ActionType::pop_mpls:
    case ActionType::set_mpls_ttl:
    case ActionType::dec_mpls_ttl:
    case ActionType::dec_ip_ttl:
    case ActionType::move:
    case ActionType::output_field:
    case ActionType::resubmit:
    case ActionType::learn:
    case ActionType::pop_queue:
    case ActionType::note:
      return write_nicira(to, action);
    default:
      return;  // 1.0 has no word for it
  }
  const bool whole = action.mask == action.field->all_bits();
  const auto value = static_cast<std::uint64_t>(action.value);
  switch (whole ? action.field->id : FieldId::reg0) {
    case FieldId::eth_src:
    case FieldId::eth_dst:
      write_head(to, action.field->id == FieldId::eth_src ? kSetEthSrc : kSetEthDst, 16);
      to.u16(static_cast<std::uint16_t>(value >> 32));
      to.u32(static_cast<std::uint32_t>(value));
      to.zeros(6);
      return;
    case FieldId::ipv4_src:
    case FieldId::ipv4_dst:
      write_head(to, action.field->id == FieldId::ipv4_src ? kSetIpSrc : kSetIpDst, 8);
      to.u32(static_cast<std::uint32_t>(value));
      return;
    case FieldId::ip_dscp:
      return write_u16(to, kSetTos, static_cast<std::uint16_t>(value << 10));
    case FieldId::tcp_src:
    case FieldId::udp_src:
      return write_u16(to, kSetPortSrc, static_cast<std::uint16_t>(value));
    case FieldId::tcp_dst:
    case FieldId::udp_dst:
      return write_u16(to, kSetPortDst, static_cast<std::uint16_t>(value));
    case FieldId::vlan_vid:
      return write_u16(to, kSetVlanVid, static_cast<std::uint16_t>(value & 0xfff));
    case FieldId::vlan_pcp:
      return write_u16(to, kSetVlanPcp, static_cast<std::uint16_t>(value << 8));
    default:
      return write_nicira(to, action);
  }
}

}  // namespace simcore::openflow

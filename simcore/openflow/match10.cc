// SPDX-License-Identifier: MIT
//
// The match of OpenFlow 1.0: fixed fields, and wildcard bits.
#include <algorithm>

#include "simcore/openflow/match.h"

namespace simcore::openflow {

namespace {

namespace wild {
constexpr std::uint32_t kInPort = 1U << 0;
constexpr std::uint32_t kVlan = 1U << 1;
constexpr std::uint32_t kEthSrc = 1U << 2;
constexpr std::uint32_t kEthDst = 1U << 3;
constexpr std::uint32_t kEthType = 1U << 4;
constexpr std::uint32_t kProto = 1U << 5;
constexpr std::uint32_t kPortSrc = 1U << 6;
constexpr std::uint32_t kPortDst = 1U << 7;
constexpr unsigned kIpSrcShift = 8;
constexpr unsigned kIpDstShift = 14;
constexpr std::uint32_t kPcp = 1U << 20;
constexpr std::uint32_t kTos = 1U << 21;
}  // namespace wild

constexpr std::uint16_t kNoVlan = 0xffff;

std::uint32_t prefix_mask(std::uint32_t wildcard_bits) {
  const std::uint32_t bits = wildcard_bits & 63U;
  return bits >= 32 ? 0 : ~std::uint32_t{0} << bits;
}

std::uint32_t wildcard_bits(std::uint32_t mask) {
  std::uint32_t bits = 0;
  while (bits < 32 && (mask >> bits & 1U) == 0) ++bits;
  return bits;
}

// The fields that the ports of 1.0 are, for this kind of packet. Null: it has none.
const Field* port_field(const FlowKey& key, bool source) {
  const auto either = [source](FieldId src, FieldId dst) { return &field(source ? src : dst); };
  if (holds(Needs::tcp, key)) return either(FieldId::tcp_src, FieldId::tcp_dst);
  if (holds(Needs::udp, key)) return either(FieldId::udp_src, FieldId::udp_dst);
  if (holds(Needs::sctp, key)) return either(FieldId::sctp_src, FieldId::sctp_dst);
  if (holds(Needs::icmp4, key)) return either(FieldId::icmp4_type, FieldId::icmp4_code);
  if (holds(Needs::icmp6, key)) return either(FieldId::icmp6_type, FieldId::icmp6_code);
  return nullptr;
}

}  // namespace

std::uint32_t port_of10(std::uint16_t number) {
  return number >= port_no::kMax10 ? 0xffff0000U | number : number;
}

std::uint16_t port_in10(std::uint32_t number) { return static_cast<std::uint16_t>(number); }

Match read_match10(Reader& from) {
  const std::uint32_t wildcards = from.u32();
  const auto asked = [wildcards](std::uint32_t bit) { return (wildcards & bit) == 0; };
  const std::uint16_t in_port = from.u16();
  const FieldValue eth_src = read_value(from.take(6));
  const FieldValue eth_dst = read_value(from.take(6));
  const std::uint16_t vlan = from.u16();
  const std::uint8_t pcp = from.u8();
  from.skip(1);
  const std::uint16_t eth_type = from.u16();
  const std::uint8_t tos = from.u8();
  const std::uint8_t proto = from.u8();
  from.skip(2);
  const std::uint32_t ip_src = from.u32();
  const std::uint32_t ip_dst = from.u32();
  const std::uint16_t port_src = from.u16();
  const std::uint16_t port_dst = from.u16();

  Match match;
  if (asked(wild::kInPort)) match.set(field(FieldId::in_port), port_of10(in_port));
  if (asked(wild::kEthSrc)) match.set(field(FieldId::eth_src), eth_src);
  if (asked(wild::kEthDst)) match.set(field(FieldId::eth_dst), eth_dst);
  if (asked(wild::kVlan)) {
    if (vlan == kNoVlan) {
      match.set(field(FieldId::vlan_vid), 0);
    } else {
      match.set(field(FieldId::vlan_vid), 0x1000U | (vlan & 0xfffU));
    }
  }
  if (asked(wild::kPcp) && !(asked(wild::kVlan) && vlan == kNoVlan)) {
    const Field& tci = field(FieldId::vlan_tci);
    match.set(tci, tci.get(match.value) | 0x1000U | static_cast<unsigned>((pcp & 7U) << 13),
              tci.get(match.mask) | 0xf000U);
  }
  if (!asked(wild::kEthType)) return match;
  match.set(field(FieldId::eth_type), eth_type);
  const bool ipv4 = eth_type == ethertype::kIpv4;
  const bool ip = ipv4 || eth_type == ethertype::kIpv6;  // as Open vSwitch reads it
  const bool arp = eth_type == ethertype::kArp || eth_type == ethertype::kRarp;
  if (ip && asked(wild::kTos)) match.set(field(FieldId::ip_dscp), tos >> 2);
  if (ipv4 || arp) {
    const std::uint32_t src_mask = prefix_mask(wildcards >> wild::kIpSrcShift);
    const std::uint32_t dst_mask = prefix_mask(wildcards >> wild::kIpDstShift);
    match.set(field(FieldId::ipv4_src), ip_src, src_mask);
    match.set(field(FieldId::ipv4_dst), ip_dst, dst_mask);
  }
  if ((ip || arp) && asked(wild::kProto)) match.set(field(arp ? FieldId::arp_op : FieldId::ip_proto), proto);
  for (const bool source : {true, false}) {
    const Field* const of = port_field(match.value, source);
    const bool wanted = asked(source ? wild::kPortSrc : wild::kPortDst) && asked(wild::kProto);
    if (of != nullptr && wanted) match.set(*of, source ? port_src : port_dst);
  }
  return match;
}

void write_match10(Writer& to, const Match& match) {
  std::uint32_t wildcards = kWildcards10;
  wildcards &= ~(63U << wild::kIpSrcShift | 63U << wild::kIpDstShift);
  const auto has = [&match](FieldId id) { return field(id).get(match.mask) != 0; };
  const auto value = [&match](FieldId id) { return field(id).get(match.value); };
  const auto tell = [&wildcards](bool said, std::uint32_t bit) { wildcards &= said ? ~bit : ~0U; };
  tell(has(FieldId::in_port), wild::kInPort);
  tell(has(FieldId::eth_src), wild::kEthSrc);
  tell(has(FieldId::eth_dst), wild::kEthDst);
  tell(has(FieldId::eth_type), wild::kEthType);
  const bool vid = (field(FieldId::vlan_vid).get(match.mask) & 0xfffU) != 0 ||
                   (has(FieldId::vlan_vid) && !match.value.tagged());
  tell(vid, wild::kVlan);
  tell(has(FieldId::vlan_pcp) || (vid && !match.value.tagged()), wild::kPcp);
  const bool arp = holds(Needs::arp, match.value);
  const bool ip = holds(Needs::ip, match.value);
  tell(ip && has(FieldId::ip_dscp), wild::kTos);
  tell((ip && has(FieldId::ip_proto)) || (arp && has(FieldId::arp_op)), wild::kProto);
  wildcards |= wildcard_bits(match.mask.u32(at::kIpv4Src)) << wild::kIpSrcShift;
  wildcards |= wildcard_bits(match.mask.u32(at::kIpv4Dst)) << wild::kIpDstShift;
  const Field* const src = ip ? port_field(match.value, true) : nullptr;
  const Field* const dst = ip ? port_field(match.value, false) : nullptr;
  tell(src != nullptr && src->get(match.mask) != 0, wild::kPortSrc);
  tell(dst != nullptr && dst->get(match.mask) != 0, wild::kPortDst);

  to.u32(wildcards);
  to.u16(port_in10(match.value.u32(at::kInPort)));
  to.bytes({match.value.bytes() + at::kEthSrc, 6});
  to.bytes({match.value.bytes() + at::kEthDst, 6});
  to.u16(!vid ? std::uint16_t{0}
              : (match.value.tagged() ? static_cast<std::uint16_t>(value(FieldId::vlan_vid) & 0xfffU)
                                      : kNoVlan));
  to.u8(static_cast<std::uint8_t>(value(FieldId::vlan_pcp)));
  to.zeros(1);
  to.u16(match.value.u16(at::kEtherType));
  to.u8(ip ? static_cast<std::uint8_t>(value(FieldId::ip_dscp) << 2) : std::uint8_t{0});
  to.u8(static_cast<std::uint8_t>(arp ? value(FieldId::arp_op) : ip ? value(FieldId::ip_proto) : 0));
  to.zeros(2);
  to.bytes({match.value.bytes() + at::kIpv4Src, 8});
  to.u16(src == nullptr ? std::uint16_t{0} : static_cast<std::uint16_t>(src->get(match.value)));
  to.u16(dst == nullptr ? std::uint16_t{0} : static_cast<std::uint16_t>(dst->get(match.value)));
}

}  // namespace simcore::openflow

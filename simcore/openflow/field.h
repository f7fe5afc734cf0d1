// SPDX-License-Identifier: MIT
//
// Field: one thing that can be matched, set, moved: where it stands in a FlowKey, its width, what it needs of the packet,
// and by which numbers OXM and Nicira's NXM call it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "simcore/openflow/flow_key.h"

namespace simcore::openflow {

// A field's value, in its low bits. The widest field has 128.
__extension__ using FieldValue = unsigned __int128;

enum class Needs : std::uint8_t {
  nothing,
  tag,
  ip,
  ipv4,
  ipv6,
  arp,
  mpls,
  pbb,
  tcp,
  udp,
  sctp,
  icmp4,
  icmp6,
  nd,
  nd_solicitation,
  nd_advertisement,
};

enum class FieldId : std::uint8_t {
  in_port,
  metadata,
  eth_dst,
  eth_src,
  eth_type,
  vlan_vid,
  vlan_pcp,
  ip_dscp,
  ip_ecn,
  ip_proto,
  ipv4_src,
  ipv4_dst,
  tcp_src,
  tcp_dst,
  udp_src,
  udp_dst,
  sctp_src,
  sctp_dst,
  icmp4_type,
  icmp4_code,
  arp_op,
  arp_spa,
  arp_tpa,
  arp_sha,
  arp_tha,
  ipv6_src,
  ipv6_dst,
  ipv6_label,
  icmp6_type,
  icmp6_code,
  nd_target,
  nd_sll,
  nd_tll,
  mpls_label,
  mpls_tc,
  mpls_bos,
  pbb_isid,
  tunnel_id,
  extensions,
  tcp_flags,
  ip_fragment,
  ip_ttl,
  mpls_ttl,
  packet_mark,
  reg0,
  reg15 = reg0 + 15,
  xreg0,
  xreg7 = xreg0 + 7,
  xxreg0,
  xxreg3 = xxreg0 + 3,
  in_port_16,  // NXM's
  vlan_tci,    // NXM's
  ip_tos,      // NXM's
};

struct Field {
  FieldId id;
  std::uint16_t oxm_class;
  std::uint8_t oxm_field;
  std::uint8_t size;  // bytes of a value on the wire
  std::uint8_t bits;
  std::uint8_t offset;  // in a FlowKey
  std::uint8_t width;   // bytes there
  std::uint8_t shift;   // of the value within these
  bool maskable;
  bool writable;
  Needs needs;

  FieldValue all_bits() const { return bits == 128 ? ~FieldValue{0} : (FieldValue{1} << bits) - 1; }
  FieldValue get(const FlowKey& key) const;
  void set(FlowKey& key, FieldValue value) const;
};

const Field& field(FieldId id);
// Those that a match is written with, each part of a FlowKey once for each meaning.
std::span<const Field> match_fields();
// By its name on the wire. Null: there is none of that name.
const Field* find_field(std::uint16_t oxm_class, std::uint8_t number, std::uint8_t size);
const Field* find_field(std::uint16_t oxm_class, std::uint8_t number);

// Whether `key` is of such a packet; of a match's value: whether it says so.
bool holds(Needs needs, const FlowKey& key);

FieldValue read_value(std::span<const std::uint8_t> bytes);
void write_value(std::span<std::uint8_t> bytes, FieldValue value);

}  // namespace simcore::openflow

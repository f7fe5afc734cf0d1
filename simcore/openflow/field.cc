// SPDX-License-Identifier: MIT
#include "simcore/openflow/field.h"

#include <array>

#include "simcore/openflow/protocol.h"

namespace simcore::openflow {

namespace {

constexpr std::uint8_t kNamed = 44;  // fields of the list below
constexpr std::uint8_t kRegisterCount = 16;
constexpr std::uint8_t kMatchFields = kNamed + kRegisterCount;

// id, class, number, bytes, bits, place, bytes there, shift, maskable, writable, needs. In the order of FieldId.
constexpr std::array<Field, kNamed> kList = {{
    {FieldId::in_port, 0x8000, 0, 4, 32, at::kInPort, 4, 0, false, false, Needs::nothing},
    {FieldId::metadata, 0x8000, 2, 8, 64, at::kMetadata, 8, 0, true, true, Needs::nothing},
    {FieldId::eth_dst, 0x8000, 3, 6, 48, at::kEthDst, 6, 0, true, true, Needs::nothing},
    {FieldId::eth_src, 0x8000, 4, 6, 48, at::kEthSrc, 6, 0, true, true, Needs::nothing},
    {FieldId::eth_type, 0x8000, 5, 2, 16, at::kEtherType, 2, 0, false, false, Needs::nothing},
    {FieldId::vlan_vid, 0x8000, 6, 2, 13, at::kVlan, 2, 0, true, true, Needs::nothing},
    {FieldId::vlan_pcp, 0x8000, 7, 1, 3, at::kVlan, 2, 13, false, true, Needs::tag},
    {FieldId::ip_dscp, 0x8000, 8, 1, 6, at::kIpTos, 1, 2, false, true, Needs::ip},
    {FieldId::ip_ecn, 0x8000, 9, 1, 2, at::kIpTos, 1, 0, false, true, Needs::ip},
    {FieldId::ip_proto, 0x8000, 10, 1, 8, at::kIpProto, 1, 0, false, false, Needs::ip},
    {FieldId::ipv4_src, 0x8000, 11, 4, 32, at::kIpv4Src, 4, 0, true, true, Needs::ipv4},
    {FieldId::ipv4_dst, 0x8000, 12, 4, 32, at::kIpv4Dst, 4, 0, true, true, Needs::ipv4},
    {FieldId::tcp_src, 0x8000, 13, 2, 16, at::kPortSrc, 2, 0, true, true, Needs::tcp},
    {FieldId::tcp_dst, 0x8000, 14, 2, 16, at::kPortDst, 2, 0, true, true, Needs::tcp},
    {FieldId::udp_src, 0x8000, 15, 2, 16, at::kPortSrc, 2, 0, true, true, Needs::udp},
    {FieldId::udp_dst, 0x8000, 16, 2, 16, at::kPortDst, 2, 0, true, true, Needs::udp},
    {FieldId::sctp_src, 0x8000, 17, 2, 16, at::kPortSrc, 2, 0, true, true, Needs::sctp},
    {FieldId::sctp_dst, 0x8000, 18, 2, 16, at::kPortDst, 2, 0, true, true, Needs::sctp},
    {FieldId::icmp4_type, 0x8000, 19, 1, 8, at::kPortSrc + 1, 1, 0, false, true, Needs::icmp4},
    {FieldId::icmp4_code, 0x8000, 20, 1, 8, at::kPortDst + 1, 1, 0, false, true, Needs::icmp4},
    {FieldId::arp_op, 0x8000, 21, 2, 16, at::kArpOp, 2, 0, false, true, Needs::arp},
    {FieldId::arp_spa, 0x8000, 22, 4, 32, at::kIpv4Src, 4, 0, true, true, Needs::arp},
    {FieldId::arp_tpa, 0x8000, 23, 4, 32, at::kIpv4Dst, 4, 0, true, true, Needs::arp},
    {FieldId::arp_sha, 0x8000, 24, 6, 48, at::kArpSha, 6, 0, true, true, Needs::arp},
    {FieldId::arp_tha, 0x8000, 25, 6, 48, at::kArpTha, 6, 0, true, true, Needs::arp},
    {FieldId::ipv6_src, 0x8000, 26, 16, 128, at::kIpv6Src, 16, 0, true, true, Needs::ipv6},
    {FieldId::ipv6_dst, 0x8000, 27, 16, 128, at::kIpv6Dst, 16, 0, true, true, Needs::ipv6},
    {FieldId::ipv6_label, 0x8000, 28, 4, 20, at::kIpv6Label, 4, 0, true, true, Needs::ipv6},
    {FieldId::icmp6_type, 0x8000, 29, 1, 8, at::kPortSrc + 1, 1, 0, false, true, Needs::icmp6},
    {FieldId::icmp6_code, 0x8000, 30, 1, 8, at::kPortDst + 1, 1, 0, false, true, Needs::icmp6},
    {FieldId::nd_target, 0x8000, 31, 16, 128, at::kNdTarget, 16, 0, true, true, Needs::nd},
    {FieldId::nd_sll, 0x8000, 32, 6, 48, at::kArpSha, 6, 0, true, true, Needs::nd_solicitation},
    {FieldId::nd_tll, 0x8000, 33, 6, 48, at::kArpTha, 6, 0, true, true, Needs::nd_advertisement},
    {FieldId::mpls_label, 0x8000, 34, 4, 20, at::kMpls, 4, 12, false, true, Needs::mpls},
    {FieldId::mpls_tc, 0x8000, 35, 1, 3, at::kMpls, 4, 9, false, true, Needs::mpls},
    {FieldId::mpls_bos, 0x8000, 36, 1, 1, at::kMpls, 4, 8, false, false, Needs::mpls},
    {FieldId::pbb_isid, 0x8000, 37, 3, 24, at::kPbb, 4, 0, true, true, Needs::pbb},
    {FieldId::tunnel_id, 0x8000, 38, 8, 64, at::kTunnel, 8, 0, true, true, Needs::nothing},
    {FieldId::extensions, 0x8000, 39, 2, 9, at::kExtensions, 2, 0, true, false, Needs::ipv6},
    {FieldId::tcp_flags, 0x0001, 34, 2, 12, at::kTcpFlags, 2, 0, true, false, Needs::tcp},
    {FieldId::ip_fragment, 0x0001, 26, 1, 2, at::kIpFragment, 1, 0, true, false, Needs::ip},
    {FieldId::ip_ttl, 0x0001, 29, 1, 8, at::kIpTtl, 1, 0, false, true, Needs::ip},
    {FieldId::mpls_ttl, 0x0001, 30, 1, 8, at::kMpls, 4, 0, false, true, Needs::mpls},
    {FieldId::packet_mark, 0x0001, 33, 4, 32, at::kPacketMark, 4, 0, true, true, Needs::nothing},
}};

constexpr Field reg(unsigned number) {
  return {static_cast<FieldId>(static_cast<unsigned>(FieldId::reg0) + number),
          0x0001,
          static_cast<std::uint8_t>(number),
          4,
          32,
          static_cast<std::uint8_t>(at::kRegisters + 4 * number),
          4,
          0,
          true,
          true,
          Needs::nothing};
}
// Pairs of registers, and fours.
constexpr Field xreg(unsigned number) {
  return {static_cast<FieldId>(static_cast<unsigned>(FieldId::xreg0) + number),
          0x8001,
          static_cast<std::uint8_t>(number),
          8,
          64,
          static_cast<std::uint8_t>(at::kRegisters + 8 * number),
          8,
          0,
          true,
          true,
          Needs::nothing};
}
constexpr Field xxreg(unsigned number) {
  return {static_cast<FieldId>(static_cast<unsigned>(FieldId::xxreg0) + number),
          0x0001,
          static_cast<std::uint8_t>(111 + number),
          16,
          128,
          static_cast<std::uint8_t>(at::kRegisters + 16 * number),
          16,
          0,
          true,
          true,
          Needs::nothing};
}

constexpr std::size_t kFields = static_cast<std::size_t>(FieldId::ip_tos) + 1;

constexpr std::array<Field, kFields> kAll = [] {
  std::array<Field, kFields> all{};
  const auto put = [&all](const Field& each) { all[static_cast<std::size_t>(each.id)] = each; };
  for (const Field& each : kList) put(each);
  for (unsigned number = 0; number < 16; ++number) put(reg(number));
  for (unsigned number = 0; number < 8; ++number) put(xreg(number));
  for (unsigned number = 0; number < 4; ++number) put(xxreg(number));
  put({FieldId::in_port_16, 0x0000, 0, 2, 16, at::kInPort + 2, 2, 0, false, false, Needs::nothing});
  put({FieldId::vlan_tci, 0x0000, 4, 2, 16, at::kVlan, 2, 0, true, true, Needs::nothing});
  put({FieldId::ip_tos, 0x0000, 5, 1, 8, at::kIpTos, 1, 0, false, true, Needs::ip});
  return all;
}();

struct Alias {
  std::uint16_t oxm_class;
  std::uint8_t number;
  FieldId id;
};
constexpr Alias kAliases[] = {
    {0x0000, 1, FieldId::eth_dst},     {0x0000, 2, FieldId::eth_src},     {0x0000, 3, FieldId::eth_type},
    {0x0000, 6, FieldId::ip_proto},    {0x0000, 7, FieldId::ipv4_src},    {0x0000, 8, FieldId::ipv4_dst},
    {0x0000, 9, FieldId::tcp_src},     {0x0000, 10, FieldId::tcp_dst},    {0x0000, 11, FieldId::udp_src},
    {0x0000, 12, FieldId::udp_dst},    {0x0000, 13, FieldId::icmp4_type}, {0x0000, 14, FieldId::icmp4_code},
    {0x0000, 15, FieldId::arp_op},     {0x0000, 16, FieldId::arp_spa},    {0x0000, 17, FieldId::arp_tpa},
    {0x0001, 16, FieldId::tunnel_id},  {0x0001, 17, FieldId::arp_sha},    {0x0001, 18, FieldId::arp_tha},
    {0x0001, 19, FieldId::ipv6_src},   {0x0001, 20, FieldId::ipv6_dst},   {0x0001, 21, FieldId::icmp6_type},
    {0x0001, 22, FieldId::icmp6_code}, {0x0001, 23, FieldId::nd_target},  {0x0001, 24, FieldId::nd_sll},
    {0x0001, 25, FieldId::nd_tll},     {0x0001, 27, FieldId::ipv6_label}, {0x0001, 28, FieldId::ip_ecn},
    {0x8000, 42, FieldId::tcp_flags},
};

std::uint8_t protocol_of(Needs needs) {
  switch (needs) {
    case Needs::tcp:
      return 6;
    case Needs::udp:
      return 17;
    case Needs::sctp:
      return 132;
    case Needs::icmp4:
      return 1;
    default:
      return 58;
  }
}

}  // namespace

FieldValue read_value(std::span<const std::uint8_t> bytes) {
  FieldValue value = 0;
  for (const std::uint8_t byte : bytes) value = value << 8 | byte;
  return value;
}

void write_value(std::span<std::uint8_t> bytes, FieldValue value) {
  for (std::size_t at = bytes.size(); at-- > 0; value >>= 8) bytes[at] = static_cast<std::uint8_t>(value);
}

FieldValue Field::get(const FlowKey& key) const {
  return read_value({key.bytes() + offset, width}) >> shift & all_bits();
}

void Field::set(FlowKey& key, FieldValue value) const {
  const std::span<std::uint8_t> place(key.bytes() + offset, width);
  const FieldValue others = read_value(place) & ~(all_bits() << shift);
  write_value(place, others | (value & all_bits()) << shift);
}

const Field& field(FieldId id) { return kAll[static_cast<std::size_t>(id)]; }

std::span<const Field> match_fields() { return {kAll.data(), kMatchFields}; }

const Field* find_field(std::uint16_t oxm_class, std::uint8_t number) {
  for (const Field& each : kAll) {
    if (each.oxm_class == oxm_class && each.oxm_field == number) return &each;
  }
  for (const Alias& alias : kAliases) {
    if (alias.oxm_class == oxm_class && alias.number == number) return &field(alias.id);
  }
  return nullptr;
}

const Field* find_field(std::uint16_t oxm_class, std::uint8_t number, std::uint8_t size) {
  const Field* const found = find_field(oxm_class, number);
  return found != nullptr && found->size == size ? found : nullptr;
}

bool holds(Needs needs, const FlowKey& key) {
  const std::uint16_t type = key.u16(at::kEtherType);
  const bool v4 = type == ethertype::kIpv4;
  const bool v6 = type == ethertype::kIpv6;
  switch (needs) {
    case Needs::nothing:
      return true;
    case Needs::tag:
      return key.tagged();
    case Needs::ip:
      return v4 || v6;
    case Needs::ipv4:
      return v4;
    case Needs::ipv6:
      return v6;
    case Needs::arp:
      return type == ethertype::kArp || type == ethertype::kRarp;
    case Needs::mpls:
      return type == ethertype::kMpls || type == ethertype::kMplsMulticast;
    case Needs::pbb:
      return type == ethertype::kPbb;
    case Needs::tcp:
    case Needs::udp:
    case Needs::sctp:
      return (v4 || v6) && key.u8(at::kIpProto) == protocol_of(needs) && (key.u8(at::kIpFragment) & 2U) == 0;
    case Needs::icmp4:
      return v4 && key.u8(at::kIpProto) == 1;
    default:
      break;
  }
  if (!v6 || key.u8(at::kIpProto) != 58) return false;
  const std::uint16_t icmp = key.u16(at::kPortSrc);
  const bool no_code = key.u16(at::kPortDst) == 0;
  if (needs == Needs::icmp6) return true;
  if (needs == Needs::nd_solicitation) return icmp == 135 && no_code;
  if (needs == Needs::nd_advertisement) return icmp == 136 && no_code;
  return (icmp == 135 || icmp == 136) && no_code;
}

}  // namespace simcore::openflow

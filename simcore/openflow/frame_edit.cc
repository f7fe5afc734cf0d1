// SPDX-License-Identifier: MIT
#include "simcore/openflow/frame_edit.h"

#include <array>
#include <cstring>

#include "simcore/openflow/protocol.h"
#include "simcore/packet/checksum.h"

namespace simcore::openflow {

namespace {

constexpr std::size_t kIpChecksum = 10;

// Where a transport header has its checksum. 0: it has none of that kind.
std::size_t checksum_offset(std::uint8_t protocol) {
  switch (protocol) {
    case 6:
      return 16;
    case 17:
      return 6;
    case 1:
    case 58:
      return 2;
    default:
      return 0;
  }
}

std::uint32_t crc32c(std::span<const std::uint8_t> bytes) {
  static constexpr auto kTable = [] {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
      std::uint32_t crc = byte;
      for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1U) != 0 ? 0x82f63b78U : 0U);
      table[byte] = crc;
    }
    return table;
  }();
  std::uint32_t crc = ~0U;
  for (const std::uint8_t byte : bytes) crc = crc >> 8 ^ kTable[(crc ^ byte) & 255U];
  return ~crc;
}

class Editor {
 public:
  Editor(Packet& packet, const Layout& layout, const FlowKey& key)
      : packet_(packet), layout_(layout), key_(key), frame_(packet.bytes().data()) {}

  void ethernet(std::size_t place, std::size_t offset) {
    std::memcpy(frame_ + place, key_.bytes() + offset, 6);
  }

  void tag() {
    if (layout_.tag != 0) store_be16(frame_ + layout_.tag + 2, key_.u16(at::kVlan) & 0xefffU);
  }

  void tos() {
    if (v4()) {
      ip_word(0, static_cast<std::uint16_t>(frame_[layout_.network] << 8 | key_.u8(at::kIpTos)));
    } else if (v6()) {
      std::uint8_t* const first = frame_ + layout_.network;
      store_be16(first, static_cast<std::uint16_t>((load_be16(first) & 0xf00fU) |
                                                   static_cast<unsigned>(key_.u8(at::kIpTos)) << 4));
    }
  }

  void ttl() {
    if (v4()) {
      ip_word(8, static_cast<std::uint16_t>(key_.u8(at::kIpTtl) << 8 | frame_[layout_.network + 9]));
    } else if (v6()) {
      frame_[layout_.network + 7] = key_.u8(at::kIpTtl);
    }
  }

  void label() {
    if (!v6()) return;
    std::uint8_t* const first = frame_ + layout_.network;
    store_be32(first, (load_be32(first) & 0xfff00000U) | (key_.u32(at::kIpv6Label) & 0xfffffU));
  }

  void address4(std::size_t in_header, std::size_t in_arp, std::size_t offset) {
    if (arp()) {
      std::memcpy(frame_ + layout_.network + in_arp, key_.bytes() + offset, 4);
    } else if (v4()) {
      for (std::size_t at = 0; at < 4; at += 2) {
        const std::uint16_t word = key_.u16(offset + at);
        transport_checksum(load_be16(frame_ + layout_.network + in_header + at), word, true);
        ip_word(in_header + at, word);
      }
    }
  }

  // `summed`: the transport's checksum is of it.
  void address6(std::size_t in_header, std::size_t offset, bool summed) {
    if (!v6()) return;
    for (std::size_t at = 0; at < 16; at += 2) {
      std::uint8_t* const place = frame_ + layout_.network + in_header + at;
      const std::uint16_t word = key_.u16(offset + at);
      if (summed) transport_checksum(load_be16(place), word, true);
      store_be16(place, word);
    }
  }

  void arp_field(std::size_t in_arp, std::size_t offset, std::size_t size) {
    if (arp()) std::memcpy(frame_ + layout_.network + in_arp, key_.bytes() + offset, size);
  }

  void port(std::size_t in_header, std::size_t offset) {
    if (layout_.transport == 0) return;
    if (key_.u8(at::kIpProto) != 132) return transport_word(layout_.transport + in_header, key_.u16(offset));
    const auto before = crc32c(sctp());
    store_be16(frame_ + layout_.transport + in_header, key_.u16(offset));
    const std::uint32_t change = before ^ crc32c(sctp());
    for (unsigned byte = 0; byte < 4; ++byte)  // it stands with its lowest byte first
      frame_[layout_.transport + 8 + byte] ^= static_cast<std::uint8_t>(change >> 8 * byte);
  }

  void icmp() {
    if (layout_.transport == 0) return;
    transport_word(layout_.transport,
                   static_cast<std::uint16_t>(key_.u8(at::kPortSrc + 1) << 8 | key_.u8(at::kPortDst + 1)));
  }

  void transport_bytes(std::size_t place, std::size_t offset, std::size_t size) {
    if (layout_.transport == 0 || place < layout_.transport) return;
    for (std::size_t at = 0; at < size; at += 2) transport_word(place + at, key_.u16(offset + at));
  }

  void mpls() {
    if (holds(Needs::mpls, key_) && key_.u32(at::kMplsDepth) > 0)
      store_be32(frame_ + layout_.network, key_.u32(at::kMpls));
  }

  void pbb() {
    if (!holds(Needs::pbb, key_) || packet_.size() < layout_.network + 4U) return;
    std::uint8_t* const place = frame_ + layout_.network;
    store_be32(place, (load_be32(place) & 0xff000000U) | (key_.u32(at::kPbb) & 0xffffffU));
  }

 private:
  bool v4() const { return holds(Needs::ipv4, key_) && layout_.whole; }
  bool v6() const { return holds(Needs::ipv6, key_) && layout_.whole; }
  bool arp() const { return holds(Needs::arp, key_) && layout_.whole; }

  std::span<const std::uint8_t> sctp() const {
    const std::uint8_t* const network = frame_ + layout_.network;
    const std::size_t end =
        layout_.network + (v4() ? load_be16(network + 2) : std::size_t{40} + load_be16(network + 4));
    const std::size_t whole = end < packet_.size() ? end : packet_.size();
    return {frame_ + layout_.transport, whole - layout_.transport};
  }

  void ip_word(std::size_t in_header, std::uint16_t word) {
    std::uint8_t* const header = frame_ + layout_.network;
    store_be16(header + kIpChecksum,
               updated_checksum(load_be16(header + kIpChecksum), load_be16(header + in_header), word));
    store_be16(header + in_header, word);
  }

  void transport_word(std::size_t place, std::uint16_t word) {
    transport_checksum(load_be16(frame_ + place), word, false);
    store_be16(frame_ + place, word);
  }

  // A word that the transport's checksum covers changes; `pseudo`: one of the pseudo-header.
  void transport_checksum(std::uint16_t before, std::uint16_t after, bool pseudo) {
    if (layout_.transport == 0) return;
    const std::uint8_t protocol = key_.u8(at::kIpProto);
    const std::size_t offset = checksum_offset(protocol);
    if (offset == 0 || (pseudo && protocol == 1)) return;
    std::uint8_t* const field = frame_ + layout_.transport + offset;
    if (packet_.checksum_partial && packet_.checksum_start == layout_.transport) {
      // It holds the sum of the pseudo-header itself, and the rest is summed later.
      if (!pseudo) return;
      const auto complement = static_cast<std::uint16_t>(~load_be16(field));
      store_be16(field, static_cast<std::uint16_t>(~updated_checksum(complement, before, after)));
      return;
    }
    const std::uint16_t now = load_be16(field);
    if (protocol == 17 && now == 0) return;  // the datagram has none
    std::uint16_t updated = updated_checksum(now, before, after);
    if (protocol == 17 && updated == 0) updated = 0xffff;
    store_be16(field, updated);
  }

  Packet& packet_;
  const Layout& layout_;
  const FlowKey& key_;
  std::uint8_t* frame_;
};

// The description of a packet counts from the start of its frame.
void move_description(Packet& packet, std::ptrdiff_t count) {
  const auto moved = [count](std::uint16_t place) {
    return static_cast<std::uint16_t>(static_cast<std::ptrdiff_t>(place) + count);
  };
  if (packet.segments > 1) packet.header_size = moved(packet.header_size);
  if (packet.checksum_partial) packet.checksum_start = moved(packet.checksum_start);
}

}  // namespace

void commit(Packet& packet, const Layout& layout, const Field& changed, const FlowKey& key) {
  Editor edit(packet, layout, key);
  switch (changed.id) {
    case FieldId::eth_dst:
      return edit.ethernet(0, at::kEthDst);
    case FieldId::eth_src:
      return edit.ethernet(6, at::kEthSrc);
    case FieldId::vlan_vid:
    case FieldId::vlan_pcp:
    case FieldId::vlan_tci:
      return edit.tag();
    case FieldId::ip_dscp:
    case FieldId::ip_ecn:
    case FieldId::ip_tos:
      return edit.tos();
    case FieldId::ip_ttl:
      return edit.ttl();
    case FieldId::ipv4_src:
    case FieldId::arp_spa:
      return edit.address4(12, 14, at::kIpv4Src);
    case FieldId::ipv4_dst:
    case FieldId::arp_tpa:
      return edit.address4(16, 24, at::kIpv4Dst);
    case FieldId::tcp_src:
    case FieldId::udp_src:
    case FieldId::sctp_src:
      return edit.port(0, at::kPortSrc);
    case FieldId::tcp_dst:
    case FieldId::udp_dst:
    case FieldId::sctp_dst:
      return edit.port(2, at::kPortDst);
    case FieldId::icmp4_type:
    case FieldId::icmp4_code:
    case FieldId::icmp6_type:
    case FieldId::icmp6_code:
      return edit.icmp();
    case FieldId::arp_op:
      return edit.arp_field(6, at::kArpOp, 2);
    case FieldId::arp_sha:
      return edit.arp_field(8, at::kArpSha, 6);
    case FieldId::arp_tha:
      return edit.arp_field(18, at::kArpTha, 6);
    case FieldId::ipv6_src:
      return edit.address6(8, at::kIpv6Src, true);
    case FieldId::ipv6_dst:
      return edit.address6(24, at::kIpv6Dst, !layout.routed);
    case FieldId::ipv6_label:
      return edit.label();
    case FieldId::nd_target:
      return edit.transport_bytes(layout.transport + 8U, at::kNdTarget, 16);
    case FieldId::nd_sll:
      return edit.transport_bytes(layout.nd_option, at::kArpSha, 6);
    case FieldId::nd_tll:
      return edit.transport_bytes(layout.nd_option, at::kArpTha, 6);
    case FieldId::mpls_label:
    case FieldId::mpls_tc:
    case FieldId::mpls_bos:
    case FieldId::mpls_ttl:
      return edit.mpls();
    case FieldId::pbb_isid:
      return edit.pbb();
    default:
      return;  // it is not in the frame
  }
}

bool insert_bytes(PacketPtr& packet, std::size_t offset, std::size_t count, PacketPool& pool) {
  const std::size_t before = packet->size();
  if (packet->capacity() >= before + count) {
    packet->resize(before + count);
    std::uint8_t* const frame = packet->bytes().data();
    std::memmove(frame + offset + count, frame + offset, before - offset);
  } else {
    PacketPtr larger = pool.make(before + count);
    if (!larger) return false;
    larger->describe_as(*packet);
    std::memcpy(larger->bytes().data(), packet->bytes().data(), offset);
    std::memcpy(larger->bytes().data() + offset + count, packet->bytes().data() + offset, before - offset);
    packet = std::move(larger);
  }
  move_description(*packet, static_cast<std::ptrdiff_t>(count));
  return true;
}

void erase_bytes(Packet& packet, std::size_t offset, std::size_t count) {
  std::uint8_t* const frame = packet.bytes().data();
  std::memmove(frame + count, frame, offset);
  packet.remove_front(count);
  move_description(packet, -static_cast<std::ptrdiff_t>(count));
}

}  // namespace simcore::openflow

// SPDX-License-Identifier: MIT
//
// Frames as their headers' specifications say, with checksums that are summed here, so that they can be compared with
// what a switch makes of other frames.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <optional>

#include "tests/simcore/openflow/support.h"

namespace simcore::openflow {

inline Bytes joined(std::initializer_list<Bytes> parts) {
  Bytes all;
  for (const Bytes& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

// The low `bytes` bytes of a number.
inline Bytes number(FieldValue value, std::size_t bytes) {
  Bytes all(bytes);
  write_value(all, value);
  return all;
}

// RFC 1071, one word after the other.
inline std::uint16_t internet_checksum(const Bytes& bytes) {
  std::uint32_t sum = 0;
  for (std::size_t at = 0; at < bytes.size(); ++at)
    sum += at % 2 == 0 ? std::uint32_t{bytes[at]} << 8 : std::uint32_t{bytes[at]};
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<std::uint16_t>(~sum);
}

// RFC 9260, appendix A, one bit after the other.
inline std::uint32_t sctp_checksum(const Bytes& bytes) {
  std::uint32_t crc = 0xffffffff;
  for (const std::uint8_t byte : bytes) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82f63b78 : 0);
  }
  return ~crc;
}

// An IP packet in a frame.
struct PacketText {
  std::uint64_t eth_dst = 0x020000000002;
  std::uint64_t eth_src = 0x020000000001;
  std::optional<std::uint16_t> tag{};  // tag control information

  bool v6 = false;
  std::uint8_t tos = 0;
  std::uint8_t ttl = 64;
  std::uint16_t fragment = 0x4000;  // flags and offset
  std::uint32_t label = 0;          // of a flow over IPv6
  FieldValue src = 0x0a000001;
  FieldValue dst = 0x0a000002;
  Bytes options{};  // of IPv4
  std::optional<std::uint8_t>
      first_extension{};  // of IPv6; `extensions` end in one whose next header is `protocol`
  Bytes extensions{};
  std::optional<FieldValue>
      final_destination{};  // what the pseudo-header has for `dst` (RFC 8200, section 8.1)

  std::uint8_t protocol = 6;
  std::uint16_t port_src = 1'000;  // or an ICMP message's type
  std::uint16_t port_dst = 80;     // or its code
  std::uint16_t tcp_flags = 0x002;
  bool sums = true;  // a datagram of UDP has a checksum
  Bytes data{1, 2, 3, 4, 5};

  Bytes transport() const {
    switch (protocol) {
      case 6:
        return joined({number(port_src, 2), number(port_dst, 2), number(7, 4), number(8, 4),
                       number(0x5000U | tcp_flags, 2), number(0x2000, 2), number(0, 4), data});
      case 17:
        return joined(
            {number(port_src, 2), number(port_dst, 2), number(8 + data.size(), 2), number(0, 2), data});
      case 132:
        return joined({number(port_src, 2), number(port_dst, 2), number(0x01020304, 4), number(0, 4), data});
      case 1:
      case 2:
      case 58:
        return joined({number(port_src, 1), number(port_dst, 1), number(0, 2), data});
      default:
        return data;
    }
  }

  Bytes summed_transport() const {
    Bytes whole = transport();
    const std::size_t address = v6 ? 16 : 4;
    const Bytes pseudo = joined({number(src, address), number(final_destination.value_or(dst), address),
                                 number(whole.size(), 4), number(protocol, 4)});
    switch (protocol) {
      case 6:
        store_be16(whole.data() + 16, internet_checksum(joined({pseudo, whole})));
        break;
      case 17: {
        if (!sums) break;
        const std::uint16_t sum = internet_checksum(joined({pseudo, whole}));
        store_be16(whole.data() + 6, sum == 0 ? 0xffff : sum);  // zero says that there is none (RFC 768)
        break;
      }
      case 58:
        store_be16(whole.data() + 2, internet_checksum(joined({pseudo, whole})));
        break;
      case 1:
      case 2:
        store_be16(whole.data() + 2, internet_checksum(whole));
        break;
      case 132: {
        const std::uint32_t sum = sctp_checksum(whole);
        for (unsigned byte = 0; byte < 4; ++byte)
          whole[8 + byte] = static_cast<std::uint8_t>(sum >> 8 * byte);
        break;
      }
      default:
        break;
    }
    return whole;
  }

  // The IP packet.
  Bytes network() const {
    const Bytes behind = summed_transport();
    if (v6) {
      return joined({number(0x60000000U | static_cast<std::uint32_t>(tos) << 20 | label, 4),
                     number(extensions.size() + behind.size(), 2),
                     number(first_extension.value_or(protocol), 1), number(ttl, 1), number(src, 16),
                     number(dst, 16), extensions, behind});
    }
    const std::size_t header = 20 + options.size();
    Bytes head = joined({number(0x40 + header / 4, 1), number(tos, 1), number(header + behind.size(), 2),
                         number(0x1234, 2), number(fragment, 2), number(ttl, 1), number(protocol, 1),
                         number(0, 2), number(src, 4), number(dst, 4), options});
    store_be16(head.data() + 10, internet_checksum(head));
    return joined({head, behind});
  }

  // What stands before the EtherType.
  Bytes addresses() const {
    Bytes all = joined({number(eth_dst, 6), number(eth_src, 6)});
    if (tag) all = joined({all, number(0x8100, 2), number(*tag, 2)});
    return all;
  }

  Bytes bytes() const { return joined({addresses(), number(v6 ? 0x86dd : 0x0800, 2), network()}); }
};

inline constexpr FieldValue kSource6 = FieldValue{0xfd00000000000000} << 64 | 1;
inline constexpr FieldValue kTarget6 = FieldValue{0xfd00000000000000} << 64 | 2;

inline PacketText over_ipv6(std::uint8_t protocol) {
  PacketText text;
  text.v6 = true;
  text.src = kSource6;
  text.dst = kTarget6;
  text.protocol = protocol;
  return text;
}

// What stands in a frame of another kind.
inline Bytes frame_of(std::uint16_t ether_type, const Bytes& payload) {
  return joined({PacketText{}.addresses(), number(ether_type, 2), payload});
}

// A request from 10.0.0.1 for 10.0.0.2.
inline Bytes arp_request() { return hex("0001 0800 06 04 0001 020000000001 0a000001 000000000000 0a000002"); }

// An ICMPv6 message of neighbour discovery about fd00::2, with an option: the link-layer address of one end.
inline PacketText neighbour_message(std::uint8_t type, std::uint64_t address = 0x020000000009) {
  PacketText text = over_ipv6(58);
  text.port_src = type;
  text.port_dst = 0;
  text.data = joined(
      {number(0, 4), number(kTarget6, 16), number(type == 135 ? 1 : 2, 1), number(1, 1), number(address, 6)});
  return text;
}

// What goes out of port 2 after these actions, of an action set, so that they are done to any frame.
inline Bytes after_set(const Actions& actions, const Bytes& frame) {
  Bench bench;
  bench.greet();
  FlowModText mod;
  mod.instructions.write = actions;
  mod.instructions.write->push_back(output_to(2));
  EXPECT_EQ(bench.said(type::kFlowMod, mod.bytes()), Bench::kTaken);
  bench.receive(1, frame);
  return bench.sent.size() == 1 ? bench.sent[0].second : Bytes{};
}

}  // namespace simcore::openflow

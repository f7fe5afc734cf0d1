// SPDX-License-Identifier: MIT
#include "simcore/openflow/flow_key.h"

#include "simcore/openflow/protocol.h"

namespace simcore::openflow {

namespace {

constexpr std::uint8_t kTcp = 6;
constexpr std::uint8_t kUdp = 17;
constexpr std::uint8_t kSctp = 132;
constexpr std::uint8_t kIcmp = 1;
constexpr std::uint8_t kIgmp = 2;
constexpr std::uint8_t kIcmp6 = 58;

// The bits of IPV6_EXTHDR (OpenFlow 1.3.5, section 7.2.3.8).
namespace extension {
constexpr unsigned kNoNext = 1U << 0;
constexpr unsigned kEsp = 1U << 1;
constexpr unsigned kAuth = 1U << 2;
constexpr unsigned kDestination = 1U << 3;
constexpr unsigned kFragment = 1U << 4;
constexpr unsigned kRouter = 1U << 5;
constexpr unsigned kHop = 1U << 6;
constexpr unsigned kRepeated = 1U << 7;
constexpr unsigned kSequence = 1U << 8;
}  // namespace extension

class Parser {
 public:
  Parser(std::span<const std::uint8_t> frame, std::size_t unstored, FlowKey& key)
      : frame_(frame), whole_(frame.size() + unstored), key_(key) {}

  Layout run() {
    std::memcpy(key_.bytes() + at::kEthDst, frame_.data(), 6);
    std::memcpy(key_.bytes() + at::kEthSrc, frame_.data() + 6, 6);
    std::size_t place = 12;
    std::uint16_t type = load_be16(frame_.data() + place);
    if ((type == ethertype::kVlan || type == ethertype::kServiceVlan) && has(place, 6)) {
      layout_.tag = static_cast<std::uint32_t>(place);
      key_.set16(at::kVlan, static_cast<std::uint16_t>(load_be16(frame_.data() + place + 2) | 0x1000U));
      place += 4;
      type = load_be16(frame_.data() + place);
    }
    layout_.ether_type = static_cast<std::uint32_t>(place);
    place += 2;
    if (type < 0x600) type = snap_type(place);
    key_.set16(at::kEtherType, type);
    layout_.network = static_cast<std::uint32_t>(place);
    switch (type) {
      case ethertype::kIpv4:
        ipv4(place);
        break;
      case ethertype::kIpv6:
        ipv6(place);
        break;
      case ethertype::kArp:
      case ethertype::kRarp:
        arp(place);
        break;
      case ethertype::kMpls:
      case ethertype::kMplsMulticast:
        mpls(place);
        break;
      case ethertype::kPbb:
        if (has(place, 4)) key_.set32(at::kPbb, load_be32(frame_.data() + place) & 0xffffffU);
        break;
      default:
        break;
    }
    return layout_;
  }

 private:
  bool has(std::size_t place, std::size_t count) const { return place + count <= frame_.size(); }
  std::uint8_t byte(std::size_t place) const { return frame_[place]; }

  std::uint16_t snap_type(std::size_t& place) const {
    static constexpr std::uint8_t kSnap[] = {0xaa, 0xaa, 0x03, 0, 0, 0};
    if (!has(place, 8) || std::memcmp(frame_.data() + place, kSnap, 6) != 0) return ethertype::kNone;
    const std::uint16_t type = load_be16(frame_.data() + place + 6);
    if (type < 0x600) return ethertype::kNone;
    place += 8;
    return type;
  }

  void arp(std::size_t place) {
    static constexpr std::uint8_t kEthernetIpv4[] = {0, 1, 8, 0, 6, 4};
    if (!has(place, 28) || std::memcmp(frame_.data() + place, kEthernetIpv4, 6) != 0) return;
    layout_.whole = true;
    const std::uint8_t* const header = frame_.data() + place;
    if (header[6] == 0) key_.set16(at::kArpOp, header[7]);
    std::memcpy(key_.bytes() + at::kArpSha, header + 8, 6);
    std::memcpy(key_.bytes() + at::kIpv4Src, header + 14, 4);
    std::memcpy(key_.bytes() + at::kArpTha, header + 18, 6);
    std::memcpy(key_.bytes() + at::kIpv4Dst, header + 24, 4);
  }

  void mpls(std::size_t place) {
    std::uint32_t depth = 0;
    if (has(place, 4)) key_.set32(at::kMpls, load_be32(frame_.data() + place));
    for (bool bottom = false; !bottom && has(place, 4) && depth < 255; ++depth, place += 4)
      bottom = (byte(place + 2) & 1U) != 0;
    key_.set32(at::kMplsDepth, depth);
  }

  void ipv4(std::size_t place) {
    if (!has(place, 20)) return;
    const std::uint8_t* const header = frame_.data() + place;
    const std::size_t size = std::size_t{header[0] & 15U} * 4;
    const std::size_t total = load_be16(header + 2);
    if (header[0] >> 4 != 4 || size < 20 || total < size || total > whole_ - place || !has(place, size))
      return;
    layout_.whole = true;
    key_.set8(at::kIpTos, header[1]);
    key_.set8(at::kIpTtl, header[8]);
    key_.set8(at::kIpProto, header[9]);
    std::memcpy(key_.bytes() + at::kIpv4Src, header + 12, 8);
    const std::uint16_t fragment = load_be16(header + 6);
    if ((fragment & 0x3fffU) != 0) key_.set8(at::kIpFragment, (fragment & 0x1fffU) != 0 ? 3 : 1);
    end_ = place + total;
    if ((fragment & 0x1fffU) == 0) transport(header[9], place + size);
  }

  void ipv6(std::size_t place) {
    if (!has(place, 40)) return;
    const std::uint8_t* const header = frame_.data() + place;
    const std::size_t length = load_be16(header + 4);
    if (header[0] >> 4 != 6 || length > whole_ - place - 40) return;
    layout_.whole = true;
    key_.set32(at::kIpv6Label, load_be32(header) & 0xfffffU);
    key_.set8(at::kIpTos, static_cast<std::uint8_t>(load_be16(header) >> 4));
    key_.set8(at::kIpTtl, header[7]);
    std::memcpy(key_.bytes() + at::kIpv6Src, header + 8, 32);
    end_ = place + 40 + length;
    extensions(header[6], place + 40);
  }

  void extensions(std::uint8_t next, std::size_t place) {
    unsigned seen = 0;
    unsigned met = 0;  // ranks in the order that RFC 8200 recommends (section 4.1)
    const auto meet = [&](unsigned bit, unsigned rank) {
      if ((met >> rank & 1U) != 0) seen |= extension::kRepeated;
      if (met >> rank > 1) seen |= extension::kSequence;
      met |= 1U << rank;
      seen |= bit;
    };
    bool later = false;
    for (bool more = true; more;) {
      switch (next) {
        case 0:
          meet(extension::kHop, 0);
          break;
        case 60:
          meet(extension::kDestination, met < 4 ? 1 : 6);  // for each router on the way, or for the end of it
          break;
        case 43:
          meet(extension::kRouter, 2);
          break;
        case 44:
          meet(extension::kFragment, 3);
          break;
        case 51:
          meet(extension::kAuth, 4);
          break;
        case 50:
          meet(extension::kEsp, 5);
          more = false;
          break;
        case 59:
          meet(extension::kNoNext, 7);
          more = false;
          break;
        default:
          more = false;
          break;
      }
      if (!more) break;
      if (!has(place, 8)) {
        more = false;
        later = true;
        break;
      }
      std::size_t size = std::size_t{byte(place + 1)} * 8 + 8;
      if (next == 44) {
        size = 8;
        const std::uint16_t fragment = load_be16(frame_.data() + place + 2);
        if ((fragment & 0xfff9U) != 0) key_.set8(at::kIpFragment, (fragment & 0xfff8U) != 0 ? 3 : 1);
        later = (fragment & 0xfff8U) != 0;
      } else if (next == 51) {
        size = std::size_t{byte(place + 1)} * 4 + 8;
      } else if (next == 43) {
        layout_.routed = layout_.routed || byte(place + 3) != 0;  // segments left
      }
      next = byte(place);
      if (!has(place, size)) {
        later = true;
        break;
      }
      place += size;
      if (later) break;
    }
    key_.set16(at::kExtensions, static_cast<std::uint16_t>(seen));
    key_.set8(at::kIpProto, next);
    if (!later) transport(next, place);
  }

  void transport(std::uint8_t protocol, std::size_t place) {
    const auto begins = [&](std::size_t size) {
      if (!has(place, size) || place + size > end_) return false;
      layout_.transport = static_cast<std::uint32_t>(place);
      return true;
    };
    const std::uint8_t* const header = frame_.data() + place;
    switch (protocol) {
      case kTcp:
        if (!begins(20)) return;
        std::memcpy(key_.bytes() + at::kPortSrc, header, 4);
        key_.set16(at::kTcpFlags, load_be16(header + 12) & 0xfffU);
        break;
      case kUdp:
        if (begins(8)) std::memcpy(key_.bytes() + at::kPortSrc, header, 4);
        break;
      case kSctp:
        if (begins(12)) std::memcpy(key_.bytes() + at::kPortSrc, header, 4);
        break;
      case kIcmp:
      case kIgmp:
        if (key_.u16(at::kEtherType) != ethertype::kIpv4 || !begins(8)) return;
        key_.set16(at::kPortSrc, header[0]);
        key_.set16(at::kPortDst, header[1]);
        break;
      case kIcmp6:
        if (key_.u16(at::kEtherType) != ethertype::kIpv6 || !begins(8)) return;
        key_.set16(at::kPortSrc, header[0]);
        key_.set16(at::kPortDst, header[1]);
        if ((header[0] == 135 || header[0] == 136) && header[1] == 0) neighbour(place, header[0]);
        break;
      default:
        break;
    }
  }

  void neighbour(std::size_t place, std::uint8_t type) {
    if (!has(place, 24)) return;
    std::memcpy(key_.bytes() + at::kNdTarget, frame_.data() + place + 8, 16);
    for (std::size_t option = place + 24; has(option, 8) && option + 8 <= end_;) {
      const std::size_t size = std::size_t{byte(option + 1)} * 8;
      if (size == 0 || !has(option, size)) return;
      const bool source = byte(option) == 1 && type == 135;
      const bool target = byte(option) == 2 && type == 136;
      if ((source || target) && size == 8) {
        std::memcpy(key_.bytes() + (source ? at::kArpSha : at::kArpTha), frame_.data() + option + 2, 6);
        layout_.nd_option = static_cast<std::uint32_t>(option + 2);
      }
      option += size;
    }
  }

  std::span<const std::uint8_t> frame_;
  std::size_t whole_;
  FlowKey& key_;
  Layout layout_;
  std::size_t end_ = 0;  // of the IP datagram
};

}  // namespace

Layout parse(std::span<const std::uint8_t> frame, std::size_t unstored, FlowKey& key) {
  std::memset(key.bytes() + at::kEtherType, 0, at::kMetadata - at::kEtherType);
  key.set32(at::kPbb, 0);
  key.set32(at::kMplsDepth, 0);
  return Parser(frame, unstored, key).run();
}

}  // namespace simcore::openflow

// SPDX-License-Identifier: MIT
#include "simcore/instance/flow_load.h"

#include <algorithm>
#include <array>
#include <utility>

#include "simcore/openflow/effort.h"
#include "simcore/openflow/message_type.h"
#include "simcore/openflow/wire.h"
#include "simcore/packet/arp.h"
#include "simcore/packet/ethernet.h"
#include "simcore/packet/ipv4.h"
#include "simcore/packet/udp.h"
#include "simcore/sys/clock.h"

namespace simcore {

namespace {

constexpr std::size_t kFrame = 60;  // the smallest of Ethernet, without its check sequence
constexpr std::size_t kMarkAt =
    EthernetHeader::kSize + Ipv4Header::kSize + UdpHeader::kSize;  // which is behind an ARP message, too
constexpr std::uint32_t kMark = 0x686e6362;                        // "hncb"
constexpr std::uint16_t kPort = 9;                                 // discard (RFC 863)
constexpr std::uint8_t kUdp = 17;
using Frame = std::array<std::uint8_t, kFrame>;

void mark(Frame& frame, std::uint32_t number) {
  store_be32(frame.data() + kMarkAt, kMark);
  store_be32(frame.data() + kMarkAt + 4, number);
}

// OFPT_FLOW_MOD (1.3.5, 7.3.4.1), OFPFC_DELETE in all tables, of what is matched by one OXM TLV list.
void append_delete(openflow::Writer& to, std::span<const std::uint8_t> fields) {
  const std::size_t match = 4 + fields.size();
  const std::size_t padded = (match + 7) / 8 * 8;
  to.u8(4);  // OpenFlow 1.3
  to.u8(openflow::type::kFlowMod);
  to.u16(static_cast<std::uint16_t>(48 + padded));
  to.u32(0);
  to.zeros(16);        // cookie and its mask
  to.u8(0xff);         // OFPTT_ALL
  to.u8(3);            // OFPFC_DELETE
  to.zeros(6);         // timeouts, priority
  to.u32(0xffffffff);  // no buffer, whichever port and group
  to.u32(0xffffffff);
  to.u32(0xffffffff);
  to.zeros(4);  // flags
  to.u16(1);    // OFPMT_OXM
  to.u16(static_cast<std::uint16_t>(match));
  to.bytes(fields);
  to.zeros(padded - match);
}

}  // namespace

void FlowLoad::Host::accept(PacketPtr packet) { load_.arrived(index_, std::as_const(*packet).bytes()); }

FlowLoad::FlowLoad(std::uint32_t number, std::size_t hosts, Duration patience, openflow::Switch& of,
                   SimulatedNetwork& network, Counts& counts)
    : number_(number),
      patience_(patience),
      of_(of),
      network_(network),
      counts_(counts),
      manager_(of.connect(openflow::Session::Kind::service, [] {})) {
  for (std::size_t index = 0; index < hosts; ++index) hosts_.push_back(std::make_unique<Host>(*this, index));
  const std::array<std::uint8_t, 8> hello = {4, openflow::type::kHello, 0, 8, 0, 0, 0, 0};
  manage(hello);
}

MacAddress FlowLoad::mac_of(std::size_t host) const {
  return MacAddress::of(std::uint64_t{2} << 40 | std::uint64_t{number_} << 16 | (host + 1));
}

Ipv4Address FlowLoad::address_of(std::size_t host) const {
  return Ipv4Address::of(0x0a000001U + static_cast<std::uint32_t>(number_ * hosts_.size() + host));
}

void FlowLoad::keep_under_way(std::size_t window) {
  window_ = window;
  fill();
}

void FlowLoad::look_after() {
  if (announcing_ && !announced_) go_on_announcing();
  const std::int64_t latest = monotonic_ns() - patience_.count_ns();
  while (!under_way_.empty() && under_way_.front().sent_ns <= latest) {
    if (under_way_.front().target != kEverybody) ++counts_.unanswered;
    under_way_.pop_front();
  }
  fill();
}

// A switch without flows asks nobody, and what its hosts say is lost: one of them says it again until it asks.
void FlowLoad::go_on_announcing() {
  if (of_.counters().packet_ins == 0) {
    if (of_.connected()) {
      send_announcement(0);
      under_way_.clear();
    }
    return;
  }
  while (said_ < hosts_.size() && send_announcement(said_)) ++said_;
  announced_ = said_ == hosts_.size() && under_way_.empty();
}

bool FlowLoad::send_announcement(std::size_t host) {
  Frame frame{};
  write_ethernet(frame, MacAddress::broadcast(), mac_of(host), EtherType::arp);
  ArpMessage{ArpMessage::Operation::request, mac_of(host), address_of(host), MacAddress::zero(),
             address_of(host)}
      .write_to(std::span(frame).subspan(EthernetHeader::kSize));
  mark(frame, next_);
  return send(host, kEverybody, frame);
}

void FlowLoad::fill() {
  while (under_way_.size() < window_ && begin_flow()) {
  }
}

// All hosts in turn are targets, each time with the next of the others as the source.
bool FlowLoad::begin_flow() {
  const std::size_t count = hosts_.size();
  const std::size_t target = next_flow_ % count;
  const std::size_t source = (target + 1 + next_flow_ / count % (count - 1)) % count;
  forget_flows_to(target);
  Frame frame{};
  const std::span<std::uint8_t> bytes(frame);
  write_ethernet(frame, mac_of(target), mac_of(source), EtherType::ipv4);
  write_ipv4(bytes.subspan(EthernetHeader::kSize),
             {.source = address_of(source),
              .destination = address_of(target),
              .protocol = kUdp,
              .payload_length = kFrame - EthernetHeader::kSize - Ipv4Header::kSize});
  write_udp(bytes.subspan(EthernetHeader::kSize + Ipv4Header::kSize),
            {.source_port = kPort, .destination_port = kPort, .payload_length = kFrame - kMarkAt});
  mark(frame, next_);
  if (!send(source, target, frame)) return false;
  ++next_flow_;
  return true;
}

// False: the pool has no memory for it now.
bool FlowLoad::send(std::size_t source, std::size_t target, std::span<const std::uint8_t> frame) {
  PacketPtr packet = network_.pool().copy_of(frame);
  if (!packet) return false;
  packet->first_arrival = packet->last_arrival = network_.simulation().now();
  under_way_.push_back({next_++, target, monotonic_ns()});
  hosts_[source]->give(std::move(packet));
  return true;
}

void FlowLoad::arrived(std::size_t host, std::span<const std::uint8_t> frame) {
  if (frame.size() < kMarkAt + 8 || load_be32(frame.data() + kMarkAt) != kMark) return;
  const std::uint32_t number = load_be32(frame.data() + kMarkAt + 4);
  const auto found = std::ranges::find(under_way_, number, &UnderWay::number);
  if (found == under_way_.end() || (found->target != kEverybody && found->target != host)) return;
  if (found->target != kEverybody) {
    ++counts_.answered;
    ++answered_;
    counts_.response_ns.add(monotonic_ns() - found->sent_ns);
  }
  under_way_.erase(found);
  fill();
}

// Those that name it as their destination, by its MAC address or its IPv4 address.
void FlowLoad::forget_flows_to(std::size_t host) {
  std::vector<std::uint8_t> messages;
  openflow::Writer to(messages);
  std::array<std::uint8_t, 10> by_mac = {0x80, 0, 3 << 1, 6};
  mac_of(host).write_to(by_mac.data() + 4);
  append_delete(to, by_mac);
  std::array<std::uint8_t, 14> by_address = {0x80, 0, 5 << 1, 2, 0x08, 0, 0x80, 0, 12 << 1, 4};
  address_of(host).write_to(by_address.data() + 10);
  append_delete(to, by_address);
  manage(messages);
}

void FlowLoad::manage(std::span<const std::uint8_t> messages) {
  manager_.take_in(messages);
  for (bool more = true; more;) {
    openflow::Effort effort(openflow::kEffortAtOnce);
    more = of_.handle_input(manager_, effort);
  }
  manager_.output().clear();
}

}  // namespace simcore

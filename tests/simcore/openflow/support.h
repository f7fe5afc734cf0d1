// SPDX-License-Identifier: MIT
//
// A switch on a bench: packets go in by a port and come out as (port, frame); messages go in as bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "simcore/openflow/message_type.h"
#include "simcore/openflow/switch.h"
#include "simcore/packet/packet_pool.h"

namespace simcore::openflow {

using Bytes = std::vector<std::uint8_t>;

// Bytes as two hexadecimal digits each; blanks between them say nothing.
inline Bytes hex(std::string_view digits) {
  Bytes bytes;
  bool half = false;
  for (const char digit : digits) {
    if (digit == ' ') continue;
    const auto value = static_cast<std::uint8_t>(digit <= '9' ? digit - '0' : digit - 'a' + 10);
    if (half) {
      bytes.back() = static_cast<std::uint8_t>(bytes.back() << 4 | value);
    } else {
      bytes.push_back(value);
    }
    half = !half;
  }
  return bytes;
}

class Bench : public SwitchHost {
 public:
  explicit Bench(std::uint32_t ports = 4,
                 SwitchConfig config = {.name = "s1", .dpid = 1, .versions = 1U << 1 | 1U << 4})
      : of(std::move(config), pool, *this) {
    for (std::uint32_t number = 1; number <= ports; ++number) {
      of.add_port(number, "s1-eth" + std::to_string(number), MacAddress::of(number));
      of.set_link(number, true);
    }
    session = &of.connect(Session::Kind::controller, [] {});
  }
  virtual ~Bench() = default;

  SimTime now() const override { return time; }
  void transmit(std::uint32_t port, PacketPtr packet) override {
    sent.emplace_back(port, Bytes(packet->bytes().begin(), packet->bytes().end()));
    segments += packet->segments;
  }
  void drop(DropReason reason, const Packet& packet) override { dropped.add(reason, packet.segments); }
  void wake_at(SimTime at) override { due = at; }
  void enable_port(std::uint32_t port, bool up) override { enabled.emplace_back(port, up); }

  // One message of the controller, `body` behind the header; whatever it is answered with is in answers().
  void tell(std::uint8_t type, const Bytes& body, std::uint8_t version = 4, std::uint32_t xid = 7) {
    Bytes message;
    Writer to(message);
    to.u8(version);
    to.u8(type);
    to.u16(static_cast<std::uint16_t>(8 + body.size()));
    to.u32(xid);
    to.bytes(body);
    session->take_in(message);
    Effort effort(kEffortAtOnce);
    of.handle_input(*session, effort);
  }
  void greet(std::uint8_t version = 4) {
    tell(0, {}, version);
    session->output().clear();
  }

  // What the switch has said since the last call, message by message.
  std::vector<Bytes> answers() {
    std::vector<Bytes> all;
    const Bytes out = std::exchange(session->output(), {});
    for (std::size_t at = 0; at + 8 <= out.size();) {
      const std::size_t length = load_be16(out.data() + at + 2);
      all.emplace_back(out.begin() + static_cast<std::ptrdiff_t>(at),
                       out.begin() + static_cast<std::ptrdiff_t>(at + length));
      at += length;
    }
    return all;
  }
  // The code of the only answer, an error.
  ErrorCode error() {
    const std::vector<Bytes> all = answers();
    if (all.size() != 1 || all[0][1] != 1) return {999, 999};
    return {load_be16(all[0].data() + 8), load_be16(all[0].data() + 10)};
  }

  // What a message is answered with where it may be refused: kTaken: nothing.
  static constexpr ErrorCode kTaken{0, 0xffff};
  ErrorCode said(std::uint8_t type, const Bytes& body, std::uint8_t version = 4) {
    tell(type, body, version);
    const std::vector<Bytes> all = answers();
    if (all.empty()) return kTaken;
    if (all[0][1] != 1) return {998, all[0][1]};
    return {load_be16(all[0].data() + 8), load_be16(all[0].data() + 10)};
  }

  void receive(std::uint32_t port, const Bytes& frame) { of.receive(port, pool.copy_of(frame)); }

  PacketPool pool;
  SimTime time = SimTime::zero();
  SimTime due = SimTime::never();
  std::vector<std::pair<std::uint32_t, Bytes>> sent;
  std::uint64_t segments = 0;
  DropCounters dropped;
  std::vector<std::pair<std::uint32_t, bool>> enabled;  // ports, in the order of what happened to them
  Switch of;
  Session* session = nullptr;
};

// A flow modification of OpenFlow 1.3.
struct FlowModText {
  Match match{};
  Instructions instructions{};
  std::uint16_t priority = 100;
  std::uint8_t table = 0;
  std::uint8_t command = 0;
  std::uint16_t idle = 0;
  std::uint16_t hard = 0;
  std::uint16_t flags = 0;
  std::uint64_t cookie = 0;

  Bytes bytes() const {
    Bytes body;
    Writer to(body);
    to.u64(cookie);
    to.u64(0);
    to.u8(table);
    to.u8(command);
    to.u16(idle);
    to.u16(hard);
    to.u16(priority);
    to.u32(kNoBuffer);
    to.u32(port_no::kAny);
    to.u32(kAnyGroup);
    to.u16(flags);
    to.u16(0);
    write_match(to, match);
    write_instructions(to, instructions);
    return body;
  }
};

inline Action output_to(std::uint32_t port, std::uint16_t most = 0xffff) {
  Action action;
  action.port = port;
  action.number = most;
  return action;
}
inline Action of(ActionType type, std::uint16_t number = 0, std::uint32_t port = 0) {
  Action action;
  action.type = type;
  action.number = number;
  action.port = port;
  return action;
}
inline Action set_to(FieldId id, FieldValue value) {
  Action action;
  action.type = ActionType::set_field;
  action.field = &field(id);
  action.value = value;
  action.mask = action.field->all_bits();
  return action;
}
inline Instructions applying(Actions actions) {
  Instructions instructions;
  instructions.apply = std::move(actions);
  return instructions;
}

// A TCP segment over IPv4 without payload, from 02:..:01 to 02:..:02, 10.0.0.1:1000 to 10.0.0.2:80, with right checksums.
inline Bytes tcp_frame() {
  return {0x02, 0,    0, 0,  0, 2, 0x02, 0, 0,  0, 0,    1,    0x08, 0x00,                        // Ethernet
          0x45, 0,    0, 40, 0, 1, 0x40, 0, 64, 6, 0x26, 0xcd, 10,   0,    0,    1, 10, 0, 0, 2,  // IPv4
          0x03, 0xe8, 0, 80, 0, 0, 0,    1, 0,  0, 0,    0,    0x50, 0x02, 0x20, 0, 0,  0, 0, 0};
}

}  // namespace simcore::openflow

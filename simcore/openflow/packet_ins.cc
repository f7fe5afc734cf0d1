// SPDX-License-Identifier: MIT
//
// Packets for controllers and from them.
#include <algorithm>

#include "simcore/openflow/action_codec.h"
#include "simcore/openflow/message_type.h"
#include "simcore/openflow/switch.h"
#include "simcore/packet/train.h"

namespace simcore::openflow {

namespace {

constexpr std::size_t kMostShown = 65'000;  // of a packet: a message holds 65,535 bytes

// A frame, below the rate of a meter's bands that drop.
bool passes(Meter& meter, const Packet& frame, SimTime now) {
  const std::vector<Meter::Run> runs = meter.judge(frame, now);
  return std::ranges::none_of(
      runs, [](const Meter::Run& run) { return run.band != nullptr && run.band->type == BandType::drop; });
}

}  // namespace

// Frame by frame, each with its checksum.
void Switch::to_controllers(const Packet& packet, const FlowKey& key, const PacketInCause& cause) {
  const auto wants = [&](const Session& session) {
    if (cause.implicit_miss && session.version() != Version::v10) return false;
    if (cause.reason == PacketInReason::invalid_ttl &&
        (session.config_flags & Session::kInvalidTtlToController) != 0)
      return session.greeted() && !session.broken();
    return session.wants(session.asynchronous.packet_in, static_cast<unsigned>(cause.reason));
  };
  const bool wanted = std::ranges::any_of(sessions_, [&](const auto& session) { return wants(*session); });
  if (!wanted) return;
  PacketPtr rest = pool_.copy_of(packet);
  if (!rest) return host_.drop(DropReason::pool_exhausted, packet);
  const auto meter = meters_.find(kControllerMeter);
  std::vector<std::uint8_t> bytes;
  while (rest) {
    PacketPtr frame;
    if (rest->segments > 1) {
      frame = split_front(*rest, 1, pool_);
    } else {
      frame.swap(rest);  // the last
    }
    if (!frame) return;
    finish_checksum(*frame);
    if (meter != meters_.end() && !passes(meter->second, *frame, host_.now())) {
      host_.drop(DropReason::metered, *frame);
      continue;
    }
    bytes.assign(frame->bytes().begin(), frame->bytes().end());
    bytes.resize(bytes.size() + frame->virtual_payload);
    for (const auto& session : sessions_) {
      if (!wants(*session)) continue;
      ++counters_.packet_ins;
      if (session->congested()) {
        ++counters_.packet_ins_dropped;
      } else {
        send_packet_in(*session, bytes, key, cause);
      }
    }
  }
}

void Switch::send_packet_in(Session& session, std::span<const std::uint8_t> frame, const FlowKey& key,
                            const PacketInCause& cause) {
  const bool v13 = session.version() == Version::v13;
  const std::span<const std::uint8_t> shown = frame.first(std::min<std::size_t>(frame.size(), kMostShown));
  session.send(type::kPacketIn, 0, [&](Writer& to) {
    to.u32(kNoBuffer);
    to.u16(static_cast<std::uint16_t>(frame.size()));
    if (!v13) {
      to.u16(port_in10(key.u32(at::kInPort)));
      to.u8(static_cast<std::uint8_t>(cause.reason == PacketInReason::invalid_ttl ? PacketInReason::action
                                                                                  : cause.reason));
      to.zeros(1);
    } else {
      to.u8(static_cast<std::uint8_t>(cause.reason));
      to.u8(cause.table);
      to.u64(cause.cookie);
      Match match;
      match.set(field(FieldId::in_port), key.u32(at::kInPort));
      for (const Field& each : match_fields()) {
        const bool of_the_way = each.id == FieldId::metadata || each.id == FieldId::tunnel_id ||
                                each.id == FieldId::packet_mark || each.id >= FieldId::reg0;
        if (of_the_way && each.get(key) != 0) match.set(each, each.get(key));
      }
      write_match(to, match);
      to.zeros(2);
    }
    to.bytes(shown);
  });
}

void Switch::packet_out(Session& session, Reader body, Effort& effort) {
  const Version version = session.version();
  const std::uint32_t buffer = body.u32();
  const std::uint32_t in_port = version == Version::v13 ? body.u32() : port_of10(body.u16());
  const std::uint16_t length = body.u16();
  if (version == Version::v13) body.skip(6);
  const Actions actions = read_actions(body.sub(length, error::kBadLength), version);
  if (version == Version::v13) check_out_port(in_port);
  if (in_port >= port_no::kMax10 && in_port != port_no::kLocal && in_port != port_no::kController &&
      in_port != port_no::kAny)
    throw ProtocolError(error::kBadPort);
  if (buffer != kNoBuffer) throw ProtocolError(error::kBufferUnknown);
  check_references(actions);
  ++counters_.packet_outs;
  if (body.left() < kEthernetHeader) return;  // no frame: nothing can be done with it
  if (version == Version::v13) {
    FlowKey key;
    parse(body.rest(), 0, key);
    check_actions(actions, key);
  }
  PacketPtr packet = pool_.copy_of(body.rest());
  if (!packet) return;
  packet->first_arrival = packet->last_arrival = host_.now();
  effort.spend(pipeline_.perform(actions, in_port, std::move(packet), host_.now()));
}

}  // namespace simcore::openflow

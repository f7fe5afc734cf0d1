// SPDX-License-Identifier: MIT
#include "simcore/portal/clock_exchange.h"

#include <utility>

namespace simcore::peering {

namespace {

// How often the clocks are compared: quickly until both sides know the other's, then until the window has a
// good number, then at a steady pace.
constexpr Duration kAtStart = Duration::ms(5);
constexpr Duration kSoonAfter = Duration::ms(20);
constexpr Duration kSteady = Duration::ms(100);

}  // namespace

ClockExchange::ClockExchange(Transport& transport, Config config)
    : transport_(transport), config_(std::move(config)) {}

void ClockExchange::request(const Sent& sent) {
  SyncMessage message;
  message.request_sent_ns = config_.wall_now().count_ns();
  send(message, DatagramKind::sync_request, sent);
}

Duration ClockExchange::pace() const {
  if (!synchronized()) return kAtStart;
  const bool enough = told() || clock_.exchanges() >= ClockSync::kWindow / 2;
  return enough ? kSteady : kSoonAfter;
}

bool ClockExchange::take(const SyncMessage& message, SimTime arrived, const Sent& sent) {
  if (told()) {
    const std::int64_t zero_ns = config_.clock_zero_ns();
    if (message.clock_zero_ns != 0 && zero_ns != 0)
      clock_.set_exact(Duration::ns(zero_ns - message.clock_zero_ns));
  } else if (message.datagram.kind == DatagramKind::sync_reply) {
    const ClockSync::Exchange exchange = {SimTime::at_ns(message.request_sent_ns),
                                          SimTime::at_ns(message.request_received_ns),
                                          SimTime::at_ns(message.reply_sent_ns), arrived};
    if (!clock_.add(exchange)) return false;
  }
  // A request may speak of the instance that was here before; a reply is for this one.
  if (message.datagram.kind == DatagramKind::sync_reply && (message.datagram.flags & kSynchronized) != 0)
    peer_synchronized_ = true;
  if (message.datagram.kind == DatagramKind::sync_request) {
    SyncMessage reply;
    reply.request_sent_ns = message.request_sent_ns;
    reply.request_received_ns = arrived.count_ns();
    reply.reply_sent_ns = config_.wall_now().count_ns();
    send(reply, DatagramKind::sync_reply, sent);
  }
  return true;
}

void ClockExchange::forget_peer() {
  clock_ = ClockSync();
  peer_synchronized_ = false;
}

// One that the transport does not take is as good as lost on the way: the next follows soon.
void ClockExchange::send(SyncMessage message, DatagramKind kind, const Sent& sent) {
  message.datagram.magic = kMagic;
  message.datagram.kind = kind;
  message.datagram.flags = clock_.synchronized() ? kSynchronized : std::uint8_t{0};
  message.datagram.token = config_.token;
  message.datagram.session = config_.session;
  message.sent = sent;
  if (told()) message.clock_zero_ns = config_.clock_zero_ns();
  const Transport::Datagram datagram = {{reinterpret_cast<const std::uint8_t*>(&message), sizeof message},
                                        {}};
  transport_.send(std::span<const Transport::Datagram>(&datagram, 1));
}

}  // namespace simcore::peering

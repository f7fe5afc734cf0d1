// SPDX-License-Identifier: MIT
#include "simcore/portal/clock_exchange.h"

#include <algorithm>
#include <utility>

namespace simcore::peering {

namespace {

// How often the clocks are compared: quickly until both sides know the other's, then until the window has a
// good number, then at a steady pace.
constexpr Duration kAtStart = Duration::ms(5);
constexpr Duration kSoonAfter = Duration::ms(20);
constexpr Duration kSteady = Duration::ms(100);

}  // namespace

ClockExchange::ClockExchange(UdpSocket& socket, std::uint64_t token, std::function<SimTime()> wall_now)
    : socket_(socket), token_(token), wall_now_(std::move(wall_now)) {}

void ClockExchange::request(std::uint64_t segments_sent) {
  SyncMessage message;
  message.request_sent_ns = wall_now_().count_ns();
  send(message, DatagramKind::sync_request, segments_sent);
}

Duration ClockExchange::pace() const {
  if (!synchronized()) return kAtStart;
  return clock_.exchanges() < ClockSync::kWindow / 2 ? kSoonAfter : kSteady;
}

bool ClockExchange::take(std::span<const std::uint8_t> datagram, SimTime arrived,
                         std::uint64_t segments_sent) {
  const auto message = read_sync(datagram);
  if (!message) return false;
  if (message->datagram.kind == DatagramKind::sync_reply) {
    const ClockSync::Exchange exchange = {SimTime::at_ns(message->request_sent_ns),
                                          SimTime::at_ns(message->request_received_ns),
                                          SimTime::at_ns(message->reply_sent_ns), arrived};
    if (!clock_.add(exchange)) return false;
  }
  peer_sent_segments_ = std::max(peer_sent_segments_, message->segments_sent);
  if ((message->datagram.flags & kSynchronized) != 0) peer_synchronized_ = true;
  if (message->datagram.kind == DatagramKind::sync_request) {
    SyncMessage reply;
    reply.request_sent_ns = message->request_sent_ns;
    reply.request_received_ns = arrived.count_ns();
    reply.reply_sent_ns = wall_now_().count_ns();
    send(reply, DatagramKind::sync_reply, segments_sent);
  }
  return true;
}

// One that the kernel does not take is as good as lost on the way: the next follows soon.
void ClockExchange::send(SyncMessage message, DatagramKind kind, std::uint64_t segments_sent) {
  message.datagram.magic = kMagic;
  message.datagram.kind = kind;
  message.datagram.flags = clock_.synchronized() ? kSynchronized : std::uint8_t{0};
  message.datagram.token = token_;
  message.segments_sent = segments_sent;
  const iovec part = {&message, sizeof message};
  const UdpSocket::Message datagram = {std::span<const iovec>(&part, 1), 0};
  socket_.send(std::span<const UdpSocket::Message>(&datagram, 1));
}

}  // namespace simcore::peering

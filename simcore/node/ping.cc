// SPDX-License-Identifier: MIT
#include "simcore/node/ping.h"

#include <algorithm>
#include <string>
#include <utility>

#include "simcore/node/host.h"
#include "simcore/units/error.h"
#include "simcore/wire/ethernet.h"
#include "simcore/wire/ipv4.h"

namespace simcore {

namespace {

constexpr std::size_t kLargestPayload = 65'507;  // in one IPv4 datagram without options

}  // namespace

Ping::Ping(Simulation& simulation, Host& host, const Config& config)
    : simulation_(simulation), host_(host), config_(config), requests_(kOutstanding) {
  const std::string attempt = "ping from " + host.name() + " to " + config.destination.to_string() + ": ";
  if (config_.interval <= Duration::zero()) throw ConfigError(attempt + "interval is 0; it must be above");
  if (config_.payload > kLargestPayload) {
    throw ConfigError(attempt + "payload is " + std::to_string(config_.payload) + " bytes; at most 65,507");
  }
  if (config_.start < simulation_.now()) throw ConfigError(attempt + "it starts in the past");
  while (!host_.icmp().listen_for_replies(identifier_, *this)) {
    if (++identifier_ == 0) throw ConfigError(attempt + "the host has a ping for each of 65,535 identifiers");
  }
  simulation_.schedule(next_, config_.start);
}

Ping::~Ping() { host_.icmp().stop_listening(identifier_); }

void Ping::send() {
  if (config_.count && sent_ >= *config_.count) return;
  ++sent_;
  requests_[static_cast<std::size_t>(sent_) % kOutstanding] = {.number = sent_, .sent = simulation_.now()};
  constexpr std::size_t kMessage = EthernetHeader::kSize + Ipv4Header::kSize;
  const std::size_t length = IcmpHeader::kSize + config_.payload;
  const auto source = host_.source_for(config_.destination);
  PacketPtr packet = source ? host_.pool().make(kMessage + length) : nullptr;
  if (packet) {
    write_ipv4(packet->bytes().subspan(EthernetHeader::kSize),
               {.source = *source,
                .destination = config_.destination,
                .protocol = ip_protocol::kIcmp,
                .payload_length = static_cast<std::uint16_t>(length),
                .identification = host_.next_identification()});
    const std::span<std::uint8_t> message = packet->bytes().subspan(kMessage);
    std::ranges::fill(message.subspan(IcmpHeader::kSize), std::uint8_t{0});
    write_icmp(message, IcmpType::echo_request, 0,
               std::uint32_t{identifier_} << 16 | static_cast<std::uint16_t>(sent_));
    host_.send(std::move(packet));
  } else {
    host_.dropped().add(source ? DropReason::pool_exhausted : DropReason::no_route, 1);
  }
  simulation_.schedule_in(next_, config_.interval);
}

void Ping::echo_replied(const IcmpHeader& reply, const Ipv4Header& datagram) {
  if (datagram.source() != config_.destination) return;
  // The request with these 16 bits that was sent last.
  const auto behind = static_cast<std::uint16_t>(static_cast<std::uint16_t>(sent_) - reply.sequence());
  const std::int64_t number = sent_ - behind;
  if (number < 1) return;
  Request& request = requests_[static_cast<std::size_t>(number) % kOutstanding];
  if (request.number != number) return;
  if (request.answered) {
    ++duplicates_;
    return;
  }
  request.answered = true;
  const Duration rtt = simulation_.now() - request.sent;
  least_ = received_ == 0 ? rtt : std::min(least_, rtt);
  greatest_ = std::max(greatest_, rtt);
  sum_ += rtt;
  ++received_;
}

}  // namespace simcore

// SPDX-License-Identifier: MIT
#include "simcore/application/ping.h"

#include <algorithm>
#include <string>
#include <utility>

#include "simcore/packet/ethernet.h"
#include "simcore/packet/icmp.h"
#include "simcore/packet/icmpv6.h"
#include "simcore/packet/ip_header.h"
#include "simcore/stack/host.h"
#include "simcore/units/error.h"

namespace simcore {

Ping::Ping(Simulation& simulation, Host& host, const Config& config)
    : simulation_(simulation), host_(host), config_(config), requests_(kOutstanding) {
  const std::string attempt = "ping from " + host.name() + " to " + config.destination.to_string() + ": ";
  if (config_.interval <= Duration::zero()) throw ConfigError(attempt + "interval is 0; it must be above");
  const std::size_t largest = 65'535 - ip_header_size(config.destination) - IcmpHeader::kSize;
  if (config_.payload > largest) {
    throw ConfigError(attempt + "payload is " + std::to_string(config_.payload) + " bytes; at most " +
                      std::to_string(largest));
  }
  if (config_.start < simulation_.now()) throw ConfigError(attempt + "it starts in the past");
  while (!host_.icmp().listen_for_replies(identifier_, *this)) {
    if (++identifier_ == 0) throw ConfigError(attempt + "the host has a ping for each of 65,535 identifiers");
  }
  simulation_.schedule(next_, config_.start);
}

Ping::~Ping() { host_.icmp().stop_listening(identifier_); }

std::string Ping::place() const { return host_.name(); }

void Ping::send() {
  if (config_.count && sent_ >= *config_.count) return;
  ++sent_;
  requests_[static_cast<std::size_t>(sent_) % kOutstanding] = {.number = sent_, .sent = simulation_.now()};
  const auto source = host_.source_for(config_.destination);
  PacketPtr packet = source ? request(*source) : nullptr;
  if (packet) {
    host_.send(std::move(packet));
  } else {
    host_.dropped().add(source ? DropReason::pool_exhausted : DropReason::no_route, 1);
  }
  simulation_.schedule_in(next_, config_.interval);
}

// The latest one, as a frame without its Ethernet header. Null when the pool is exhausted.
PacketPtr Ping::request(const IpAddress& source) {
  const std::size_t start = EthernetHeader::kSize + ip_header_size(source);
  const std::size_t length = IcmpHeader::kSize + config_.payload;
  PacketPtr packet = host_.pool().make(start + length);
  if (!packet) return nullptr;
  write_ip(packet->bytes().subspan(EthernetHeader::kSize),
           {.source = source,
            .destination = config_.destination,
            .protocol = source.is_v4() ? ip_protocol::kIcmp : ip_protocol::kIcmpv6,
            .payload_length = static_cast<std::uint16_t>(length),
            .identification = host_.next_identification()});
  const std::span<std::uint8_t> message = packet->bytes().subspan(start);
  std::ranges::fill(message.subspan(IcmpHeader::kSize), std::uint8_t{0});
  const std::uint32_t rest = std::uint32_t{identifier_} << 16 | static_cast<std::uint16_t>(sent_);
  if (source.is_v4()) {
    write_icmp(message, IcmpType::echo_request, 0, rest);
  } else {
    write_icmpv6(message, Icmpv6Type::echo_request, 0, rest, {source.v6(), config_.destination.v6()});
  }
  return packet;
}

void Ping::echo_replied(const IpAddress& from, std::uint16_t sequence) {
  if (from != config_.destination) return;
  // The request with these 16 bits that was sent last.
  const auto behind = static_cast<std::uint16_t>(static_cast<std::uint16_t>(sent_) - sequence);
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

// SPDX-License-Identifier: MIT
#include "simcore/application/traceroute.h"

#include <algorithm>
#include <string>
#include <utility>

#include "simcore/stack/host.h"
#include "simcore/stack/udp_datagrams.h"
#include "simcore/units/error.h"

namespace simcore {

Traceroute::Traceroute(Simulation& simulation, Host& host, const Config& config)
    : simulation_(simulation), host_(host), config_(config) {
  const std::string attempt =
      "traceroute from " + host.name() + " to " + config.destination.to_string() + ": ";
  if (config_.hops < 1) throw ConfigError(attempt + "hops is 0; it must be 1 to 255");
  if (config_.probes < 1 || config_.probes > 10) {
    throw ConfigError(attempt + "there are " + std::to_string(config_.probes) +
                      " probes for a hop; 1 to 10 may be");
  }
  if (config_.port + config_.hops * config_.probes > 65'536) {
    throw ConfigError(attempt + "the probes go to ports above 65,535; begin with a lower one");
  }
  if (config_.payload > kLargestUdpPayload) {
    throw ConfigError(attempt + "payload is " + std::to_string(config_.payload) + " bytes; at most 65,507");
  }
  if (config_.wait <= Duration::zero()) throw ConfigError(attempt + "wait is 0; it must be above");
  if (config_.start < simulation_.now()) throw ConfigError(attempt + "it starts in the past");
  const auto port = host_.udp().bind_free(*this);
  if (!port) throw ConfigError(attempt + "every UDP port of the host is taken");
  local_port_ = *port;
  host_.icmp().listen_for_errors(local_port_, this);
  simulation_.schedule(next_, config_.start);
}

Traceroute::~Traceroute() {
  host_.icmp().listen_for_errors(local_port_, nullptr);
  host_.udp().unbind(local_port_);
}

// A probe is to be sent: the first, the one after an answer, or the one after a wait without any.
void Traceroute::proceed() {
  waiting_ = false;
  const bool hop_done = sent_ % config_.probes == 0;
  if (hop_done && (reached_ || sent_ == config_.hops * config_.probes)) {
    finished_ = true;
    return;
  }
  if (hop_done) hops_.emplace_back();
  send();
}

std::string Traceroute::place() const { return host_.name(); }

void Traceroute::send() {
  const auto port = static_cast<std::uint16_t>(config_.port + sent_);
  ++sent_;
  sent_at_ = simulation_.now();
  waiting_ = true;
  simulation_.schedule_in(next_, config_.wait);
  const auto local = host_.source_for(config_.destination);
  if (!local) return host_.dropped().add(DropReason::no_route, 1);
  const UdpEnds ends{
      .local = *local, .remote = config_.destination, .local_port = local_port_, .remote_port = port};
  PacketPtr frame = make_udp_frame(ends, {}, config_.payload, host_.next_identification(), host_.pool(),
                                   static_cast<std::uint8_t>(hops_.size()));
  frame ? host_.send(std::move(frame)) : host_.dropped().add(DropReason::pool_exhausted, 1);
}

void Traceroute::icmp_error(IcmpFailure failure, const IpAddress& from, const IpHeader& quoted) {
  const auto asked = static_cast<std::uint16_t>(config_.port + sent_ - 1);
  const bool latest =
      load_be16(quoted.payload().data() + 2) == asked && quoted.destination() == config_.destination;
  if (!waiting_ || !latest) return;
  take_answer(from, failure != IcmpFailure::time_exceeded);
}

void Traceroute::receive(PacketPtr packet, const IpHeader& datagram, const UdpHeader& header,
                         Interface& /*arrival*/) {
  const bool latest = header.source_port() == static_cast<std::uint16_t>(config_.port + sent_ - 1) &&
                      datagram.source() == config_.destination;
  if (!waiting_ || !latest) return host_.drop(DropReason::no_listener, *packet);
  take_answer(datagram.source(), true);
}

void Traceroute::take_answer(const IpAddress& from, bool last_hop) {
  Hop& hop = hops_.back();
  const Duration took = simulation_.now() - sent_at_;
  hop.address = from;
  hop.least = hop.answered == 0 ? took : std::min(hop.least, took);
  hop.greatest = std::max(hop.greatest, took);
  hop.sum += took;
  ++hop.answered;
  reached_ = reached_ || last_hop;
  waiting_ = false;
  simulation_.schedule(next_, simulation_.now());
}

}  // namespace simcore

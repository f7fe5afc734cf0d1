// SPDX-License-Identifier: MIT
#include "simcore/application/udp_source.h"

#include <array>
#include <utility>

#include "simcore/packet/byte_order.h"
#include "simcore/stack/host.h"
#include "simcore/stack/udp_datagrams.h"
#include "simcore/units/error.h"

namespace simcore {

UdpSource::UdpSource(Simulation& simulation, Host& host, const std::string& name, const Config& config)
    : simulation_(simulation),
      host_(host),
      config_(config),
      random_(simulation.stream(name)),
      burst_start_(config.start),
      burst_end_(SimTime::never()) {
  const std::string attempt = "make UDP source " + name + ": ";
  if (config_.payload < kStamp || config_.payload > kLargestUdpPayload) {
    throw ConfigError(attempt + "payload is " + std::to_string(config_.payload) +
                      " bytes; it must be 16 to 65,507");
  }
  if (config_.rate <= DataRate::bps(0)) throw ConfigError(attempt + "rate is 0; it must be above");
  if (config_.start < simulation_.now() || config_.stop <= config_.start) {
    throw ConfigError(attempt + "it starts in the past or stops before it starts; choose start < stop");
  }
  if (config_.arrivals == Arrivals::on_off) {
    if (config_.mean_on <= Duration::zero() || config_.mean_off <= Duration::zero()) {
      throw ConfigError(attempt + "a mean time on or off is 0; both must be above");
    }
    burst_end_ = burst_start_ + exponential(config_.mean_on);
  }
  simulation_.schedule(departure_, next_departure());
}

std::string UdpSource::place() const { return host_.name(); }

void UdpSource::send() {
  if (simulation_.now() >= config_.stop) return;
  ++sent_;
  ++in_burst_;
  std::array<std::uint8_t, kStamp> stamp;
  store_be32(&stamp[0], static_cast<std::uint32_t>(sent_ >> 32));
  store_be32(&stamp[4], static_cast<std::uint32_t>(sent_));
  store_be32(&stamp[8], static_cast<std::uint32_t>(simulation_.now().count_ns() >> 32));
  store_be32(&stamp[12], static_cast<std::uint32_t>(simulation_.now().count_ns()));
  if (const auto local = host_.source_for(config_.destination)) {
    PacketPtr frame =
        make_udp_frame({.local = *local,
                        .remote = config_.destination,
                        .local_port = config_.local_port,
                        .remote_port = config_.port},
                       stamp, config_.payload - kStamp, host_.next_identification(), host_.pool());
    frame ? host_.send(std::move(frame)) : host_.dropped().add(DropReason::pool_exhausted, 1);
  } else {
    host_.dropped().add(DropReason::no_route, 1);
  }
  simulation_.schedule(departure_, next_departure());
}

SimTime UdpSource::next_departure() {
  if (config_.arrivals == Arrivals::poisson) {
    const SimTime from = sent_ == 0 ? config_.start : simulation_.now();
    return from + exponential(gap(1));
  }
  while (burst_start_ + gap(in_burst_) >= burst_end_) {
    burst_start_ = burst_end_ + exponential(config_.mean_off);
    burst_end_ = burst_start_ + exponential(config_.mean_on);
    in_burst_ = 0;
  }
  return burst_start_ + gap(in_burst_);
}

// How long so many datagrams last at the rate.
Duration UdpSource::gap(std::int64_t datagrams) const {
  using Wide = __int128;
  const Wide bits = static_cast<Wide>(datagrams) * static_cast<Wide>(config_.payload) * 8;
  return Duration::ns(static_cast<std::int64_t>(bits * 1'000'000'000 / config_.rate.bits_per_second()));
}

Duration UdpSource::exponential(Duration mean) {
  return Duration::ns(1 +
                      static_cast<std::int64_t>(random_.exponential(static_cast<double>(mean.count_ns()))));
}

void UdpSink::receive(PacketPtr packet, const IpHeader& datagram, const UdpHeader& header,
                      Interface& /*arrival*/) {
  const Sender sender{datagram.source(), header.source_port()};
  const auto known = flows_.find(sender);
  UdpFlow* const flow = known != flows_.end()           ? &known->second
                        : flows_.size() < kLargestTable ? &flows_[sender]
                                                        : nullptr;
  for_each_datagram(*packet, header, [&](const UdpDatagram& each) {
    ++datagrams_;
    bytes_ += static_cast<std::int64_t>(each.length);
    if (flow == nullptr || each.stored.size() < UdpSource::kStamp) return;
    const auto be64 = [&](std::size_t at) {
      return static_cast<std::int64_t>(std::uint64_t{load_be32(&each.stored[at])} << 32 |
                                       load_be32(&each.stored[at + 4]));
    };
    // Anyone may send here: a number that cannot be one of a source is not counted in a flow.
    const std::int64_t sequence = be64(0);
    const std::int64_t sent = be64(8);
    if (sequence < 1 || sequence > flow->highest() + (std::int64_t{1} << 32) || sent < 0) return;
    flow->add(sequence, SimTime::at_ns(sent), each.arrival, each.length);
  });
}

std::int64_t UdpSink::missing() const {
  std::int64_t sum = 0;
  for (const auto& [sender, flow] : flows_) sum += flow.missing();
  return sum;
}

std::int64_t UdpSink::out_of_order() const {
  std::int64_t sum = 0;
  for (const auto& [sender, flow] : flows_) sum += flow.out_of_order();
  return sum;
}

}  // namespace simcore

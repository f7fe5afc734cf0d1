// SPDX-License-Identifier: MIT
#include "simcore/traffic/receiver.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "simcore/network/snapshot_rows.h"
#include "simcore/packet/byte_order.h"
#include "simcore/packet/checksum.h"
#include "simcore/packet/ethernet.h"
#include "simcore/packet/ipv4.h"
#include "simcore/sys/clock.h"
#include "simcore/traffic/numbered_flow.h"
#include "simcore/units/error.h"

namespace simcore {

namespace {

// A number that lies further ahead than this is no number of a flow: somebody else sends there.
constexpr std::uint64_t kFurthest = std::uint64_t{1} << 32;

// CLOCK_REALTIME may be set or slewed meanwhile.
constexpr Duration kCompareClocks = Duration::ms(1);

Receiver::Config checked(Receiver::Config config) {
  if (config.silence <= Duration::zero()) {
    throw ConfigError("receive at " + config.device + ": it ends after a silence of 0 s; write more");
  }
  return config;
}

// Whether a datagram is as it was sent, as far as its checksum says. Some backends do not tell that a checksum is
// partial: then it holds the sum of the pseudo-header alone.
bool intact(const Packet& packet, const Ipv4Header& ip, const UdpHeader& udp) {
  if (packet.checksum_partial || udp.checksum() == 0 || ip.transport_checksum_correct()) return true;
  ChecksumSum pseudo_header;
  pseudo_header.add_pseudo_header(ip.source(), ip.destination(), ip_protocol::kUdp, udp.length());
  return udp.checksum() == pseudo_header.folded();
}

}  // namespace

Receiver::Receiver(Config config)
    : config_(checked(std::move(config))),
      loop_(simulation_, config_.realtime),
      portal_(make_emulation_portal(config_.backend, simulation_, loop_, pool_,
                                    {.name = config_.device,
                                     .device = config_.device,
                                     .filter = "ip and udp dst port " + std::to_string(config_.port)},
                                    config_.portal)) {
  portal_->attach(entrance_);
  loop_.add(*portal_);
}

void Receiver::take(const Packet& packet) {
  if (packet.first_arrival >= clocks_compared_ + kCompareClocks) {
    clocks_compared_ = packet.first_arrival;
    to_realtime_ns_ = loop_.epoch_ns() - monotonic_minus_realtime_ns();
  }
  const auto ethernet = EthernetHeader::parse(packet.bytes());
  const auto ip = ethernet && ethernet->ether_type() == EtherType::ipv4
                      ? Ipv4Header::parse(ethernet->payload(), packet.virtual_payload)
                      : std::nullopt;
  const auto udp = ip && ip->protocol() == ip_protocol::kUdp && !ip->is_fragment()
                       ? UdpHeader::parse(ip->payload(), ip->virtual_payload())
                       : std::nullopt;
  if (!udp) {
    foreign_ += packet.segments;
    return;
  }
  if (!ip->checksum_correct() || !intact(packet, *ip, *udp)) {
    damaged_ += packet.segments;
    return;
  }
  const std::uint64_t sender = std::uint64_t{ip->source().value()} << 16 | udp->source_port();
  const std::size_t headers = ethernet->size() + ip->size() + UdpHeader::kSize;
  for_each_datagram(packet, *udp, [&](const UdpDatagram& each) {
    if (each.stored.size() < NumberedFlow::kStamp) {
      ++foreign_;
      return;
    }
    add(sender, load_be64(each.stored.data()), static_cast<std::int64_t>(load_be64(&each.stored[8])),
        each.arrival, headers + each.length);
  });
  last_ = packet.last_arrival;
  if (first_ == SimTime::never()) {
    first_ = packet.first_arrival;
    if (config_.silence != Duration::infinite()) simulation_.schedule_in(silence_, config_.silence);
  }
  if (config_.count > 0 && distinct_ >= config_.count) loop_.stop();
}

void Receiver::add(std::uint64_t sender, std::uint64_t number, std::int64_t sent_ns, SimTime arrival,
                   std::size_t bytes) {
  SequenceCount* const count = flow(sender);
  if (count == nullptr || number < 1 || number > count->highest() + kFurthest) {
    ++foreign_;
    return;
  }
  const std::uint64_t before = count->distinct();
  count->add(number);
  distinct_ += count->distinct() - before;
  ++numbered_;
  bytes_ += bytes;
  const auto delay = static_cast<std::int64_t>(
      static_cast<std::uint64_t>(arrival.count_ns() + to_realtime_ns_) - static_cast<std::uint64_t>(sent_ns));
  delays_.add(delay);
  least_delay_ns_ = std::min(least_delay_ns_, delay);
  longest_delay_ns_ = std::max(longest_delay_ns_, delay);
}

SequenceCount* Receiver::flow(std::uint64_t sender) {
  if (last_flow_ != nullptr && sender == last_sender_) return last_flow_;
  const auto known = flows_.find(sender);
  if (known == flows_.end() && flows_.size() == kMostSenders) return nullptr;
  last_sender_ = sender;
  return last_flow_ = known != flows_.end() ? &known->second : &flows_[sender];
}

void Receiver::look_for_silence() {
  const SimTime end = last_ + config_.silence;
  if (end <= simulation_.now()) return loop_.stop();
  simulation_.schedule(silence_, end);
}

Receiver::Report Receiver::report() {
  return loop_.call([this] { return read(); });
}

Receiver::Report Receiver::read() {
  Report report;
  report.frames.name = config_.device;
  std::uint64_t highest = 0;
  std::uint64_t duplicates = 0;
  std::uint64_t reordered = 0;
  std::uint64_t too_late = 0;
  for (const auto& [sender, count] : flows_) {
    highest += count.highest();
    duplicates += count.duplicates();
    reordered += count.reordered();
    too_late += count.too_late();
  }
  const auto add_figure = [&report](std::string_view name, auto value) {
    report.frames.figures.emplace_back(name, static_cast<std::int64_t>(value));
  };
  add_figure("senders", flows_.size());
  add_figure("numbered_packets", numbered_);
  add_figure("distinct_packets", distinct_);
  add_figure("highest_number", highest);
  add_figure("missing_packets", highest - distinct_);
  add_figure("duplicate_packets", duplicates);
  add_figure("reordered_packets", reordered);
  add_figure("too_late_packets", too_late);
  add_figure("foreign_packets", foreign_);
  add_figure("damaged_packets", damaged_);
  add_figure("bytes", bytes_);
  add_figure("first_ns", first_ == SimTime::never() ? 0 : first_.count_ns());
  add_figure("last_ns", last_.count_ns());
  add_figure("least_delay_ns", numbered_ > 0 ? least_delay_ns_ : 0);
  add_figure("longest_delay_ns", numbered_ > 0 ? longest_delay_ns_ : 0);
  add_figure("time_ns", loop_.wall_now().count_ns());
  report.portal = row_of(*portal_);
  report.loop = row_of(loop_);
  report.delay = histogram_of(delays_);
  report.delay.greatest = numbered_ > 0 ? longest_delay_ns_ : 0;
  return report;
}

}  // namespace simcore

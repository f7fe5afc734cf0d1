// SPDX-License-Identifier: MIT
#include "simcore/application/packet_flows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "simcore/units/error.h"

namespace simcore {

namespace {

constexpr std::int64_t kEndless = std::numeric_limits<std::int64_t>::max() / 2;
constexpr std::int64_t kParts = 16;  // of a window that nothing clocks yet
constexpr Duration kPatience = Duration::seconds(1);
constexpr std::int64_t kHeaders = 66;  // bytes: Ethernet, IPv4, TCP with timestamps

}  // namespace

PacketFlows::PacketFlows(Simulation& simulation, TcpSockets& sockets, const Config& config)
    : simulation_(simulation), sockets_(sockets), config_(config) {
  const std::string what = "make the flows to " + config.destination.with_port(config.port);
  config_.tcp.check(what);
  if (config.flows < 1 || config.flows > kMostFlows) {
    throw ConfigError(what + ": there are " + std::to_string(config.flows) + "; choose 1 to " +
                      std::to_string(kMostFlows));
  }
  for (std::int64_t i = 0; i < config.flows; ++i) flows_.emplace_back(*this);
}

void PacketFlows::begin(Duration over) {
  resting_ = false;
  std::int64_t place = 0;
  for (Flow& flow : flows_) flow.begin(over * place++ / size());
}

void PacketFlows::rest() {
  resting_ = true;
  for (Flow& flow : flows_) flow.rest();
}

void PacketFlows::go_on(double window, Duration round_trip) {
  resting_ = false;
  const std::int64_t segments = std::max<std::int64_t>(1, std::llround(window));
  std::int64_t place = 0;
  for (Flow& flow : flows_) flow.go_on(segments, round_trip, round_trip * place++ / (size() * kParts));
}

double PacketFlows::window() const {
  double sum = 0;
  std::int64_t counted = 0;
  for (const Flow& flow : flows_) {
    const TcpConnection* const connection = flow.connection();
    if (connection == nullptr || connection->state() != TcpState::established) continue;
    const TcpSender& sender = connection->sender();
    const CongestionWindow& window = sender.congestion_window();
    const bool reducing = sender.state() != RecoveryState::open;
    sum += static_cast<double>(reducing ? std::min(window.cwnd, window.ssthresh) : window.cwnd) /
           static_cast<double>(window.mss);
    ++counted;
  }
  return counted == 0 ? 1.0 : std::max(1.0, sum / static_cast<double>(counted));
}

std::int64_t PacketFlows::acknowledged_bytes() const {
  std::int64_t payload = 0;
  for (const Flow& flow : flows_) payload += flow.acknowledged();
  return payload + payload / config_.tcp.mss * kHeaders;
}

std::int64_t PacketFlows::segments_sent() const {
  std::int64_t sum = 0;
  for (const Flow& flow : flows_) sum += flow.segments_sent();
  return sum;
}

std::int64_t PacketFlows::open() const {
  return std::ranges::count_if(flows_, [](const Flow& flow) { return flow.connection() != nullptr; });
}

void PacketFlows::Flow::begin(Duration wait) {
  allowed_ = kEndless;
  all_.simulation_.schedule_in(next_, wait);
}

void PacketFlows::Flow::go_on(std::int64_t window, Duration round_trip, Duration wait) {
  if (!established()) {
    allowed_ = kEndless;
    return;
  }
  socket_->resume(window);
  const std::int64_t bytes = window * connection()->sender().congestion_window().mss;
  part_ = (bytes + kParts - 1) / kParts;
  parts_ = kParts;
  between_ = round_trip / kParts;
  allowed_ = 0;
  all_.simulation_.schedule_in(next_, wait);
}

void PacketFlows::Flow::rest() {
  allowed_ = 0;
  parts_ = 0;
  if (socket_ == nullptr) return;  // it still connects
  all_.simulation_.cancel(next_);
  if (established()) socket_->take_back(connection()->sender().unsent());
}

// What is next: a connection, a part of the window, or all that TCP takes.
void PacketFlows::Flow::turn() {
  if (socket_ == nullptr) {
    socket_ = all_.sockets_.connect(all_.config_.destination, all_.config_.port, *this, all_.config_.tcp);
    if (socket_ == nullptr) all_.simulation_.schedule_in(next_, kPatience);
    return;
  }
  if (parts_ > 0) {
    --parts_;
    allowed_ += part_;
    all_.simulation_.schedule_in(next_, between_);
  } else {
    allowed_ = kEndless;
  }
  write();
}

void PacketFlows::Flow::tcp_changed(TcpSocket& socket) {
  socket_ = &socket;
  write();
}

void PacketFlows::Flow::tcp_closed(TcpSocket&) {
  earlier_acknowledged_ = acknowledged();
  earlier_segments_ = segments_sent();
  socket_ = nullptr;
  parts_ = 0;
  allowed_ = all_.resting_ ? 0 : kEndless;
  all_.simulation_.schedule(next_, all_.simulation_.now() + kPatience);
}

void PacketFlows::Flow::write() {
  if (allowed_ == 0 || !established()) return;
  const std::int64_t written = socket_->write_virtual(allowed_);
  if (allowed_ < kEndless) allowed_ -= written;
}

bool PacketFlows::Flow::established() const {
  return socket_ != nullptr && connection()->state() == TcpState::established;
}

std::int64_t PacketFlows::Flow::acknowledged() const {
  return earlier_acknowledged_ + (socket_ == nullptr ? 0 : connection()->sender().snd_una() - 1);
}

std::int64_t PacketFlows::Flow::segments_sent() const {
  if (socket_ == nullptr) return earlier_segments_;
  const SenderCounters& counters = connection()->sender().counters();
  return earlier_segments_ +
         static_cast<std::int64_t>(counters.segments_sent + counters.retransmitted_segments);
}

}  // namespace simcore

// SPDX-License-Identifier: MIT
#include "simcore/traffic/transfer.h"

#include <algorithm>

#include "simcore/units/error.h"

namespace simcore {

Transfer::Transfer(Simulation& simulation, TcpSockets& client, TcpSockets& server, const Config& config)
    : simulation_(simulation),
      client_sockets_(client),
      config_(config),
      samples_(config.name, "tcp",
               {"cwnd_bytes", "ssthresh_bytes", "in_flight_bytes", "rto_s", "received_bytes"}) {
  const std::string attempt = "add transfer " + config_.name;
  if (config_.bytes < 1) {
    throw ConfigError(attempt + ": bytes is " + std::to_string(config_.bytes) + "; it must be at least 1");
  }
  if (config_.start < simulation_.now()) {
    throw ConfigError(attempt + ": start is before now; transfers start now or later");
  }
  if (config_.sample_every < Duration::zero()) {
    throw ConfigError(attempt + ": sample_every is negative; zero means no samples");
  }
  config_.client.check(attempt);
  server.listen(config_.port, server_, config_.server);
  simulation_.schedule(begin_, config_.start);
}

void Transfer::begin() {
  outcome_.started = simulation_.now();
  client_socket_ = client_sockets_.connect(config_.server_address, config_.port, client_, config_.client);
  if (client_socket_ == nullptr) {
    throw ConfigError("start transfer " + config_.name + ": its client cannot connect to " +
                      config_.server_address.to_string() + "; give it a route there, or fewer connections");
  }
  client_socket_->count_only();
}

Transfer::Outcome Transfer::outcome() const {
  Outcome now = outcome_;
  if (server_socket_ != nullptr) now.sender = server_socket_->connection().sender().counters();
  if (client_socket_ != nullptr) now.receiver = client_socket_->connection().receiver().counters();
  return now;
}

void Transfer::sample() {
  if (server_socket_ == nullptr || outcome_.finished) return;
  const TcpSender& sender = server_socket_->connection().sender();
  const CongestionWindow& window = sender.congestion_window();
  const double rto = sender.rtt().rto_without_backoff().in_seconds();
  const auto cwnd = static_cast<double>(window.cwnd);
  outcome_.cwnd_bytes.add(cwnd);
  outcome_.rto_seconds.add(rto);
  outcome_.rtt_seconds.add(sender.rtt().srtt().in_seconds());
  samples_.record(simulation_.now(),
                  {cwnd, static_cast<double>(window.ssthresh), static_cast<double>(sender.in_flight()), rto,
                   static_cast<double>(outcome_.received)});
  simulation_.schedule_in(sample_, config_.sample_every);
}

void Transfer::note_arrival(std::int64_t bytes) {
  if (bytes == 0) return;
  const SimTime now = simulation_.now();
  if (outcome_.received == 0) {
    outcome_.first_byte = now;
    if (config_.sample_every > Duration::zero()) simulation_.schedule(sample_, now);
  } else {
    outcome_.longest_gap = std::max(outcome_.longest_gap, now - latest_arrival_);
  }
  latest_arrival_ = now;
  outcome_.received += bytes;
  if (outcome_.received >= config_.bytes && !outcome_.finished) {
    outcome_.finished = true;
    outcome_.finished_at = now;
  }
}

TcpUser& Transfer::Server::tcp_accept(TcpSocket& socket) {
  transfer_.server_socket_ = &socket;
  socket.count_only();
  left_ = transfer_.config_.bytes;
  asked_ = false;
  return *this;
}

void Transfer::Server::tcp_changed(TcpSocket& socket) {
  if (socket.discard(socket.connection().readable()) > 0) asked_ = true;
  if (asked_ && left_ > 0) left_ -= socket.write_virtual(left_);
  if (socket.connection().at_end_of_stream()) socket.close();
}

void Transfer::Server::tcp_closed(TcpSocket& socket) {
  if (transfer_.server_socket_ != &socket) return;
  transfer_.outcome_.sender = socket.connection().sender().counters();
  transfer_.outcome_.server_error = socket.connection().error();
  transfer_.server_socket_ = nullptr;
}

void Transfer::Client::tcp_changed(TcpSocket& socket) {
  if (!asked_ && socket.connection().state() == TcpState::established) {
    asked_ = true;
    transfer_.outcome_.connected = true;
    socket.write_virtual(1);
  }
  transfer_.note_arrival(socket.discard(socket.connection().readable()));
  if (transfer_.finished() || socket.connection().at_end_of_stream()) socket.close();
}

void Transfer::Client::tcp_closed(TcpSocket& socket) {
  transfer_.outcome_.receiver = socket.connection().receiver().counters();
  transfer_.outcome_.client_error = socket.connection().error();
  transfer_.client_socket_ = nullptr;
}

}  // namespace simcore

// SPDX-License-Identifier: MIT
#include "simcore/traffic/transfer_client.h"

#include <algorithm>

#include "simcore/units/error.h"

namespace simcore {

namespace {

void count_of(const TcpConnection& connection, TransferClient::Outcome& outcome) {
  outcome.receiver = connection.receiver().counters();
  outcome.data_segments_received = connection.counters().data_segments_received;
}

}  // namespace

TransferClient::TransferClient(Simulation& simulation, TcpSockets& sockets, const Config& config)
    : simulation_(simulation), sockets_(sockets), config_(config) {
  const std::string attempt = "add transfer " + config_.name;
  if (config_.bytes < 1) {
    throw ConfigError(attempt + ": bytes is " + std::to_string(config_.bytes) + "; it must be at least 1");
  }
  if (config_.start < simulation_.now()) {
    throw ConfigError(attempt + ": start is before now; transfers start now or later");
  }
  config_.tcp.check(attempt);
  if (config_.start != SimTime::never()) simulation_.schedule(begin_, config_.start);
}

void TransferClient::begin() {
  outcome_.started = told_now();
  if (watcher_ != nullptr) watcher_->transfer_began(number_);
  socket_ = sockets_.connect(config_.server_address, config_.port, *this, config_.tcp);
  if (socket_ == nullptr) {
    throw ConfigError("start transfer " + config_.name + ": its client cannot connect to " +
                      config_.server_address.to_string() + "; give it a route there, or fewer connections");
  }
  socket_->count_only();
}

TransferClient::Outcome TransferClient::outcome() const {
  Outcome now = outcome_;
  if (socket_ != nullptr) count_of(socket_->connection(), now);
  return now;
}

SimTime TransferClient::told_now() const {
  return watcher_ == nullptr ? simulation_.now() : simulation_.now() + watcher_->left_out();
}

void TransferClient::forward(std::int64_t bytes) {
  outcome_.received += bytes;
  outcome_.forwarded += bytes;
}

void TransferClient::note_arrival(std::int64_t bytes) {
  if (bytes == 0) return;
  const SimTime now = simulation_.now();
  if (outcome_.received == 0) {
    outcome_.first_byte = told_now();
    if (at_first_byte_ != nullptr) simulation_.schedule(*at_first_byte_, now);
  } else {
    outcome_.longest_gap = std::max(outcome_.longest_gap, now - latest_arrival_);
  }
  latest_arrival_ = now;
  outcome_.received += bytes;
  if (outcome_.received >= config_.bytes && !outcome_.finished) {
    outcome_.finished = true;
    outcome_.finished_at = told_now();
    if (watcher_ != nullptr) watcher_->transfer_ended(number_);
    for (TransferClient* const follower : followers_) simulation_.schedule(follower->begin_, now);
  }
}

void TransferClient::tcp_changed(TcpSocket& socket) {
  if (!asked_ && socket.connection().state() == TcpState::established) {
    asked_ = true;
    outcome_.connected = true;
    socket.write_virtual(1);
  }
  note_arrival(socket.discard(socket.connection().readable()));
  if (finished() || socket.connection().at_end_of_stream()) socket.close();
}

void TransferClient::tcp_closed(TcpSocket& socket) {
  count_of(socket.connection(), outcome_);
  outcome_.error = socket.connection().error();
  socket_ = nullptr;
  if (watcher_ != nullptr) watcher_->transfer_ended(number_);
}

}  // namespace simcore

// SPDX-License-Identifier: MIT
#include "simcore/traffic/transfer_server.h"

#include <algorithm>

namespace simcore {

TransferServer::TransferServer(TcpSockets& sockets, const Config& config) : bytes_(config.bytes) {
  sockets.listen(config.port, *this, config.tcp);
}

SenderCounters TransferServer::counters() const {
  return socket_ == nullptr ? counters_ : socket_->connection().sender().counters();
}

void TransferServer::forward(std::int64_t bytes) {
  const std::int64_t unwritten = std::min(bytes, left_);
  left_ -= unwritten;
  if (bytes > unwritten) socket_->take_back(bytes - unwritten);
}

TcpUser& TransferServer::tcp_accept(TcpSocket& socket) {
  socket_ = &socket;
  socket.count_only();
  left_ = bytes_;
  asked_ = false;
  return *this;
}

void TransferServer::tcp_changed(TcpSocket& socket) {
  if (socket.discard(socket.connection().readable()) > 0) asked_ = true;
  if (asked_ && left_ > 0) left_ -= socket.write_virtual(left_);
  if (socket.connection().at_end_of_stream()) socket.close();
}

void TransferServer::tcp_closed(TcpSocket& socket) {
  if (socket_ != &socket) return;
  counters_ = socket.connection().sender().counters();
  error_ = socket.connection().error();
  socket_ = nullptr;
}

}  // namespace simcore

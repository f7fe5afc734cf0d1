// SPDX-License-Identifier: MIT
//
// Small applications over TCP: a bulk sender, and the services discard (RFC 863), echo (RFC 862) and character
// generator (RFC 864).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "simcore/application/chargen_pattern.h"
#include "simcore/stack/tcp_sockets.h"
#include "simcore/units/time.h"

namespace simcore {

// Sends so many virtual bytes, as fast as TCP takes them, and closes.
class TcpBulkSender final : public TcpUser {
 public:
  static constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();

  explicit TcpBulkSender(std::int64_t bytes) : left_(bytes) {}

  void tcp_changed(TcpSocket& socket) override {
    connection_ = &socket.connection();
    if (connection_->state() != TcpState::established) return;
    left_ -= socket.write_virtual(left_);
    if (left_ == 0) socket.close();
  }
  void tcp_closed(TcpSocket& socket) override {
    finished_ = true;
    error_ = socket.connection().error();
    connection_ = nullptr;
  }

  std::int64_t unwritten() const { return left_; }
  const TcpConnection* connection() const { return connection_; }  // null before it opens and when it is over
  bool finished() const { return finished_; }
  TcpError error() const { return error_; }

 private:
  std::int64_t left_;
  const TcpConnection* connection_ = nullptr;
  bool finished_ = false;
  TcpError error_ = TcpError::none;
};

// Reads everything and keeps nothing; closes when the peer has.
class TcpDiscard final : public TcpListener, public TcpUser {
 public:
  TcpUser& tcp_accept(TcpSocket& socket) override {
    socket.count_only();
    ++accepted_;
    return *this;
  }
  void tcp_changed(TcpSocket& socket) override {
    received_ += socket.discard(socket.connection().readable());
    if (socket.connection().at_end_of_stream()) socket.close();
  }
  void tcp_closed(TcpSocket& /*socket*/) override { ++closed_; }

  std::int64_t received() const { return received_; }
  std::uint64_t accepted() const { return accepted_; }
  std::uint64_t closed() const { return closed_; }

 private:
  std::int64_t received_ = 0;
  std::uint64_t accepted_ = 0;
  std::uint64_t closed_ = 0;
};

// Sends back what it reads, and reads only what it can send back.
class TcpEcho final : public TcpListener, public TcpUser {
 public:
  TcpUser& tcp_accept(TcpSocket& /*socket*/) override {
    ++accepted_;
    most_open_ = std::max(most_open_, accepted_ - closed_);
    return *this;
  }
  void tcp_changed(TcpSocket& socket) override {
    const TcpConnection& tcp = socket.connection();
    while (tcp.readable() > 0 && tcp.room_to_write() > 0) {
      std::array<std::uint8_t, 16'384> bytes;
      const std::int64_t count = std::min<std::int64_t>(bytes.size(), tcp.room_to_write());
      const std::int64_t got = socket.read(std::span(bytes).first(static_cast<std::size_t>(count)));
      socket.write(std::span(bytes).first(static_cast<std::size_t>(got)));
      answered_ += got;
    }
    if (tcp.at_end_of_stream()) socket.close();
  }
  void tcp_closed(TcpSocket& socket) override {
    ++closed_;
    broken_ += socket.connection().error() != TcpError::none ? 1 : 0;
  }

  std::int64_t answered() const { return answered_; }  // bytes
  std::int64_t accepted() const { return accepted_; }
  std::int64_t closed() const { return closed_; }
  std::int64_t broken() const { return broken_; }        // of those that are closed: by an error
  std::int64_t most_open() const { return most_open_; }  // at one time

 private:
  std::int64_t answered_ = 0;
  std::int64_t accepted_ = 0;
  std::int64_t closed_ = 0;
  std::int64_t broken_ = 0;
  std::int64_t most_open_ = 0;
};

// Sends text until the peer closes; what it reads it throws away.
class TcpChargen final : public TcpListener, public TcpUser {
 public:
  TcpUser& tcp_accept(TcpSocket& socket) override {
    socket.count_only();
    return *this;
  }
  void tcp_changed(TcpSocket& socket) override {
    const TcpConnection& tcp = socket.connection();
    socket.discard(tcp.readable());
    if (tcp.at_end_of_stream()) return socket.close();
    while (tcp.room_to_write() > 0) {
      std::array<std::uint8_t, 4'096> text;
      write_chargen(static_cast<std::uint64_t>(tcp.sender().buffer().end() - 1),
                    text);  // its data begins at 1
      socket.write(text);
    }
  }
  void tcp_closed(TcpSocket& /*socket*/) override {}
};

}  // namespace simcore

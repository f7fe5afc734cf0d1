// SPDX-License-Identifier: MIT
//
// TransferServer: the end of a transfer that has the bytes. Whoever connects to its port, asks with a byte and gets them;
// see transfer.h.
#pragma once

#include <cstdint>
#include <limits>

#include "simcore/stack/tcp_sockets.h"
#include "simcore/tcp/tcp_options.h"

namespace simcore {

class TransferServer final : public TcpListener, public TcpUser {
 public:
  static constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();

  struct Config {
    std::uint16_t port = 0;
    std::int64_t bytes = kForever;
    TcpOptions tcp;
  };

  // From then on it answers. `sockets` must outlive it. Throws ConfigError when the port is taken, or an option is out of
  // range.
  TransferServer(TcpSockets& sockets, const Config& config);
  TransferServer(const TransferServer&) = delete;
  TransferServer& operator=(const TransferServer&) = delete;

  SenderCounters counters() const;  // so far
  TcpError error() const { return error_; }
  // What its client has asked for and is not sent yet.
  std::int64_t unsent() const { return socket_ == nullptr ? 0 : left_ + sender()->unsent(); }
  // So many bytes are as if they had been sent. Precondition: at most unsent().
  void forward(std::int64_t bytes);
  // Null: nobody is connected.
  const TcpSender* sender() const { return socket_ == nullptr ? nullptr : &socket_->connection().sender(); }

  TcpUser& tcp_accept(TcpSocket& socket) override;
  void tcp_changed(TcpSocket& socket) override;
  void tcp_closed(TcpSocket& socket) override;

 private:
  std::int64_t bytes_;
  TcpSocket* socket_ = nullptr;  // while it is open
  bool asked_ = false;
  std::int64_t left_ = 0;
  SenderCounters counters_;
  TcpError error_ = TcpError::none;
};

}  // namespace simcore

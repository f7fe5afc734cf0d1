// SPDX-License-Identifier: MIT
//
// BulkClient: a TcpBulkSender that connects at its start.
#pragma once

#include <string>

#include "simcore/application/tcp_services.h"
#include "simcore/kernel/simulation.h"
#include "simcore/units/error.h"

namespace simcore {

class BulkClient {
 public:
  // Throws ConfigError when a value is out of range. Both must outlive it.
  BulkClient(Simulation& simulation, TcpSockets& sockets, const IpAddress& destination, std::uint16_t port,
             std::int64_t bytes, SimTime start, const TcpOptions& options)
      : sockets_(sockets),
        destination_(destination),
        port_(port),
        bytes_(bytes),
        options_(options),
        sender_(bytes) {
    const std::string what = "bulk sender to " + destination.with_port(port);
    options_.check(what);
    if (bytes < 1 || start < simulation.now()) {
      throw ConfigError("make " + what + ": it sends nothing or starts in the past; choose others");
    }
    simulation.schedule(start_, start);
  }

  std::string place() const { return sockets_.host_name(); }
  std::int64_t written() const { return bytes_ - sender_.unwritten(); }
  // What its TCP is doing: null while there is no connection.
  const TcpConnection* connection() const { return sender_.connection(); }
  // Both sides have closed; that TCP waits for segments that may still be on their way is its own affair.
  bool finished() const {
    return sender_.finished() || (connection() != nullptr && connection()->state() == TcpState::time_wait);
  }
  bool failed() const { return refused_ || sender_.error() != TcpError::none; }

 private:
  void begin() { refused_ = sockets_.connect(destination_, port_, sender_, options_) == nullptr; }

  TcpSockets& sockets_;
  IpAddress destination_;
  std::uint16_t port_;
  std::int64_t bytes_;
  TcpOptions options_;
  TcpBulkSender sender_;
  bool refused_ = false;
  EventFor<BulkClient, &BulkClient::begin, "begins to send"> start_{*this};
};

}  // namespace simcore

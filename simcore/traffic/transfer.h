// SPDX-License-Identifier: MIT
//
// Transfer: a simulated client fetches bytes from a simulated server, and what became of it.
//
//   client -- SYN, one byte: the request --> server
//          <------- so many bytes ---------
//          -- FIN -->                              once it has them all, as in Idserda 2004
//
// The bytes are virtual. The server's window and timers are sampled at equal intervals, if asked for, into an
// OutputVector, from the first byte of the answer to the last.
#pragma once

#include <cstdint>
#include <string>

#include "simcore/kernel/simulation.h"
#include "simcore/packet/ipv4_address.h"
#include "simcore/stack/tcp_sockets.h"
#include "simcore/stats/results.h"
#include "simcore/stats/running_stats.h"
#include "simcore/tcp/tcp_options.h"
#include "simcore/traffic/transfer_client.h"
#include "simcore/traffic/transfer_server.h"
#include "simcore/units/time.h"

namespace simcore {

class Transfer {
 public:
  static constexpr std::int64_t kForever = TransferServer::kForever;

  struct Config {
    std::string name;
    Ipv4Address server_address;
    std::uint16_t port;
    std::int64_t bytes = kForever;
    SimTime start = SimTime::zero();
    TcpOptions server;
    TcpOptions client;
    Duration sample_every = Duration::zero();  // zero: no samples
  };

  // What became of it so far.
  struct Outcome {
    TransferClient::Outcome client;
    TcpError server_error = TcpError::none;
    SenderCounters sender;
    RunningStats cwnd_bytes;   // of the samples
    RunningStats rto_seconds;  // of the samples, without back-off
    RunningStats rtt_seconds;  // of the samples, smoothed
  };

  // From then on `server` answers at the port, and `client` asks at config.start. All must outlive the transfer.
  // Throws ConfigError when the port is taken, an option is out of range, or a number is negative.
  Transfer(Simulation& simulation, TcpSockets& client, TcpSockets& server, const Config& config);
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  std::string place() const { return client_.place(); }
  std::int64_t received() const { return client_.received(); }
  bool finished() const { return client_.finished(); }
  bool failed() const { return client_.error() != TcpError::none || server_.error() != TcpError::none; }
  Outcome outcome() const;
  const OutputVector& samples() const { return samples_; }

 private:
  void sample();

  Simulation& simulation_;
  TransferClient client_;
  TransferServer server_;
  Duration sample_every_;
  RunningStats cwnd_bytes_;
  RunningStats rto_seconds_;
  RunningStats rtt_seconds_;
  OutputVector samples_;
  EventFor<Transfer, &Transfer::sample, "a sample is taken"> sample_{*this};
};

}  // namespace simcore

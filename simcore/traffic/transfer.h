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
#include <limits>
#include <string>

#include "simcore/kernel/simulation.h"
#include "simcore/packet/ipv4_address.h"
#include "simcore/stack/tcp_sockets.h"
#include "simcore/stats/results.h"
#include "simcore/stats/running_stats.h"
#include "simcore/tcp/tcp_options.h"
#include "simcore/units/time.h"

namespace simcore {

class Transfer {
 public:
  static constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();

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
    bool connected = false;  // the client's SYN was answered
    bool finished = false;   // every byte is there
    SimTime started = SimTime::never();
    SimTime first_byte = SimTime::never();
    SimTime finished_at = SimTime::never();  // when the last byte came
    std::int64_t received = 0;
    Duration longest_gap = Duration::zero();  // between two arrivals of bytes in order
    TcpError client_error = TcpError::none;
    TcpError server_error = TcpError::none;
    SenderCounters sender;
    ReceiverCounters receiver;
    RunningStats cwnd_bytes;   // of the samples
    RunningStats rto_seconds;  // of the samples, without back-off
    RunningStats rtt_seconds;  // of the samples, smoothed
  };

  // From then on `server` answers at the port, and `client` asks at config.start. All must outlive the transfer.
  // Throws ConfigError when the port is taken, an option is out of range, or a number is negative.
  Transfer(Simulation& simulation, TcpSockets& client, TcpSockets& server, const Config& config);
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  const std::string& name() const { return config_.name; }
  std::string place() const { return config_.name; }
  std::int64_t received() const { return outcome_.received; }
  bool finished() const { return outcome_.finished; }
  bool failed() const {
    return outcome_.client_error != TcpError::none || outcome_.server_error != TcpError::none;
  }
  Outcome outcome() const;
  const OutputVector& samples() const { return samples_; }

 private:
  class Server final : public TcpListener, public TcpUser {
   public:
    explicit Server(Transfer& transfer) : transfer_(transfer) {}
    TcpUser& tcp_accept(TcpSocket& socket) override;
    void tcp_changed(TcpSocket& socket) override;
    void tcp_closed(TcpSocket& socket) override;

   private:
    Transfer& transfer_;
    bool asked_ = false;
    std::int64_t left_ = 0;
  };
  class Client final : public TcpUser {
   public:
    explicit Client(Transfer& transfer) : transfer_(transfer) {}
    void tcp_changed(TcpSocket& socket) override;
    void tcp_closed(TcpSocket& socket) override;

   private:
    Transfer& transfer_;
    bool asked_ = false;
  };

  void begin();
  void sample();
  void note_arrival(std::int64_t bytes);

  Simulation& simulation_;
  TcpSockets& client_sockets_;
  Config config_;
  Server server_{*this};
  Client client_{*this};
  TcpSocket* server_socket_ = nullptr;  // while they are open
  TcpSocket* client_socket_ = nullptr;
  SimTime latest_arrival_ = SimTime::never();
  Outcome outcome_;
  OutputVector samples_;
  EventFor<Transfer, &Transfer::begin, "a transfer begins"> begin_{*this};
  EventFor<Transfer, &Transfer::sample, "a sample is taken"> sample_{*this};
};

}  // namespace simcore

// SPDX-License-Identifier: MIT
//
// TransferClient: the end of a transfer that fetches the bytes; see transfer.h.
#pragma once

#include <cstdint>
#include <string>

#include "simcore/kernel/simulation.h"
#include "simcore/packet/ipv4_address.h"
#include "simcore/stack/tcp_sockets.h"
#include "simcore/tcp/tcp_options.h"
#include "simcore/traffic/transfer_server.h"
#include "simcore/units/time.h"

namespace simcore {

class TransferClient final : public TcpUser {
 public:
  struct Config {
    std::string name;
    Ipv4Address server_address;
    std::uint16_t port = 0;
    std::int64_t bytes = TransferServer::kForever;
    SimTime start = SimTime::zero();
    TcpOptions tcp;
  };

  // What became of it so far.
  struct Outcome {
    bool connected = false;  // its SYN was answered
    bool finished = false;   // every byte is there
    SimTime started = SimTime::never();
    SimTime first_byte = SimTime::never();
    SimTime finished_at = SimTime::never();  // when the last byte came
    std::int64_t received = 0;
    Duration longest_gap = Duration::zero();  // between two arrivals of bytes in order
    TcpError error = TcpError::none;
    ReceiverCounters receiver;
    std::uint64_t data_segments_received = 0;  // those with payload or a FIN, copies too
  };

  // It asks at config.start. Both must outlive it. Throws ConfigError when an option is out of range, a number is negative
  // or config.start has passed.
  TransferClient(Simulation& simulation, TcpSockets& sockets, const Config& config);
  TransferClient(const TransferClient&) = delete;
  TransferClient& operator=(const TransferClient&) = delete;

  std::string place() const { return config_.name; }
  std::int64_t received() const { return outcome_.received; }
  bool finished() const { return outcome_.finished; }
  TcpError error() const { return outcome_.error; }
  Outcome outcome() const;

  // The event is due when the first byte comes. It must outlive the client.
  void wake_at_first_byte(Event& event) { at_first_byte_ = &event; }

  void tcp_changed(TcpSocket& socket) override;
  void tcp_closed(TcpSocket& socket) override;

 private:
  void begin();
  void note_arrival(std::int64_t bytes);

  Simulation& simulation_;
  TcpSockets& sockets_;
  Config config_;
  TcpSocket* socket_ = nullptr;  // while it is open
  bool asked_ = false;
  SimTime latest_arrival_ = SimTime::never();
  Outcome outcome_;
  Event* at_first_byte_ = nullptr;
  EventFor<TransferClient, &TransferClient::begin, "a transfer begins"> begin_{*this};
};

}  // namespace simcore

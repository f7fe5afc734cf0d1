// SPDX-License-Identifier: MIT
//
// TransferClient: the end of a transfer that fetches the bytes; see transfer.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "simcore/kernel/simulation.h"
#include "simcore/packet/ipv4_address.h"
#include "simcore/stack/tcp_sockets.h"
#include "simcore/tcp/tcp_options.h"
#include "simcore/traffic/transfer_server.h"
#include "simcore/traffic/transfer_watcher.h"
#include "simcore/units/time.h"

namespace simcore {

class TransferClient final : public TcpUser {
 public:
  struct Config {
    std::string name;
    Ipv4Address server_address;
    std::uint16_t port = 0;
    std::int64_t bytes = TransferServer::kForever;
    SimTime start = SimTime::zero();  // never(): it follows another
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
    std::int64_t forwarded = 0;               // of them, those that came in time that was left out
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
  std::int64_t forwarded() const { return outcome_.forwarded; }
  // By the simulation's clock: when bytes came last.
  SimTime latest_arrival() const { return latest_arrival_; }
  bool finished() const { return outcome_.finished; }
  TcpError error() const { return outcome_.error; }
  Outcome outcome() const;

  // It asks in the instant in which `first` has all its bytes. Preconditions: config.start is never(); `first` is not finished.
  void follow(TransferClient& first) { first.followers_.push_back(this); }

  // From then on `watcher` hears of it by that number. It must outlive the client.
  void watch(TransferWatcher& watcher, std::size_t number) {
    watcher_ = &watcher;
    number_ = number;
  }
  // When it will ask, where that is known; never(): it has asked, or follows another.
  SimTime start() const { return begin_.pending() ? config_.start : SimTime::never(); }
  // It asks then. Precondition: start() is not never(), and `instant` has not passed.
  void start_at(SimTime instant) { simulation_.schedule(begin_, instant); }
  // So many bytes are as if they had come. Precondition: fewer than are missing.
  void forward(std::int64_t bytes);

  // The event is due when the first byte comes. It must outlive the client.
  void wake_at_first_byte(Event& event) { at_first_byte_ = &event; }

  void tcp_changed(TcpSocket& socket) override;
  void tcp_closed(TcpSocket& socket) override;

 private:
  void begin();
  void note_arrival(std::int64_t bytes);
  SimTime told_now() const;

  Simulation& simulation_;
  TcpSockets& sockets_;
  Config config_;
  TcpSocket* socket_ = nullptr;  // while it is open
  bool asked_ = false;
  SimTime latest_arrival_ = SimTime::never();
  Outcome outcome_;
  Event* at_first_byte_ = nullptr;
  std::vector<TransferClient*> followers_;
  TransferWatcher* watcher_ = nullptr;
  std::size_t number_ = 0;
  EventFor<TransferClient, &TransferClient::begin, "a transfer begins"> begin_{*this};
};

}  // namespace simcore

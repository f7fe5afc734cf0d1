// SPDX-License-Identifier: MIT
//
// Ping: sends echo requests at equal intervals and times their replies (RFC 792, RFC 4443).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "simcore/kernel/simulation.h"
#include "simcore/packet/ip_address.h"
#include "simcore/packet/packet.h"
#include "simcore/stack/icmp_listeners.h"

namespace simcore {

class Host;

class Ping final : public EchoListener {
 public:
  struct Config {
    IpAddress destination;
    Duration interval = Duration::seconds(1);
    std::optional<std::int64_t> count;  // absent: until the end of the simulation
    std::size_t payload = 56;           // bytes
    SimTime start = SimTime::zero();
  };

  // Throws ConfigError when a value is out of range or the host has 65,535 pings. Both must outlive it.
  Ping(Simulation& simulation, Host& host, const Config& config);
  ~Ping();

  std::string place() const;
  std::int64_t sent() const { return sent_; }
  std::int64_t received() const { return received_; }
  std::int64_t duplicates() const { return duplicates_; }
  Duration least_rtt() const { return least_; }  // all three zero before the first reply
  Duration greatest_rtt() const { return greatest_; }
  Duration mean_rtt() const { return received_ == 0 ? Duration::zero() : sum_ / received_; }

 private:
  // Requests that a reply is still taken for: the latest so many.
  static constexpr std::size_t kOutstanding = 1'024;

  struct Request {
    std::int64_t number = 0;  // from 1; 0: none
    SimTime sent = SimTime::zero();
    bool answered = false;
  };

  void echo_replied(const IpAddress& from, std::uint16_t sequence) override;
  PacketPtr request(const IpAddress& source);
  void send();

  Simulation& simulation_;
  Host& host_;
  Config config_;
  std::uint16_t identifier_ = 1;  // never 0: a request of zeros only has a checksum with two forms (RFC 1624)
  std::vector<Request> requests_;
  std::int64_t sent_ = 0;
  std::int64_t received_ = 0;
  std::int64_t duplicates_ = 0;
  Duration least_ = Duration::zero();
  Duration greatest_ = Duration::zero();
  Duration sum_ = Duration::zero();
  EventFor<Ping, &Ping::send, "sends a ping"> next_{*this};
};

}  // namespace simcore

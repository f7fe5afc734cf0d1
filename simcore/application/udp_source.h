// SPDX-License-Identifier: MIT
//
// UdpSource: sends numbered datagrams at a constant bit rate, in bursts, or as a Poisson process; UdpSink
// receives and counts them.
//
//   payload: | sequence, from 1: 8 bytes | sent at, ns: 8 bytes | virtual … |
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "simcore/kernel/random.h"
#include "simcore/kernel/simulation.h"
#include "simcore/packet/ip_address.h"
#include "simcore/stack/udp_flow.h"
#include "simcore/stack/udp_ports.h"
#include "simcore/units/data.h"

namespace simcore {

class Host;

class UdpSource {
 public:
  static constexpr std::size_t kStamp = 16;  // the least payload

  enum class Arrivals : std::uint8_t {
    cbr,      // equal gaps
    poisson,  // exponential gaps
    on_off,   // equal gaps while on; on and off last exponential times
  };

  struct Config {
    IpAddress destination;
    std::uint16_t port;
    std::uint16_t local_port = 49'152;
    DataRate rate;                // of UDP payload; of on_off while it is on
    std::size_t payload = 1'472;  // bytes: what an MTU of 1500 holds over IPv4
    Arrivals arrivals = Arrivals::cbr;
    Duration mean_on = Duration::seconds(1);  // of on_off
    Duration mean_off = Duration::seconds(1);
    SimTime start = SimTime::zero();
    SimTime stop = SimTime::never();
  };

  // Throws ConfigError when a value is out of range. `name` names the random stream; all must outlive the source.
  UdpSource(Simulation& simulation, Host& host, const std::string& name, const Config& config);

  std::string place() const;
  std::int64_t datagrams() const { return sent_; }
  std::int64_t bytes() const { return sent_ * static_cast<std::int64_t>(config_.payload); }

 private:
  void send();
  SimTime next_departure();
  Duration gap(std::int64_t datagrams) const;
  Duration exponential(Duration mean);

  Simulation& simulation_;
  Host& host_;
  Config config_;
  RandomStream random_;
  std::int64_t sent_ = 0;
  SimTime burst_start_;        // the gaps of cbr and on_off count from here, so that they do not drift
  SimTime burst_end_;          // of on_off
  std::int64_t in_burst_ = 0;  // datagrams sent since burst_start_
  EventFor<UdpSource, &UdpSource::send, "sends a datagram"> departure_{*this};
};

class UdpSink final : public UdpListener {
 public:
  static constexpr std::size_t kLargestTable =
      4'096;  // senders told apart; of others only datagrams are counted

  void receive(PacketPtr packet, const IpHeader& datagram, const UdpHeader& header,
               Interface& arrival) override;

  std::int64_t datagrams() const { return datagrams_; }
  std::int64_t bytes() const { return bytes_; }
  std::int64_t missing() const;
  std::int64_t out_of_order() const;

 private:
  struct Sender {
    IpAddress address;
    std::uint16_t port;
    bool operator==(const Sender&) const = default;
  };
  struct SenderHash {
    std::size_t operator()(const Sender& sender) const {
      return std::hash<IpAddress>{}(sender.address) * 31 + sender.port;
    }
  };

  std::int64_t datagrams_ = 0;
  std::int64_t bytes_ = 0;
  std::unordered_map<Sender, UdpFlow, SenderHash> flows_;
};

}  // namespace simcore

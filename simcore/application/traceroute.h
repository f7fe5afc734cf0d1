// SPDX-License-Identifier: MIT
//
// Traceroute: asks for the way to a destination, as the program of that name does: UDP datagrams with a TTL of 1, 2, 3, …,
// each to a port that nobody listens at, so that every router on the way says "time exceeded", and the destination "port
// unreachable" (RFC 792; RFC 1393 describes the method).
//
// One probe after the other: the next leaves when its answer came, or after `wait`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "simcore/kernel/simulation.h"
#include "simcore/packet/ip_address.h"
#include "simcore/stack/icmp_listeners.h"
#include "simcore/stack/udp_ports.h"

namespace simcore {

class Host;

class Traceroute final : public IcmpErrorListener, public UdpListener {
 public:
  struct Config {
    IpAddress destination;
    std::uint8_t hops = 30;       // at most
    std::int64_t probes = 3;      // for each hop
    std::size_t payload = 32;     // bytes
    std::uint16_t port = 33'434;  // of the first probe; each goes to the one after it
    Duration wait = Duration::seconds(5);
    SimTime start = SimTime::zero();
  };
  struct Hop {
    std::optional<IpAddress> address = {};  // who answered last
    std::int64_t answered = 0;
    Duration least = Duration::zero();  // round trips; all zero before the first answer
    Duration greatest = Duration::zero();
    Duration sum = Duration::zero();
  };

  // Throws ConfigError when a value is out of range or no UDP port is free. Both must outlive it.
  Traceroute(Simulation& simulation, Host& host, const Config& config);
  ~Traceroute();

  std::string place() const;
  const std::vector<Hop>& hops() const { return hops_; }
  bool finished() const { return finished_; }
  bool reached() const { return reached_; }  // the destination answered

 private:
  void icmp_error(IcmpFailure failure, const IpAddress& from, const IpHeader& quoted) override;
  // An answer of a program that listens at that port after all: the destination.
  void receive(PacketPtr packet, const IpHeader& datagram, const UdpHeader& header,
               Interface& arrival) override;

  void send();
  void take_answer(const IpAddress& from, bool last_hop);
  void proceed();

  Simulation& simulation_;
  Host& host_;
  Config config_;
  std::uint16_t local_port_;
  std::vector<Hop> hops_;
  std::int64_t sent_ = 0;  // probes, of all hops
  SimTime sent_at_ = SimTime::zero();
  bool waiting_ = false;
  bool reached_ = false;
  bool finished_ = false;
  EventFor<Traceroute, &Traceroute::proceed, "the next probe of traceroute"> next_{*this};
};

}  // namespace simcore

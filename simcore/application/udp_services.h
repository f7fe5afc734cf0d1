// SPDX-License-Identifier: MIT
//
// The small services over UDP: echo (RFC 862) and character generator (RFC 864). Discard is a UdpSink.
//
// Two such services that answer each other would never end, so what comes from a port of one of them is not answered.
#pragma once

#include <cstdint>

#include "simcore/kernel/random.h"
#include "simcore/kernel/simulation.h"
#include "simcore/stack/udp_ports.h"

namespace simcore {

class Host;

class UdpEcho final : public UdpListener {
 public:
  explicit UdpEcho(Host& host) : host_(host) {}

  void receive(PacketPtr packet, const IpHeader& datagram, const UdpHeader& header,
               Interface& arrival) override;

  std::int64_t answered() const { return answered_; }

 private:
  Host& host_;
  std::int64_t answered_ = 0;
};

class UdpChargen final : public UdpListener {
 public:
  UdpChargen(Simulation& simulation, Host& host);

  void receive(PacketPtr packet, const IpHeader& datagram, const UdpHeader& header,
               Interface& arrival) override;

  std::int64_t answered() const { return answered_; }

 private:
  Host& host_;
  RandomStream random_;
  std::int64_t answered_ = 0;
};

}  // namespace simcore

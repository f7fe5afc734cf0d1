// SPDX-License-Identifier: MIT
#include "simcore/portal/peering_transport_factory.h"

#include <algorithm>
#include <string>

#include "simcore/portal/shared_transport.h"
#include "simcore/portal/udp_transport.h"
#include "simcore/units/error.h"

namespace simcore::peering {

namespace {

constexpr std::size_t kUsualDatagram = 1'472;  // in an MTU of 1,500 bytes
constexpr std::size_t kIpUdp = 28;

}  // namespace

std::unique_ptr<Transport> make_transport(const PeeringPortal::Config& config) {
  switch (config.options.transport) {
    case PeeringOptions::Transport::udp:
      return std::make_unique<UdpTransport>(UdpTransport::Config{.local = UdpEndpoint::parse(config.local),
                                                                 .remote = UdpEndpoint::parse(config.remote),
                                                                 .buffer = config.options.buffer,
                                                                 .kernel_cuts = config.kernel_cuts,
                                                                 .kernel_stamps = config.kernel_stamps});
    case PeeringOptions::Transport::shm:
      return std::make_unique<SharedTransport>(config.local, config.remote, config.options.buffer);
  }
  throw ConfigError("make the peering portal to " + config.name + ": there is no such transport");
}

std::size_t datagram_size(const PeeringPortal::Config& config, const Transport& transport) {
  const std::string attempt = "make the peering portal to " + config.name + ": the way to " + config.remote +
                              " carries datagrams of ";
  const std::size_t carried = transport.largest_datagram();
  const std::size_t asked = config.options.datagram_size;
  if (asked > carried) {
    throw EnvironmentError(attempt + std::to_string(carried) + " bytes at most, and " +
                           std::to_string(asked) + " were asked for; raise its MTU to " +
                           std::to_string(asked + kIpUdp) + ", or ask for less");
  }
  if (carried < kSmallestDatagram) {
    throw EnvironmentError(attempt + std::to_string(carried) + " bytes; raise its MTU to at least " +
                           std::to_string(kSmallestDatagram + kIpUdp));
  }
  if (asked != 0) return asked;
  return config.options.transport == PeeringOptions::Transport::shm ? carried
                                                                    : std::min(kUsualDatagram, carried);
}

}  // namespace simcore::peering

// SPDX-License-Identifier: MIT
#include "simcore/portal/peering_transport_factory.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "simcore/portal/seal.h"
#include "simcore/portal/sealed_transport.h"
#include "simcore/portal/shared_transport.h"
#include "simcore/portal/tcp_transport.h"
#include "simcore/portal/udp_transport.h"
#include "simcore/units/error.h"

namespace simcore::peering {

namespace {

constexpr std::size_t kUsualDatagram = 1'472;  // in an MTU of 1,500 bytes
constexpr std::size_t kIpUdp = 28;

constexpr ByteCount kUsualSocket = ByteCount::bytes(32 << 20);
constexpr ByteCount kUsualRing = ByteCount::bytes(2 << 20);

// Of sockets, for the kernel's queues: interactive, and bulk (tc-prio(8)).
constexpr std::array<int, kLanes> kPriorities = {6, 2};
// So that a turn does not last long: a message may be 64 KB.
constexpr std::array<std::size_t, kLanes> kMessages = {UdpSocket::kMessagesPerCall, 4};

UdpEndpoint endpoint_of(const std::string& text, std::size_t lane) {
  UdpEndpoint endpoint = UdpEndpoint::parse(text);
  if (lane == 0 || endpoint.port == 0) return endpoint;
  if (endpoint.port == 65'535)
    throw ConfigError("read address \"" + text + "\": bulk needs the port after it");
  ++endpoint.port;
  return endpoint;
}

ByteCount buffer_of(const PeeringOptions& options) {
  if (options.buffer != ByteCount::zero()) return options.buffer;
  return options.transport == PeeringOptions::Transport::shm ? kUsualRing : kUsualSocket;
}

std::unique_ptr<Transport> make_carrier(const PeeringPortal::Config& config, std::size_t lane) {
  const PeeringOptions& options = config.options;
  const ByteCount buffer = buffer_of(options);
  if (options.transport == PeeringOptions::Transport::shm) {
    const std::string suffix = lane == 0 ? "" : ".bulk";
    return std::make_unique<SharedTransport>(config.local + suffix, config.remote + suffix, buffer);
  }
  const UdpEndpoint local = endpoint_of(config.local, lane);
  if (config.of_guest())
    return std::make_unique<UdpTransport>(UdpTransport::Config{.local = local,
                                                               .remote = std::nullopt,
                                                               .buffer = buffer,
                                                               .kernel_cuts = config.kernel_cuts,
                                                               .kernel_stamps = config.kernel_stamps});
  const UdpEndpoint remote = endpoint_of(config.remote, lane);
  const int priority = options.bulk() ? kPriorities[lane] : 0;
  if (options.transport == PeeringOptions::Transport::tcp)
    return std::make_unique<TcpTransport>(local, remote, buffer, priority);
  return std::make_unique<UdpTransport>(UdpTransport::Config{.local = local,
                                                             .remote = remote,
                                                             .buffer = buffer,
                                                             .kernel_cuts = config.kernel_cuts,
                                                             .kernel_stamps = config.kernel_stamps,
                                                             .priority = priority,
                                                             .most_messages = kMessages[lane]});
}

}  // namespace

std::unique_ptr<Transport> make_transport(const PeeringPortal::Config& config, std::size_t lane) {
  std::unique_ptr<Transport> carrier = make_carrier(config, lane);
  if (config.options.key.empty()) return carrier;
  return std::make_unique<SealedTransport>(std::move(carrier), parse_run_key(config.options.key));
}

std::size_t datagram_size(const PeeringPortal::Config& config, const Transport& transport) {
  const std::string attempt = "make the peering portal to " + config.name + ": the way to " + config.remote +
                              " carries datagrams of ";
  const std::size_t sealing = config.options.key.empty() ? 0 : kSealBytes;
  const std::size_t carried = transport.largest_datagram() + sealing;
  const std::size_t asked = config.options.datagram_size;
  if (asked > carried) {
    throw EnvironmentError(attempt + std::to_string(carried) + " bytes at most, and " +
                           std::to_string(asked) + " were asked for; raise its MTU to " +
                           std::to_string(asked + kIpUdp) + ", or ask for less");
  }
  if (carried < kSmallestDatagram + sealing) {
    throw EnvironmentError(attempt + std::to_string(carried) + " bytes; raise its MTU to at least " +
                           std::to_string(kSmallestDatagram + sealing + kIpUdp));
  }
  const bool in_packets = config.options.transport == PeeringOptions::Transport::udp;
  const std::size_t size = asked != 0 ? asked : in_packets ? std::min(kUsualDatagram, carried) : carried;
  return size - sealing;
}

}  // namespace simcore::peering

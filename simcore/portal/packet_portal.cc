// SPDX-License-Identifier: MIT
#include "simcore/portal/packet_portal.h"

#include <memory>
#include <string>

#include "simcore/sys/packet_socket.h"
#include "simcore/sys/virtio_net_header.h"
#include "simcore/units/error.h"

namespace simcore {

namespace {

std::unique_ptr<PacketSocket> open(const EmulationPortal::Config& config,
                                   const PacketPortal::Options& options) {
  PacketSocket::Options of_socket;
  of_socket.filter = config.filter;
  of_socket.receive_buffer_bytes = options.receive_buffer_bytes;
  return std::make_unique<PacketSocket>(config.device, of_socket);
}

}  // namespace

PacketPortal::PacketPortal(Simulation& simulation, RunLoop& loop, PacketPool& pool, const Config& config,
                           const Options& options)
    : VnetPortal(simulation, loop, pool, config, open(config, options), options), features_(device()) {
  if (options.gro_flush_timeout < Duration::zero()) {
    throw ConfigError("make portal " + name() + ": gro_flush_timeout is " +
                      std::to_string(options.gro_flush_timeout.count_ns()) + " ns; it must not be negative");
  }
  const int granted = static_cast<const PacketSocket&>(vnet_device()).receive_buffer_bytes();
  if (granted < options.receive_buffer_bytes) {
    note(device() + ": the receive buffer is " + std::to_string(granted) + " bytes instead of " +
         std::to_string(options.receive_buffer_bytes) + "; raise net.core.rmem_max or run as root");
  }
  if (options.gro) turn_gro_on(options.gro_flush_timeout);
}

void PacketPortal::turn_gro_on(Duration flush_timeout) {
  if (!features_.set("rx-gro", true)) note(device() + ": GRO cannot be turned on");
  if (!kernel_describes_udp_trains()) {
    note(device() +
         ": GRO stays off for UDP: this kernel could not hand joined datagrams over (Linux 6.2 can)");
  } else if (!features_.set("rx-udp-gro-forwarding", true)) {
    note(device() + ": GRO cannot be turned on for UDP");
  }
  if (flush_timeout == Duration::zero()) return;
  gro_flush_.emplace(device(), "gro_flush_timeout", flush_timeout.count_ns());
  if (gro_flush_->failure()) note(device() + ": gro_flush_timeout is not set: " + *gro_flush_->failure());
}

}  // namespace simcore

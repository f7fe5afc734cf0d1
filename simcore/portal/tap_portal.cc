// SPDX-License-Identifier: MIT
#include "simcore/portal/tap_portal.h"

#include <memory>

#include "simcore/sys/tap_device.h"
#include "simcore/units/error.h"

namespace simcore {

namespace {

std::unique_ptr<TapDevice> open(const EmulationPortal::Config& config, const TapPortal::Options& options) {
  TapDevice::Options of_device;
  of_device.filter = config.filter;
  of_device.queue_frames = options.queue_frames;
  if (options.mtu != 0) of_device.mtu = options.mtu;
  return std::make_unique<TapDevice>(config.device, of_device);
}

}  // namespace

TapPortal::TapPortal(Simulation& simulation, RunLoop& loop, PacketPool& pool, const Config& config,
                     const Options& options)
    : VnetPortal(simulation, loop, pool, config, open(config, options), options) {
  if (!static_cast<const TapDevice&>(vnet_device()).takes_udp_trains()) {
    note(device() +
         ": this kernel has no UDP super-packets at a TAP (Linux 6.2 has); datagrams come one by one");
  }
}

}  // namespace simcore

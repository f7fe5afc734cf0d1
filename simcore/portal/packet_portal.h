// SPDX-License-Identifier: MIT
//
// PacketPortal: the emulation portal on a packet socket.
//
// GRO is turned on at the device, for UDP too, and put back in the end: a flow of single frames
// then arrives as trains.
#pragma once

#include <optional>

#include "simcore/portal/vnet_portal.h"
#include "simcore/sys/ethtool.h"
#include "simcore/sys/sysfs_setting.h"

namespace simcore {

class PacketPortal final : public VnetPortal {
 public:
  struct Options : VnetOptions {
    bool gro = true;  // turn GRO on at the device
    // How long GRO may hold a frame; 0: until the end of its batch. A time of 50 us carries a tenth more through a
    // saturated machine, but the kernel then holds datagrams until 64 have gathered or a jiffy has passed.
    Duration gro_flush_timeout = Duration::zero();
    int receive_buffer_bytes = 64 * 1'024 * 1'024;  // of the kernel's accounting, for bursts
  };

  // All must outlive the portal. Throws ConfigError, EnvironmentError, SystemError.
  PacketPortal(Simulation& simulation, RunLoop& loop, PacketPool& pool, const Config& config,
               const Options& options);

 private:
  void turn_gro_on(Duration flush_timeout);

  FeatureGuard features_;
  std::optional<SysfsSetting> gro_flush_;
};

}  // namespace simcore

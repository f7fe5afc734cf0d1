// SPDX-License-Identifier: MIT
//
// TapPortal: the emulation portal that is itself a network device, a TAP: what this machine (or a virtual machine, or a
// switch to which it is added) sends through the device enters the simulation, and comes out of it there. One copy
// per frame less than a veth pair and a packet socket, but one system call per frame too.
//
// The kernel says nothing about when it sent a frame: it arrives when it is read.
#pragma once

#include "simcore/portal/vnet_portal.h"

namespace simcore {

class TapPortal final : public VnetPortal {
 public:
  struct Options : VnetOptions {
    int mtu = 0;               // of the device; 0: as it is
    int queue_frames = 1'000;  // how many may wait in the device; >= 1
  };

  // Makes the device, or takes the TAP of this name. All must outlive the portal. Throws ConfigError,
  // EnvironmentError, SystemError.
  TapPortal(Simulation& simulation, RunLoop& loop, PacketPool& pool, const Config& config,
            const Options& options);
};

}  // namespace simcore

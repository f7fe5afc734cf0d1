// SPDX-License-Identifier: MIT
//
// Makes an emulation portal of the backend that a plan names.
#pragma once

#include <memory>
#include <string>

#include "simcore/portal/emulation_portal.h"
#include "simcore/portal/packet_portal.h"
#include "simcore/portal/pcap_portal.h"
#include "simcore/portal/tap_portal.h"
#include "simcore/portal/xdp_portal.h"

namespace simcore {

struct EmulationPortalOptions {
  PacketPortal::Options packet;
  PcapPortal::Options pcap;
  TapPortal::Options tap;
  XdpPortal::Options xdp;
};

// `backend` is "packet", "pcap", "tap" or "xdp". All must outlive the portal, which the caller adds to `loop`. Throws
// ConfigError for another backend or a value out of range, EnvironmentError when the device or a privilege
// is missing, SystemError.
std::unique_ptr<EmulationPortal> make_emulation_portal(const std::string& backend, Simulation& simulation,
                                                       RunLoop& loop, PacketPool& pool,
                                                       EmulationPortal::Config config,
                                                       const EmulationPortalOptions& options = {});

}  // namespace simcore

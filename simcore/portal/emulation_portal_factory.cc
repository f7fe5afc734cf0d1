// SPDX-License-Identifier: MIT
#include "simcore/portal/emulation_portal_factory.h"

#include <utility>

#include "simcore/units/error.h"

namespace simcore {

std::unique_ptr<EmulationPortal> make_emulation_portal(const std::string& backend, Simulation& simulation,
                                                       RunLoop& loop, PacketPool& pool,
                                                       EmulationPortal::Config config,
                                                       const EmulationPortalOptions& options) {
  if (backend == "packet") {
    return std::make_unique<PacketPortal>(simulation, loop, pool, std::move(config), options.packet);
  }
  if (backend == "pcap") {
    return std::make_unique<PcapPortal>(simulation, loop, pool, std::move(config), options.pcap);
  }
  if (backend == "tap") {
    return std::make_unique<TapPortal>(simulation, loop, pool, std::move(config), options.tap);
  }
  if (backend == "xdp") {
    return std::make_unique<XdpPortal>(simulation, loop, pool, std::move(config), options.xdp);
  }
  throw ConfigError("make portal " + config.name + ": there is no backend \"" + backend +
                    "\"; write \"packet\", \"pcap\", \"tap\" or \"xdp\"");
}

}  // namespace simcore

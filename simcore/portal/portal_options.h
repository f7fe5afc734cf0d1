// SPDX-License-Identifier: MIT
//
// The options of portals, as plans say them: of emulation portals by their backend, and of peers.
#pragma once

#include "simcore/options/option_family.h"
#include "simcore/options/option_table.h"
#include "simcore/portal/emulation_portal_factory.h"
#include "simcore/portal/peering_portal.h"

namespace simcore {

struct PortalSetup {
  std::uint64_t backlog_segments = EmulationPortal::Config{}.backlog_segments;
  EmulationPortalOptions options = {};
};

// {"backend": "packet", "gro": true}
const OptionFamily<PortalSetup>& portals();

const OptionTable<PeeringPortal::Config>& peer_options();

}  // namespace simcore

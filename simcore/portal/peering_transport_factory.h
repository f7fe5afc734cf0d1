// SPDX-License-Identifier: MIT
//
// The transports that the options of a peering portal ask for: one, or a second one for bulk.
#pragma once

#include <memory>

#include "simcore/portal/peering_portal.h"
#include "simcore/portal/peering_transport.h"

namespace simcore::peering {

// Throws ConfigError when an address is none, EnvironmentError when it cannot be had, and what the transports throw.
std::unique_ptr<Transport> make_transport(const PeeringPortal::Config& config, std::size_t lane);

// How large the datagrams of a portal are on that transport. Throws EnvironmentError when the way carries less than was
// asked for, or less than any datagram needs.
std::size_t datagram_size(const PeeringPortal::Config& config, const Transport& transport);

}  // namespace simcore::peering

// SPDX-License-Identifier: MIT
//
// Between the header of a packet socket and the fields that simcore/packet understands.
#pragma once

#include <optional>

#include "simcore/packet/virtio_net_fields.h"
#include "simcore/sys/virtio_net_header.h"

namespace simcore {

// None for a kind of super-packet that no train can describe (UFO, tunnels).
std::optional<VirtioNetFields> fields_of(const VirtioNetHeader& header);

VirtioNetHeader header_of(const VirtioNetFields& fields);

}  // namespace simcore

// SPDX-License-Identifier: MIT
//
// Changes of a frame in place, with the checksums that they touch: fields that were set, tags and labels that come and
// go. A train is changed as one frame: its headers stand once.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simcore/openflow/field.h"
#include "simcore/openflow/flow_key.h"
#include "simcore/packet/packet.h"
#include "simcore/packet/packet_pool.h"

namespace simcore::openflow {

// Writes the part of the frame that `changed` is of, as `key` has it now. Nothing where the frame has no such part.
void commit(Packet& packet, const Layout& layout, const Field& changed, const FlowKey& key);

// Makes room for `count` bytes of any value at `offset`. `packet` may become another one. False, and nothing happens,
// when there is no memory.
bool insert_bytes(PacketPtr& packet, std::size_t offset, std::size_t count, PacketPool& pool);
// Precondition: offset + count <= packet.size().
void erase_bytes(Packet& packet, std::size_t offset, std::size_t count);

}  // namespace simcore::openflow

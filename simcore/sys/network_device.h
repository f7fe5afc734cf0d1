// SPDX-License-Identifier: MIT
//
// A network device of this namespace: what it is, what it counts, and the other end of a veth pair.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "simcore/sys/file_descriptor.h"

namespace simcore {

// The kernel's number of the device `name`. Throws EnvironmentError when this network namespace has none.
int device_index(const std::string& name);

// The device's MTU, in bytes. Throws as above.
int device_mtu(const std::string& name);

// The other end of the veth pair that `name` is one end of, when it is in this namespace too; else nothing.
std::optional<std::string> veth_peer(const std::string& name);

// Packets that were to leave through the device and that it dropped, since it was made: of a TAP, those that found its
// queue full. Nothing when there is no such device (any more).
std::optional<std::uint64_t> device_send_drops(const std::string& name);

// These throw EnvironmentError without CAP_NET_ADMIN or such a device, ConfigError for a value out of range.
void set_device_mtu(const std::string& name, int bytes);
void set_device_queue(const std::string& name, int packets);  // what may wait for the device
void bring_up(const std::string& name);
void take_down(const std::string& name);

// Lets the device receive frames for others too, until the descriptor is closed. Throws EnvironmentError without
// CAP_NET_RAW or such a device.
FileDescriptor keep_promiscuous(const std::string& name);

// A socket that exists only so that a device can be asked or told something through it.
FileDescriptor open_control_socket();

}  // namespace simcore

// SPDX-License-Identifier: MIT
//
// A network device of this namespace: its index, its MTU, and the other end of a veth pair.
#pragma once

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

// A socket that exists only so that a device can be asked or told something through it.
FileDescriptor open_control_socket();

}  // namespace simcore

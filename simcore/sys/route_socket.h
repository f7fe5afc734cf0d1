// SPDX-License-Identifier: MIT
//
// What the kernel's rtnetlink(7) is asked about network devices with.
#pragma once

#include <string>

#include "simcore/sys/file_descriptor.h"

namespace simcore {

// A socket of this thread's network namespace. `flags`: SOCK_NONBLOCK or nothing. Throws EnvironmentError, which names
// the attempt.
FileDescriptor open_route_socket(int flags, const std::string& attempt);

// Sends the question; the answer is one RTM_NEWLINK or an error. Throws EnvironmentError, which names the attempt.
void ask_about_device(int fd, int device, const std::string& attempt);

}  // namespace simcore

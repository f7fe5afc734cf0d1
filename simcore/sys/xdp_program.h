// SPDX-License-Identifier: MIT
//
// XdpProgram: the program at a device that redirects what it receives to an AF_XDP socket, for as long as the
// object, or the process, lives.
#pragma once

#include <string>

#include "simcore/sys/file_descriptor.h"

namespace simcore {

class XdpProgram {
 public:
  // Attaches it to `device`, to the driver if that can run it and else to the kernel. Until sockets() has the socket
  // of a queue, frames of that queue pass as ever. Throws EnvironmentError without privilege or when the device has
  // another program; SystemError.
  explicit XdpProgram(const std::string& device);

  int sockets() const { return sockets_.get(); }  // the map from queues to sockets
  bool native() const { return native_; }

 private:
  FileDescriptor sockets_;
  FileDescriptor program_;
  FileDescriptor link_;
  bool native_ = true;
};

}  // namespace simcore

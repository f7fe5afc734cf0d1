// SPDX-License-Identifier: MIT
//
// RawIpSocket: sends IPv4 packets, headers included, through one device; the kernel finds the next hop and makes the
// Ethernet header.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "simcore/sys/file_descriptor.h"

namespace simcore {

class RawIpSocket {
 public:
  // Throws EnvironmentError when there is no such device, or without CAP_NET_RAW; SystemError.
  explicit RawIpSocket(const std::string& device);

  // Sends the packet at the start of `packet`, to the destination that it says, without blocking. 0, or why the kernel
  // refused it: EAGAIN, ENOBUFS, EMSGSIZE, ... Where no route says otherwise
  // the destination is taken for a neighbour. Precondition: 20 bytes.
  int send(std::span<const std::uint8_t> packet);

 private:
  FileDescriptor fd_;
};

}  // namespace simcore

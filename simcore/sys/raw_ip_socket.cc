// SPDX-License-Identifier: MIT
#include "simcore/sys/raw_ip_socket.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cassert>
#include <cerrno>
#include <cstring>

#include "simcore/sys/checked_call.h"
#include "simcore/sys/network_device.h"

namespace simcore {

RawIpSocket::RawIpSocket(const std::string& device) {
  const std::string attempt = "open a raw IP socket on " + device;
  device_index(device);
  const int fd = ::socket(AF_INET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_RAW);  // headers included
  if (fd < 0 && errno == EPERM) throw EnvironmentError(attempt + ": this needs CAP_NET_RAW; run as root");
  fd_ = FileDescriptor(checked(fd, attempt));
  checked(::setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, device.data(), static_cast<socklen_t>(device.size())),
          attempt);
  constexpr int kAllowed = 1;
  checked(::setsockopt(fd, SOL_SOCKET, SO_BROADCAST, &kAllowed, sizeof kAllowed), attempt);
}

int RawIpSocket::send(std::span<const std::uint8_t> packet) {
  constexpr std::size_t kDestination = 16;
  assert(packet.size() >= 20);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  std::memcpy(&to.sin_addr, &packet[kDestination], sizeof to.sin_addr);
  if (::sendto(fd_.get(), packet.data(), packet.size(), 0, reinterpret_cast<const sockaddr*>(&to),
               sizeof to) >= 0)
    return 0;
  return errno == EINTR ? EAGAIN : errno;
}

}  // namespace simcore

// SPDX-License-Identifier: MIT
//
// XdpSocket where simcore was built without libxdp: it cannot be made.
#ifndef SIMCORE_XDP

#include <cerrno>

#include "simcore/sys/xdp_socket.h"
#include "simcore/units/error.h"

namespace simcore {

struct XdpSocket::Parts {};

XdpSocket::XdpSocket(const std::string& device, const Options&) {
  throw EnvironmentError(
      "open an AF_XDP socket on " + device +
      ": simcore was built without libxdp; install Debian's libxdp-dev and libbpf-dev, and build "
      "again (make install), or choose another portal");
}

XdpSocket::~XdpSocket() = default;
int XdpSocket::fd() const { return -1; }
std::span<const std::span<const std::uint8_t>> XdpSocket::receive() { return {}; }
int XdpSocket::begin_sending() { return ENOSYS; }
int XdpSocket::send(std::span<const std::uint8_t>) { return ENOSYS; }
bool XdpSocket::end_sending() { return false; }
XdpSocket::Counters XdpSocket::counters() const { return {}; }
bool XdpSocket::native() const { return false; }

}  // namespace simcore

#endif

// SPDX-License-Identifier: MIT
#include "simcore/sys/network_device.h"

#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "simcore/sys/checked_call.h"
#include "simcore/sys/ethtool.h"

namespace simcore {

int device_index(const std::string& name) {
  const unsigned index = ::if_nametoindex(name.c_str());
  if (index == 0) {
    if (errno != ENODEV) throw SystemError("find the device " + name, errno);
    throw EnvironmentError(
        "find the device " + name +
        ": this network namespace has none; see ip link, and whether the instance runs in the "
        "namespace of its machine");
  }
  return static_cast<int>(index);
}

int device_mtu(const std::string& name) {
  device_index(name);
  ifreq request{};
  name.copy(request.ifr_name, IFNAMSIZ - 1);
  checked(::ioctl(open_control_socket().get(), SIOCGIFMTU, &request), "read the MTU of " + name);
  return request.ifr_mtu;
}

std::optional<std::string> veth_peer(const std::string& name) {
  const auto peer = Ethtool(name).statistic("peer_ifindex");
  std::array<char, IF_NAMESIZE> peer_name{};
  if (!peer || ::if_indextoname(static_cast<unsigned>(*peer), peer_name.data()) == nullptr)
    return std::nullopt;
  // The index is that of the peer's namespace. Here it means the peer only if that device says the same of
  // us.
  const auto back = Ethtool(peer_name.data()).statistic("peer_ifindex");
  if (!back || *back != static_cast<std::uint64_t>(device_index(name))) return std::nullopt;
  return std::string(peer_name.data());
}

FileDescriptor open_control_socket() {
  return FileDescriptor(checked(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0), "open a control socket"));
}

}  // namespace simcore

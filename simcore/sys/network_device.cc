// SPDX-License-Identifier: MIT
#include "simcore/sys/network_device.h"

#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "simcore/sys/checked_call.h"

namespace simcore {

namespace {

// What the kernel says about one device, by rtnetlink: the index of its other end, unless that is in another
// namespace or there is none.
std::optional<int> peer_index(const std::string& name) {
  const std::string attempt = "ask the kernel about the device " + name;
  const FileDescriptor netlink(
      checked(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE), attempt));
  struct {
    nlmsghdr header;
    ifinfomsg device;
  } request{};
  request.header.nlmsg_len = sizeof request;
  request.header.nlmsg_type = RTM_GETLINK;
  request.header.nlmsg_flags = NLM_F_REQUEST;
  request.device.ifi_index = device_index(name);
  checked(::send(netlink.get(), &request, sizeof request, 0), attempt);

  alignas(nlmsghdr) std::array<char, 32'768> reply;
  std::size_t left =
      static_cast<std::size_t>(checked(::recv(netlink.get(), reply.data(), reply.size(), 0), attempt));
  const auto* const message = reinterpret_cast<const nlmsghdr*>(reply.data());
  if (!NLMSG_OK(message, left) || message->nlmsg_type != RTM_NEWLINK) return std::nullopt;
  std::optional<int> peer;
  const auto* attribute = IFLA_RTA(NLMSG_DATA(message));
  for (std::size_t size = IFLA_PAYLOAD(message); RTA_OK(attribute, size);
       attribute = RTA_NEXT(attribute, size)) {
    if (attribute->rta_type == IFLA_LINK_NETNSID) return std::nullopt;  // the index is one of that namespace
    if (attribute->rta_type != IFLA_LINK) continue;
    int index = 0;
    std::memcpy(&index, RTA_DATA(attribute), sizeof index);
    peer = index;
  }
  return peer;
}

}  // namespace

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
  const std::optional<int> peer = peer_index(name);
  std::array<char, IF_NAMESIZE> peer_name{};
  if (!peer || ::if_indextoname(static_cast<unsigned>(*peer), peer_name.data()) == nullptr)
    return std::nullopt;
  return std::string(peer_name.data());
}

FileDescriptor open_control_socket() {
  return FileDescriptor(checked(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0), "open a control socket"));
}

}  // namespace simcore

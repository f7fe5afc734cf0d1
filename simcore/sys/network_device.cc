// SPDX-License-Identifier: MIT
#include "simcore/sys/network_device.h"

#include <linux/if_link.h>
#include <linux/if_packet.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "simcore/sys/checked_call.h"
#include "simcore/sys/route_socket.h"

namespace simcore {

namespace {

// What the kernel says about one device, by rtnetlink: calls take(attribute) for each. False: there is none.
template <class Take>
bool ask_about(const std::string& name, Take take) {
  const unsigned index = ::if_nametoindex(name.c_str());
  if (index == 0) return false;
  const std::string attempt = "ask the kernel about the device " + name;
  const FileDescriptor netlink = open_route_socket(0, attempt);
  ask_about_device(netlink.get(), static_cast<int>(index), attempt);

  alignas(nlmsghdr) std::array<char, 32'768> reply;
  std::size_t left =
      static_cast<std::size_t>(checked(::recv(netlink.get(), reply.data(), reply.size(), 0), attempt));
  const auto* const message = reinterpret_cast<const nlmsghdr*>(reply.data());
  if (!NLMSG_OK(message, left) || message->nlmsg_type != RTM_NEWLINK) return false;
  const auto* attribute = IFLA_RTA(NLMSG_DATA(message));
  for (std::size_t size = IFLA_PAYLOAD(message); RTA_OK(attribute, size);
       attribute = RTA_NEXT(attribute, size)) {
    take(*attribute);
  }
  return true;
}

// Changes one thing of a device, by one of netdevice(7)'s requests.
void change(const std::string& name, unsigned long what, ifreq& request, const std::string& attempt) {
  device_index(name);
  name.copy(request.ifr_name, IFNAMSIZ - 1);
  if (::ioctl(open_control_socket().get(), what, &request) == 0) return;
  if (errno == EPERM) throw EnvironmentError(attempt + ": this needs CAP_NET_ADMIN; run as root");
  if (errno == EINVAL || errno == ERANGE)
    throw ConfigError(attempt + ": the device does not take this value");
  throw SystemError(attempt, errno);
}

void set_flag_up(const std::string& name, bool up) {
  const std::string attempt = (up ? "bring " : "take ") + name + (up ? " up" : " down");
  ifreq request{};
  device_index(name);
  name.copy(request.ifr_name, IFNAMSIZ - 1);
  checked(::ioctl(open_control_socket().get(), SIOCGIFFLAGS, &request), attempt);
  request.ifr_flags = static_cast<short>(up ? request.ifr_flags | IFF_UP : request.ifr_flags & ~IFF_UP);
  change(name, SIOCSIFFLAGS, request, attempt);
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
  device_index(name);
  bool elsewhere = false;  // the index is one of another namespace
  int peer = 0;
  ask_about(name, [&](const rtattr& attribute) {
    if (attribute.rta_type == IFLA_LINK_NETNSID) elsewhere = true;
    if (attribute.rta_type == IFLA_LINK) std::memcpy(&peer, RTA_DATA(&attribute), sizeof peer);
  });
  std::array<char, IF_NAMESIZE> peer_name{};
  if (elsewhere || peer == 0 || ::if_indextoname(static_cast<unsigned>(peer), peer_name.data()) == nullptr)
    return std::nullopt;
  return std::string(peer_name.data());
}

std::optional<std::uint64_t> device_send_drops(const std::string& name) {
  rtnl_link_stats64 stats{};
  const bool there = ask_about(name, [&](const rtattr& attribute) {
    if (attribute.rta_type == IFLA_STATS64) {
      std::memcpy(&stats, RTA_DATA(&attribute), std::min<std::size_t>(sizeof stats, RTA_PAYLOAD(&attribute)));
    }
  });
  if (!there) return std::nullopt;
  return stats.tx_dropped;
}

void set_device_mtu(const std::string& name, int bytes) {
  ifreq request{};
  request.ifr_mtu = bytes;
  change(name, SIOCSIFMTU, request, "set the MTU of " + name + " to " + std::to_string(bytes));
}

void set_device_queue(const std::string& name, int packets) {
  ifreq request{};
  request.ifr_qlen = packets;
  change(name, SIOCSIFTXQLEN, request,
         "set the queue of " + name + " to " + std::to_string(packets) + " packets");
}

void bring_up(const std::string& name) { set_flag_up(name, true); }

void take_down(const std::string& name) { set_flag_up(name, false); }

FileDescriptor keep_promiscuous(const std::string& name) {
  const std::string attempt = "make " + name + " promiscuous";
  packet_mreq membership{};
  membership.mr_ifindex = device_index(name);
  membership.mr_type = PACKET_MR_PROMISC;
  const int fd = ::socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);  // protocol 0: it captures nothing
  if (fd < 0 && errno == EPERM) throw EnvironmentError(attempt + ": this needs CAP_NET_RAW; run as root");
  FileDescriptor socket(checked(fd, attempt));
  checked(::setsockopt(fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &membership, sizeof membership), attempt);
  return socket;
}

FileDescriptor open_control_socket() {
  return FileDescriptor(checked(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0), "open a control socket"));
}

}  // namespace simcore

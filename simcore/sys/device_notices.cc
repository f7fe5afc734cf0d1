// SPDX-License-Identifier: MIT
#include "simcore/sys/device_notices.h"

#include <linux/if.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "simcore/sys/checked_call.h"
#include "simcore/sys/route_socket.h"

namespace simcore {

namespace {

constexpr int kMessagesAtOnce = 64;

// Calls take(attribute) for each of `size` bytes of them.
template <class Take>
void each_attribute(const rtattr* attribute, std::size_t size, Take take) {
  for (auto left = static_cast<int>(size); RTA_OK(attribute, left); attribute = RTA_NEXT(attribute, left))
    take(*attribute);
}

bool is_veth(const rtattr& link_info) {
  bool veth = false;
  each_attribute(static_cast<const rtattr*>(RTA_DATA(&link_info)), RTA_PAYLOAD(&link_info),
                 [&veth](const rtattr& inner) {
                   const std::string_view kind(static_cast<const char*>(RTA_DATA(&inner)),
                                               RTA_PAYLOAD(&inner));
                   if (inner.rta_type == IFLA_INFO_KIND) veth = kind.starts_with("veth");
                 });
  return veth;
}

DeviceNotices::Notice notice_of(const nlmsghdr& message) {
  const auto* const device = static_cast<const ifinfomsg*>(NLMSG_DATA(&message));
  DeviceNotices::Notice notice{.device = device->ifi_index,
                               .up = (device->ifi_flags & IFF_UP) != 0,
                               .carrier = (device->ifi_flags & IFF_LOWER_UP) != 0,
                               .veth = false};
  each_attribute(IFLA_RTA(device), IFLA_PAYLOAD(&message), [&notice](const rtattr& attribute) {
    if ((attribute.rta_type & NLA_TYPE_MASK) == IFLA_LINKINFO) notice.veth = is_veth(attribute);
  });
  return notice;
}

}  // namespace

DeviceNotices::DeviceNotices()
    : fd_(open_route_socket(SOCK_NONBLOCK, "open a socket for notices of network devices")) {
  sockaddr_nl address{};
  address.nl_family = AF_NETLINK;
  address.nl_groups = RTMGRP_LINK;
  checked(::bind(fd_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address),
          "subscribe to notices of network devices");
}

void DeviceNotices::ask(int device) {
  ask_about_device(fd_.get(), device, "ask the kernel about a network device");
}

bool DeviceNotices::read(const std::function<void(const Notice&)>& take) {
  alignas(nlmsghdr) std::array<char, 16'384> bytes;
  for (int count = 0; count < kMessagesAtOnce; ++count) {
    const ssize_t size = ::recv(fd_.get(), bytes.data(), bytes.size(), 0);
    if (size < 0 && errno == ENOBUFS) return false;
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) return true;
    auto left = static_cast<std::size_t>(checked(size, "read notices of network devices"));
    const auto* message = reinterpret_cast<const nlmsghdr*>(bytes.data());
    for (; NLMSG_OK(message, left); message = NLMSG_NEXT(message, left)) {
      if (message->nlmsg_type == RTM_NEWLINK) take(notice_of(*message));
    }
  }
  return true;
}

}  // namespace simcore

// SPDX-License-Identifier: MIT
#include "simcore/sys/route_socket.h"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include "simcore/sys/checked_call.h"

namespace simcore {

FileDescriptor open_route_socket(int flags, const std::string& attempt) {
  return FileDescriptor(
      checked(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | flags, NETLINK_ROUTE), attempt));
}

void ask_about_device(int fd, int device, const std::string& attempt) {
  struct {
    nlmsghdr header;
    ifinfomsg device;
  } request{};
  request.header.nlmsg_len = sizeof request;
  request.header.nlmsg_type = RTM_GETLINK;
  request.header.nlmsg_flags = NLM_F_REQUEST;
  request.device.ifi_index = device;
  checked(::send(fd, &request, sizeof request, 0), attempt);
}

}  // namespace simcore

// SPDX-License-Identifier: MIT
//
// reflector DEVICE poll|sleep: answers ICMP echo requests that come by a device, and does nothing else. What an instance's
// ping is measured against: no program outside the kernel that takes frames from a packet socket can answer earlier.
// The address is the kernel's, which answers ARP; net.ipv4.icmp_echo_ignore_all keeps it from answering these. Ends with its
// standard input.
#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/ip_icmp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <span>
#include <string>
#include <string_view>

#include "simcore/sys/checked_call.h"
#include "simcore/sys/file_descriptor.h"
#include "simcore/sys/thread.h"
#include "simcore/units/error.h"

namespace simcore {
namespace {

constexpr std::size_t kMacs = 0, kType = 12, kIp = 14, kAddresses = kIp + 12, kIcmp = kIp + 20;
constexpr int kPriority = 50;

// Makes an answer of a request. False: it is none.
bool turned_round(std::span<std::uint8_t> frame) {
  if (frame.size() < kIcmp + 8 || frame[kType] != 0x08 || frame[kType + 1] != 0x00 || frame[kIp] != 0x45 ||
      frame[kIp + 9] != IPPROTO_ICMP || frame[kIcmp] != ICMP_ECHO) {
    return false;
  }
  std::swap_ranges(&frame[kMacs], &frame[kMacs + 6], &frame[kMacs + 6]);
  std::swap_ranges(&frame[kAddresses], &frame[kAddresses + 4], &frame[kAddresses + 4]);
  frame[kIcmp] = ICMP_ECHOREPLY;
  unsigned sum = (frame[kIcmp + 2] << 8U | frame[kIcmp + 3]) + (unsigned{ICMP_ECHO} << 8U);
  sum = (sum & 0xFFFFU) + (sum >> 16U);
  frame[kIcmp + 2] = static_cast<std::uint8_t>(sum >> 8U);
  frame[kIcmp + 3] = static_cast<std::uint8_t>(sum);
  return true;
}

FileDescriptor socket_at(const std::string& device) {
  FileDescriptor made(
      checked(::socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), "open a socket"));
  const int on = 1;
  checked(::setsockopt(made.get(), SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof on),
          "ignore what is sent");
  sockaddr_ll address{};
  address.sll_family = AF_PACKET;
  address.sll_protocol = htons(ETH_P_ALL);
  address.sll_ifindex = static_cast<int>(::if_nametoindex(device.c_str()));
  if (address.sll_ifindex == 0) throw EnvironmentError("capture at " + device + ": there is no such device");
  checked(::bind(made.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address),
          "capture at " + device);
  return made;
}

// Standard input is looked at once in so many turns that found nothing.
constexpr int kTurns = 4'096;

void reflect(const std::string& device, bool polls) {
  const FileDescriptor socket = socket_at(device);
  if (!polls) try_fifo_priority(kPriority);  // the kernel stops a real-time thread that never sleeps
  std::puts("ready");
  std::fflush(stdout);
  std::array<std::uint8_t, 2'048> bytes{};
  std::array<pollfd, 2> waiting{pollfd{.fd = socket.get(), .events = POLLIN, .revents = 0},
                                pollfd{.fd = 0, .events = POLLIN, .revents = 0}};
  for (int turn = 0;; ++turn) {
    if (!polls || turn % kTurns == 0) {
      ::poll(waiting.data(), waiting.size(), polls ? 0 : -1);
      if (waiting[1].revents != 0) return;
    }
    const ssize_t size = ::recv(socket.get(), bytes.data(), bytes.size(), 0);
    if (size <= 0) continue;
    const std::span<std::uint8_t> frame(bytes.data(), static_cast<std::size_t>(size));
    if (turned_round(frame)) ::send(socket.get(), frame.data(), frame.size(), 0);
  }
}

}  // namespace
}  // namespace simcore

int main(int count, char** words) {
  const std::string_view how = count == 3 ? words[2] : "";
  if (how != "poll" && how != "sleep") {
    std::fputs("reflector DEVICE poll|sleep\n", stderr);
    return 2;
  }
  try {
    simcore::reflect(words[1], how == "poll");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

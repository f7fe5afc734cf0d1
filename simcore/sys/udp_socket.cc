// SPDX-License-Identifier: MIT
#include "simcore/sys/udp_socket.h"

#include <arpa/inet.h>
#include <linux/sock_diag.h>
#include <netinet/udp.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <ctime>

#include "simcore/sys/checked_call.h"
#include "simcore/sys/clock.h"
#include "simcore/units/error.h"

namespace simcore {

namespace {

// Each repeat clears one pending ICMP error; more than these cannot be pending.
constexpr int kRepeats = 3;

void bind_to(int fd, const UdpEndpoint& local) {
  const sockaddr_in address = local.socket_address();
  if (::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return;
  const std::string attempt = "bind a UDP socket to " + local.text() + ": ";
  if (errno == EADDRINUSE) {
    throw EnvironmentError(attempt + "another process has that port; end it or choose another port");
  }
  if (errno == EADDRNOTAVAIL) {
    throw EnvironmentError(attempt +
                           "this machine does not have that address; give it to an interface first");
  }
  throw SystemError("bind a UDP socket to " + local.text(), errno);
}

}  // namespace

UdpEndpoint UdpEndpoint::parse(const std::string& text) {
  const auto wrong = [&text]() {
    return ConfigError("read UDP address \"" + text +
                       "\": write an IPv4 address and a port, as 198.18.0.1:47000");
  };
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) throw wrong();
  in_addr address{};
  if (::inet_pton(AF_INET, text.substr(0, colon).c_str(), &address) != 1) throw wrong();
  UdpEndpoint endpoint;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + colon + 1, end, endpoint.port);
  if (error != std::errc() || stop != end) throw wrong();
  endpoint.address = ntohl(address.s_addr);
  return endpoint;
}

sockaddr_in UdpEndpoint::socket_address() const {
  sockaddr_in written{};
  written.sin_family = AF_INET;
  written.sin_port = htons(port);
  written.sin_addr.s_addr = htonl(address);
  return written;
}

std::string UdpEndpoint::text() const {
  std::array<char, INET_ADDRSTRLEN> name{};
  const in_addr network{htonl(address)};
  ::inet_ntop(AF_INET, &network, name.data(), name.size());
  return std::string(name.data()) + ":" + std::to_string(port);
}

UdpSocket::UdpSocket(const UdpEndpoint& local, const std::optional<UdpEndpoint>& remote, ByteCount buffer)
    : fd_(checked(::socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), "open a UDP socket")),
      connected_(remote.has_value()) {
  const int on = 1;
  bind_to(fd(), local);
  if (remote) {
    const sockaddr_in address = remote->socket_address();
    checked(::connect(fd(), reinterpret_cast<const sockaddr*>(&address), sizeof address),
            "connect UDP socket " + local.text() + " to " + remote->text());
  }
  enlarge(SO_RCVBUF, SO_RCVBUFFORCE, buffer);
  enlarge(SO_SNDBUF, SO_SNDBUFFORCE, buffer);
  checked(::setsockopt(fd(), SOL_SOCKET, SO_RXQ_OVFL, &on, sizeof on),
          "ask for drop counts of UDP " + local.text());
  checked(::setsockopt(fd(), SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on),
          "ask for timestamps of UDP " + local.text());

  // Both are absent from old kernels, and nothing depends on them but speed.
  ::setsockopt(fd(), SOL_UDP, UDP_GRO, &on, sizeof on);
  int segment_size = 0;
  socklen_t length = sizeof segment_size;
  segments_ = ::getsockopt(fd(), SOL_UDP, UDP_SEGMENT, &segment_size, &length) == 0;
  prepare_receiving();
}

void UdpSocket::enlarge(int option, int forced_option, ByteCount buffer) {
  const int size = static_cast<int>(buffer.count());
  if (::setsockopt(fd(), SOL_SOCKET, forced_option, &size, sizeof size) == 0) return;
  checked(::setsockopt(fd(), SOL_SOCKET, option, &size, sizeof size), "set the buffer of a UDP socket");
}

void UdpSocket::set_priority(int priority) {
  checked(::setsockopt(fd(), SOL_SOCKET, SO_PRIORITY, &priority, sizeof priority),
          "set the priority of UDP " + local().text());
}

void UdpSocket::prepare_receiving() {
  headers_.resize(kMessagesPerCall);
  buffers_.resize(kMessagesPerCall);
  senders_.resize(kMessagesPerCall);
  received_.resize(kMessagesPerCall);
  bytes_ = std::make_unique_for_overwrite<std::uint8_t[]>(kMessagesPerCall * kReceiveBytes);
  control_ = std::make_unique_for_overwrite<std::uint8_t[]>(kMessagesPerCall * kControlBytes);
  for (std::size_t i = 0; i < kMessagesPerCall; ++i) {
    buffers_[i] = {bytes_.get() + i * kReceiveBytes, kReceiveBytes};
    headers_[i] = {};
    headers_[i].msg_hdr.msg_iov = &buffers_[i];
    headers_[i].msg_hdr.msg_iovlen = 1;
    headers_[i].msg_hdr.msg_control = control_.get() + i * kControlBytes;
    if (!connected_) headers_[i].msg_hdr.msg_name = &senders_[i];
  }
}

UdpEndpoint UdpSocket::local() const {
  sockaddr_in address{};
  socklen_t length = sizeof address;
  checked(::getsockname(fd(), reinterpret_cast<sockaddr*>(&address), &length),
          "read the address of a UDP socket");
  return {ntohl(address.sin_addr.s_addr), ntohs(address.sin_port)};
}

void UdpSocket::send_to(const UdpEndpoint& remote) { remote_ = remote.socket_address(); }

std::size_t UdpSocket::largest_datagram() const {
  if (!connected_) return kLargestMessage;
  constexpr std::size_t kHeaders = 20 + 8;  // IPv4 without options, UDP
  int mtu = 0;
  socklen_t length = sizeof mtu;
  checked(::getsockopt(fd(), IPPROTO_IP, IP_MTU, &mtu, &length), "read the path MTU of a UDP socket");
  return std::min(kLargestMessage, static_cast<std::size_t>(mtu) - kHeaders);
}

ByteCount UdpSocket::receive_buffer() const {
  int size = 0;
  socklen_t length = sizeof size;
  checked(::getsockopt(fd(), SOL_SOCKET, SO_RCVBUF, &size, &length), "read the buffer size of a UDP socket");
  return ByteCount::bytes(size);
}

int UdpSocket::send(std::span<const Message> messages) {
  assert(messages.size() <= kMessagesPerCall);
  if (!connected_ && remote_.sin_port == 0) return static_cast<int>(messages.size());
  constexpr std::size_t kSegmentControl = CMSG_SPACE(sizeof(std::uint16_t));
  std::array<mmsghdr, kMessagesPerCall> headers;
  alignas(cmsghdr) std::array<std::uint8_t, kMessagesPerCall * kSegmentControl> control;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    msghdr& header = headers[i].msg_hdr;
    header = {};
    header.msg_iov = const_cast<iovec*>(messages[i].parts.data());  // sendmmsg only reads it
    header.msg_iovlen = messages[i].parts.size();
    if (!connected_) {
      header.msg_name = &remote_;
      header.msg_namelen = sizeof remote_;
    }
    if (messages[i].segment_size == 0) continue;
    header.msg_control = control.data() + i * kSegmentControl;
    header.msg_controllen = kSegmentControl;
    cmsghdr* const segment = CMSG_FIRSTHDR(&header);
    segment->cmsg_level = SOL_UDP;
    segment->cmsg_type = UDP_SEGMENT;
    segment->cmsg_len = CMSG_LEN(sizeof(std::uint16_t));
    std::memcpy(CMSG_DATA(segment), &messages[i].segment_size, sizeof(std::uint16_t));
  }
  for (int attempt = 0;; ++attempt) {
    ++syscalls_;
    const int taken = ::sendmmsg(fd(), headers.data(), static_cast<unsigned>(messages.size()), 0);
    if (taken >= 0) return taken;
    if (errno != ECONNREFUSED || attempt == kRepeats) return errno == EWOULDBLOCK ? -EAGAIN : -errno;
    ++unreachable_;
  }
}

std::span<const UdpSocket::Received> UdpSocket::receive(std::size_t most) {
  for (mmsghdr& header : headers_) {
    header.msg_hdr.msg_controllen = kControlBytes;
    header.msg_hdr.msg_namelen = connected_ ? 0 : sizeof(sockaddr_in);
  }
  int count = -1;
  for (int attempt = 0; count < 0; ++attempt) {
    ++syscalls_;
    count = ::recvmmsg(fd(), headers_.data(), static_cast<unsigned>(most), 0, nullptr);
    if (count >= 0) break;
    if (errno == EAGAIN || errno == EWOULDBLOCK || attempt == kRepeats) return {};
    ++unreachable_;
  }
  const std::int64_t now_ns = realtime_ns();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    if ((headers_[i].msg_hdr.msg_flags & MSG_TRUNC) != 0) {
      ++truncated_;
      continue;
    }
    Received& received = received_[kept++];
    received.bytes = {bytes_.get() + i * kReceiveBytes, headers_[i].msg_len};
    received.segment_size = headers_[i].msg_len;
    received.waited = Duration::zero();
    received.from = {ntohl(senders_[i].sin_addr.s_addr), ntohs(senders_[i].sin_port)};
    read_control(headers_[i].msg_hdr, now_ns, received);
  }
  return std::span<const Received>(received_).first(kept);
}

std::size_t UdpSocket::waiting_bytes() const {
  std::array<std::uint32_t, SK_MEMINFO_VARS> memory{};
  socklen_t length = sizeof memory;
  if (::getsockopt(fd(), SOL_SOCKET, SO_MEMINFO, memory.data(), &length) != 0) return 0;
  return memory[SK_MEMINFO_RMEM_ALLOC];
}

void UdpSocket::read_control(msghdr& header, std::int64_t now_ns, Received& received) {
  for (cmsghdr* control = CMSG_FIRSTHDR(&header); control != nullptr;
       control = CMSG_NXTHDR(&header, control)) {
    if (control->cmsg_level == SOL_UDP && control->cmsg_type == UDP_GRO) {
      int segment_size = 0;
      std::memcpy(&segment_size, CMSG_DATA(control), sizeof segment_size);
      if (segment_size > 0) received.segment_size = static_cast<std::size_t>(segment_size);
    } else if (control->cmsg_level == SOL_SOCKET && control->cmsg_type == SO_RXQ_OVFL) {
      std::memcpy(&kernel_drops_, CMSG_DATA(control), sizeof kernel_drops_);
    } else if (control->cmsg_level == SOL_SOCKET && control->cmsg_type == SCM_TIMESTAMPNS) {
      timespec stamp{};
      std::memcpy(&stamp, CMSG_DATA(control), sizeof stamp);
      const std::int64_t stamp_ns = std::int64_t{stamp.tv_sec} * 1'000'000'000 + stamp.tv_nsec;
      // The clock may be set back.
      received.waited = Duration::ns(std::max<std::int64_t>(0, now_ns - stamp_ns));
    }
  }
}

}  // namespace simcore

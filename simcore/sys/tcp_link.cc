// SPDX-License-Identifier: MIT
#include "simcore/sys/tcp_link.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cerrno>
#include <string>
#include <utility>

#include "simcore/sys/checked_call.h"
#include "simcore/sys/clock.h"
#include "simcore/units/error.h"

namespace simcore {

namespace {

int open_socket() {
  return checked(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), "open a TCP socket");
}

bool is_lower(const UdpEndpoint& a, const UdpEndpoint& b) {
  return std::pair(a.address, a.port) < std::pair(b.address, b.port);
}

bool would_block() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

}  // namespace

TcpLink::TcpLink(const UdpEndpoint& local, const UdpEndpoint& remote, ByteCount buffer, int priority)
    : local_(local),
      remote_(remote),
      buffer_(buffer),
      priority_(priority),
      epoll_(checked(::epoll_create1(EPOLL_CLOEXEC), "make an epoll")) {
  if (local == remote)
    throw ConfigError("connect " + local.text() +
                      " to itself: give the two ends different addresses or ports");
  if (is_lower(local, remote)) listen();
}

void TcpLink::listen() {
  listener_ = FileDescriptor(open_socket());
  const int on = 1;
  const std::string attempt = "listen at TCP " + local_.text();
  checked(::setsockopt(listener_.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on), attempt);
  const sockaddr_in address = local_.socket_address();
  if (::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    if (errno == EADDRINUSE)
      throw EnvironmentError(attempt + ": another process has that port; end it or choose another port");
    if (errno == EADDRNOTAVAIL)
      throw EnvironmentError(attempt +
                             ": this machine does not have that address; give it to an interface first");
    throw SystemError(attempt, errno);
  }
  checked(::listen(listener_.get(), 4), attempt);
  watch(listener_.get());
}

void TcpLink::watch(int fd) const {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = fd;
  checked(::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event), "watch a TCP socket");
}

// What a kernel refuses of this costs only speed.
void TcpLink::prepare(int fd) const {
  const int on = 1;
  const int size = static_cast<int>(buffer_.count());
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  ::setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
  ::setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
  if (priority_ != 0) ::setsockopt(fd, SOL_SOCKET, SO_PRIORITY, &priority_, sizeof priority_);
}

void TcpLink::try_again() {
  if (listener_.valid()) {
    accept();
  } else if (connecting_) {
    look_at_connecting();
  } else if (!connection_.valid() && monotonic_ns() - tried_ns_ >= kRetryNs) {
    connect();
  }
}

// Who comes later has returned: the one before is of no use any more.
void TcpLink::accept() {
  sockaddr_in from{};
  socklen_t length = sizeof from;
  ++syscalls_;
  FileDescriptor connection(
      ::accept4(listener_.get(), reinterpret_cast<sockaddr*>(&from), &length, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!connection.valid() || ntohl(from.sin_addr.s_addr) != remote_.address) return;
  prepare(connection.get());
  take(std::move(connection));
}

void TcpLink::take(FileDescriptor connection) {
  connection_ = std::move(connection);  // the kernel does not watch a descriptor that is closed
  connecting_ = false;
  ++connections_;
  watch(connection_.get());
}

void TcpLink::connect() {
  tried_ns_ = monotonic_ns();
  FileDescriptor connection(open_socket());
  prepare(connection.get());
  const sockaddr_in here = UdpEndpoint{.address = local_.address}.socket_address();
  const std::string attempt = "connect from " + local_.text() + " to TCP " + remote_.text();
  if (::bind(connection.get(), reinterpret_cast<const sockaddr*>(&here), sizeof here) != 0) {
    if (errno == EADDRNOTAVAIL)
      throw EnvironmentError(attempt +
                             ": this machine does not have that address; give it to an interface first");
    throw SystemError(attempt, errno);
  }
  const sockaddr_in there = remote_.socket_address();
  ++syscalls_;
  if (::connect(connection.get(), reinterpret_cast<const sockaddr*>(&there), sizeof there) == 0) {
    take(std::move(connection));
  } else if (errno == EINPROGRESS) {
    connection_ = std::move(connection);
    connecting_ = true;
  } else {
    ++refused_;
  }
}

void TcpLink::look_at_connecting() {
  int error = 0;
  socklen_t length = sizeof error;
  ::getsockopt(connection_.get(), SOL_SOCKET, SO_ERROR, &error, &length);
  if (error != 0) {
    ++refused_;
    disconnect();
    return;
  }
  sockaddr_in there{};
  length = sizeof there;
  if (::getpeername(connection_.get(), reinterpret_cast<sockaddr*>(&there), &length) == 0)
    take(std::move(connection_));
}

void TcpLink::disconnect() {
  connection_.close();
  connecting_ = false;
}

std::ptrdiff_t TcpLink::send(std::span<const iovec> parts) {
  msghdr message{};
  message.msg_iov = const_cast<iovec*>(parts.data());  // sendmsg only reads it
  message.msg_iovlen = parts.size();
  ++syscalls_;
  const ssize_t sent = ::sendmsg(connection_.get(), &message, MSG_NOSIGNAL);
  if (sent >= 0) return sent;
  if (would_block()) return 0;
  disconnect();
  return -1;
}

std::ptrdiff_t TcpLink::receive(std::span<std::uint8_t> to) {
  ++syscalls_;
  const ssize_t got = ::recv(connection_.get(), to.data(), to.size(), 0);
  if (got > 0) return got;
  if (got < 0 && would_block()) return 0;
  disconnect();
  return -1;
}

std::size_t TcpLink::waiting_bytes() const {
  int bytes = 0;
  return connected() && ::ioctl(connection_.get(), FIONREAD, &bytes) == 0 ? static_cast<std::size_t>(bytes)
                                                                          : 0;
}

}  // namespace simcore

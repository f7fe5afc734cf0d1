// SPDX-License-Identifier: MIT
#include "simcore/sys/stream_socket.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "simcore/sys/checked_call.h"
#include "simcore/units/error.h"

namespace simcore {

namespace {

constexpr std::size_t kReadyAtOnce = 64;
constexpr int kWaiting = 16;  // connections that are not accepted yet

FileDescriptor open_socket(int family) {
  return FileDescriptor(
      checked(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), "open a stream socket"));
}

void send_at_once(int fd, int family) {
  const int yes = 1;
  if (family != AF_UNIX) ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

// 0, or the error number of a connection that failed at once.
int begin_to_connect(const StreamSocket& socket, const StreamAddress& to) {
  if (::connect(socket.fd(), to.get(), to.size()) == 0 || errno == EINPROGRESS) return 0;
  return errno;
}

// Frees the path of a Unix socket that nobody listens at. What is no socket stays: it is somebody's file.
void free_path(const StreamAddress& at) {
  const std::string path = at.text().substr(5);
  const int problem = begin_to_connect(StreamSocket(open_socket(AF_UNIX)), at);
  if (problem == 0 || problem == EAGAIN)  // EAGAIN: the queue of who listens is full
    throw EnvironmentError("listen at " + at.text() + ": somebody listens there already; end that first");
  struct stat there {};
  if (::lstat(path.c_str(), &there) != 0) return;
  if (!S_ISSOCK(there.st_mode))
    throw EnvironmentError("listen at " + at.text() +
                           ": there is a file that is not a socket; choose another path");
  if (problem == ECONNREFUSED) ::unlink(path.c_str());
}

bool over() { return errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR && errno != ENOTCONN; }

}  // namespace

StreamAddress StreamAddress::parse(const std::string& text) {
  const auto refuse = [&text]() -> StreamAddress {
    throw ConfigError("read address " + text +
                      ": it is none; write tcp:198.18.0.1:6653 or unix:/run/s1.sock");
  };
  StreamAddress address;
  address.text_ = text;
  if (text.starts_with("unix:")) {
    auto& local = reinterpret_cast<sockaddr_un&>(address.storage_);
    const std::string path = text.substr(5);
    if (path.empty() || path.size() >= sizeof local.sun_path) return refuse();
    local.sun_family = AF_UNIX;
    path.copy(local.sun_path, sizeof local.sun_path - 1);
    address.size_ = sizeof local;
    return address;
  }
  const std::size_t colon = text.rfind(':');
  if (!text.starts_with("tcp:") || colon < 5) return refuse();
  std::string host = text.substr(4, colon - 4);
  std::uint16_t port = 0;
  const auto [end, problem] = std::from_chars(text.data() + colon + 1, text.data() + text.size(), port);
  if (problem != std::errc{} || end != text.data() + text.size() || port == 0) return refuse();
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    auto& v6 = reinterpret_cast<sockaddr_in6&>(address.storage_);
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(port);
    if (::inet_pton(AF_INET6, host.substr(1, host.size() - 2).c_str(), &v6.sin6_addr) != 1) return refuse();
    address.size_ = sizeof v6;
    return address;
  }
  auto& v4 = reinterpret_cast<sockaddr_in&>(address.storage_);
  v4.sin_family = AF_INET;
  v4.sin_port = htons(port);
  if (::inet_pton(AF_INET, host.c_str(), &v4.sin_addr) != 1) return refuse();
  address.size_ = sizeof v4;
  return address;
}

std::optional<StreamSocket> StreamSocket::connect(const StreamAddress& to) {
  StreamSocket socket(open_socket(to.family()));
  send_at_once(socket.fd(), to.family());
  if (begin_to_connect(socket, to) != 0) return std::nullopt;
  return socket;
}

bool StreamSocket::failed() const {
  int problem = 0;
  socklen_t size = sizeof problem;
  return ::getsockopt(fd_.get(), SOL_SOCKET, SO_ERROR, &problem, &size) != 0 || problem != 0;
}

std::ptrdiff_t StreamSocket::read(std::span<std::uint8_t> into) {
  const ssize_t count = ::recv(fd_.get(), into.data(), into.size(), 0);
  if (count == 0) return -1;
  return count > 0 ? count : over() ? -1 : 0;
}

std::ptrdiff_t StreamSocket::write(std::span<const std::uint8_t> bytes) {
  const ssize_t count = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  return count >= 0 ? count : over() ? -1 : 0;
}

StreamListener::StreamListener(const StreamAddress& at) : fd_(open_socket(at.family())) {
  const int yes = 1;
  if (at.family() == AF_UNIX) {
    free_path(at);
    path_ = at.text().substr(5);
  } else {
    ::setsockopt(fd(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  }
  if (::bind(fd(), at.get(), at.size()) != 0) {
    if (errno == EADDRINUSE)
      throw EnvironmentError("listen at " + at.text() + ": the address is taken; choose another");
    throw SystemError("listen at " + at.text(), errno);
  }
  checked(::listen(fd(), kWaiting), "listen at " + at.text());
}

StreamListener::~StreamListener() {
  if (!path_.empty()) ::unlink(path_.c_str());
}

std::optional<StreamSocket> StreamListener::accept() {
  const int taken = ::accept4(fd(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (taken < 0) return std::nullopt;
  send_at_once(taken, path_.empty() ? AF_INET : AF_UNIX);
  return StreamSocket(FileDescriptor(taken));
}

StreamWatch::StreamWatch()
    : fd_(checked(::epoll_create1(EPOLL_CLOEXEC), "make an epoll instance")), events_(kReadyAtOnce) {}

void StreamWatch::watch(int fd, std::uint64_t tag, bool readable, bool writable) {
  epoll_event event{};
  event.events = (readable ? EPOLLIN : 0U) | (writable ? EPOLLOUT : 0U);
  event.data.u64 = tag;
  checked(::epoll_ctl(fd_.get(), EPOLL_CTL_ADD, fd, &event), "watch a stream socket");
}

void StreamWatch::change(int fd, std::uint64_t tag, bool readable, bool writable) {
  epoll_event event{};
  event.events = (readable ? EPOLLIN : 0U) | (writable ? EPOLLOUT : 0U);
  event.data.u64 = tag;
  checked(::epoll_ctl(fd_.get(), EPOLL_CTL_MOD, fd, &event), "watch a stream socket");
}

void StreamWatch::unwatch(int fd) { ::epoll_ctl(fd_.get(), EPOLL_CTL_DEL, fd, nullptr); }

const std::vector<StreamWatch::Ready>& StreamWatch::look() {
  ready_.clear();
  const int count = ::epoll_wait(fd_.get(), events_.data(), static_cast<int>(events_.size()), 0);
  for (int at = 0; at < count; ++at) {
    const epoll_event& event = events_[static_cast<std::size_t>(at)];
    ready_.push_back({event.data.u64, (event.events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0,
                      (event.events & (EPOLLOUT | EPOLLHUP | EPOLLERR)) != 0});
  }
  return ready_;
}

}  // namespace simcore

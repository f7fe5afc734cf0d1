// SPDX-License-Identifier: MIT
//
// TcpLink: one TCP connection of IPv4 between two addresses that both try to have it, again and again: the lower one
// listens, the other connects from its address. Nobody else is let in. Nothing waits.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "simcore/sys/file_descriptor.h"
#include "simcore/sys/udp_socket.h"
#include "simcore/units/data.h"

namespace simcore {

class TcpLink {
 public:
  // `buffer` is asked for in each direction, and `priority` as SO_PRIORITY takes it. Throws EnvironmentError when `local`
  // is taken or not an address of this machine, ConfigError when the two are the same, SystemError for anything else.
  TcpLink(const UdpEndpoint& local, const UdpEndpoint& remote, ByteCount buffer, int priority);

  // Readable when there is something to receive or to accept. Stays the same.
  int fd() const { return epoll_.get(); }

  bool connected() const { return connection_.valid() && !connecting_; }
  // Tries to be connected, at most every kRetry; or takes who asks to be. Precondition: called now and then.
  void try_again();
  // The connection is of no use any more.
  void disconnect();

  // How many bytes the kernel took; 0 when it has no room now. A connection that fails is given up: -1.
  std::ptrdiff_t send(std::span<const iovec> parts);
  // How many bytes came; 0 when there are none now. A connection that ends is given up: -1.
  std::ptrdiff_t receive(std::span<std::uint8_t> to);

  // What has come and was not received.
  std::size_t waiting_bytes() const;

  std::uint64_t syscalls() const { return syscalls_; }
  std::uint64_t connections() const { return connections_; }  // that were made so far
  std::uint64_t refused() const { return refused_; }          // tries that nobody answered

 private:
  static constexpr std::int64_t kRetryNs = 20'000'000;

  void listen();
  void accept();
  void connect();
  void look_at_connecting();
  void take(FileDescriptor connection);
  void watch(int fd) const;
  void prepare(int fd) const;

  UdpEndpoint local_;
  UdpEndpoint remote_;
  ByteCount buffer_;
  int priority_;
  FileDescriptor epoll_;
  FileDescriptor listener_;
  FileDescriptor connection_;
  bool connecting_ = false;
  std::int64_t tried_ns_ = 0;
  std::uint64_t syscalls_ = 0;
  std::uint64_t connections_ = 0;
  std::uint64_t refused_ = 0;
};

}  // namespace simcore

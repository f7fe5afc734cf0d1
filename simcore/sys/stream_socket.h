// SPDX-License-Identifier: MIT
//
// StreamSocket: a stream connection, of TCP or of a Unix socket, that never blocks; StreamListener takes such
// connections; StreamWatch waits for many of them by one descriptor.
#pragma once

#include <sys/epoll.h>
#include <sys/socket.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "simcore/sys/file_descriptor.h"

namespace simcore {

// Where a stream socket is reached.
class StreamAddress {
 public:
  // "tcp:198.18.0.1:6653", "tcp:[fd00::1]:6653", "unix:/run/s1.sock". Throws ConfigError for anything else.
  static StreamAddress parse(const std::string& text);

  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage_); }
  socklen_t size() const { return size_; }
  int family() const { return storage_.ss_family; }
  const std::string& text() const { return text_; }

 private:
  sockaddr_storage storage_{};
  socklen_t size_ = 0;
  std::string text_;
};

class StreamSocket {
 public:
  explicit StreamSocket(FileDescriptor fd) : fd_(std::move(fd)) {}

  // Begins to connect; the socket is writable once that is decided, and then failed() says how. None: it failed at once,
  // as it does where a Unix socket's queue is full.
  static std::optional<StreamSocket> connect(const StreamAddress& to);

  int fd() const { return fd_.get(); }
  bool failed() const;  // the connection could not be made

  // How many bytes moved; 0: none for now; -1: the connection is over.
  std::ptrdiff_t read(std::span<std::uint8_t> into);
  std::ptrdiff_t write(std::span<const std::uint8_t> bytes);

 private:
  FileDescriptor fd_;
};

class StreamListener {
 public:
  // A Unix socket that is there already, and that nobody listens at, is replaced; another file is not. Throws
  // EnvironmentError when the address is taken, SystemError for anything else.
  explicit StreamListener(const StreamAddress& at);
  StreamListener(const StreamListener&) = delete;
  StreamListener& operator=(const StreamListener&) = delete;
  ~StreamListener();

  int fd() const { return fd_.get(); }
  std::optional<StreamSocket> accept();

 private:
  FileDescriptor fd_;
  std::string path_;  // of a Unix socket; removed at the end
};

class StreamWatch {
 public:
  struct Ready {
    std::uint64_t tag;
    bool readable;  // or over
    bool writable;
  };

  StreamWatch();

  int fd() const { return fd_.get(); }  // readable while something is ready
  void watch(int fd, std::uint64_t tag, bool readable, bool writable);
  void change(int fd, std::uint64_t tag, bool readable, bool writable);
  void unwatch(int fd);
  // What is ready now; valid until the next call.
  const std::vector<Ready>& look();

 private:
  FileDescriptor fd_;
  std::vector<epoll_event> events_;
  std::vector<Ready> ready_;
};

}  // namespace simcore

// SPDX-License-Identifier: MIT
//
// FileDescriptor: owns one descriptor and closes it. Moves, does not copy.
#pragma once

#include <utility>

namespace simcore {

class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, kNone)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    if (this != &other) {
      close();
      fd_ = std::exchange(other.fd_, kNone);
    }
    return *this;
  }
  ~FileDescriptor() { close(); }

  int get() const { return fd_; }
  bool valid() const { return fd_ != kNone; }

  // Closes it now; does nothing when there is none.
  void close() noexcept;

 private:
  static constexpr int kNone = -1;

  int fd_ = kNone;
};

}  // namespace simcore

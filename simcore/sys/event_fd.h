// SPDX-License-Identifier: MIT
//
// EventFd: wakes a thread that waits in epoll. May be signalled from any thread, and from a signal handler.
#pragma once

#include "simcore/sys/file_descriptor.h"

namespace simcore {

class EventFd {
 public:
  EventFd();

  int fd() const { return fd_.get(); }

  // Makes fd() readable until clear(). Signals that come before clear() are one.
  void signal() noexcept;
  void clear() noexcept;

 private:
  FileDescriptor fd_;
};

}  // namespace simcore

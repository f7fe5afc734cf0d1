// SPDX-License-Identifier: MIT
#include "simcore/sys/event_fd.h"

#include <sys/eventfd.h>

#include <cerrno>

#include "simcore/sys/checked_call.h"

namespace simcore {

EventFd::EventFd() : fd_(checked(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC), "make an event descriptor")) {}

// Neither call below can fail in a way that matters: a full counter is readable already,
// an empty one is clear.

void EventFd::signal() noexcept {
  const int saved_errno = errno;  // we may be inside a signal handler
  const eventfd_t one = 1;
  (void)::eventfd_write(fd_.get(), one);
  errno = saved_errno;
}

void EventFd::clear() noexcept {
  eventfd_t count = 0;
  (void)::eventfd_read(fd_.get(), &count);
}

}  // namespace simcore

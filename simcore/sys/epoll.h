// SPDX-License-Identifier: MIT
//
// Epoll: waits, with a timeout in nanoseconds, until one of several descriptors is readable.
//
// Level triggered: what was not read to the end is reported again by the next wait().
#pragma once

#include <sys/epoll.h>

#include <cstdint>
#include <vector>

#include "simcore/sys/file_descriptor.h"
#include "simcore/units/time.h"

namespace simcore {

class Epoll {
 public:
  Epoll();

  // Readable when wait() would report something.
  int fd() const { return fd_.get(); }

  // From now on wait() reports `tag` when `fd` is readable or has an error. `fd` must stay open
  // while it is watched.
  void watch(int fd, std::uint32_t tag);

  // From now on `fd` is not watched any more.
  void unwatch(int fd);

  // Waits until a descriptor is readable or `timeout` has passed; Duration::zero() only looks,
  // Duration::infinite() waits for ever. The tags of the readable descriptors, valid until the next call;
  // none after a timeout or a signal.
  const std::vector<std::uint32_t>& wait(Duration timeout);

 private:
  FileDescriptor fd_;
  std::vector<epoll_event> events_;
  std::vector<std::uint32_t> ready_;
};

}  // namespace simcore

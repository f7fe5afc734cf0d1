// SPDX-License-Identifier: MIT
#include "simcore/realtime/fixed_poll.h"

namespace simcore {

void FixedPoll::watch_always(int fd, std::uint32_t tag) {
  always_fd_ = fd;
  always_tag_ = tag;
}

void FixedPoll::watch(int fd, std::uint32_t tag) {
  Epoll& alone = places_.emplace_back(Place{fd, Epoll()}).epoll;
  alone.watch(fd, tag);
  alone.watch(always_fd_, always_tag_);
}

void FixedPoll::unwatch(int fd) {
  std::erase_if(places_, [fd](const Place& place) { return place.fd == fd; });
}

const std::vector<std::uint32_t>& FixedPoll::wait() {
  at_ = (at_ + 1) % places_.size();
  return places_[at_].epoll.wait(kInterval);
}

}  // namespace simcore

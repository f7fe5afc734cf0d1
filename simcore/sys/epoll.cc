// SPDX-License-Identifier: MIT
#include "simcore/sys/epoll.h"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <string>

#include "simcore/sys/checked_call.h"

namespace simcore {

Epoll::Epoll() : fd_(checked(::epoll_create1(EPOLL_CLOEXEC), "make an epoll descriptor")) {}

void Epoll::watch(int fd, std::uint32_t tag) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u32 = tag;
  checked(::epoll_ctl(fd_.get(), EPOLL_CTL_ADD, fd, &event), "watch descriptor " + std::to_string(fd));
  events_.emplace_back();
  ready_.reserve(events_.size());
}

void Epoll::unwatch(int fd) {
  checked(::epoll_ctl(fd_.get(), EPOLL_CTL_DEL, fd, nullptr),
          "stop watching descriptor " + std::to_string(fd));
  events_.pop_back();
}

const std::vector<std::uint32_t>& Epoll::wait(Duration timeout) {
  ready_.clear();
  timespec limit{};
  limit.tv_sec = timeout / Duration::seconds(1);
  limit.tv_nsec = timeout.count_ns() % 1'000'000'000;
  const bool for_ever = timeout == Duration::infinite();
  const int room = static_cast<int>(std::max<std::size_t>(events_.size(), 1));
  if (events_.empty()) events_.emplace_back();  // the kernel wants room for one, even when nothing is watched
  const int count = ::epoll_pwait2(fd_.get(), events_.data(), room, for_ever ? nullptr : &limit, nullptr);
  if (count < 0) {
    if (errno == EINTR) return ready_;
    if (errno == ENOSYS) {
      throw EnvironmentError(
          "wait with nanosecond precision: this kernel has no epoll_pwait2; Linux 5.11 has it");
    }
    throw SystemError("wait for a readable descriptor", errno);
  }
  for (int i = 0; i < count; ++i) ready_.push_back(events_[static_cast<std::size_t>(i)].data.u32);
  return ready_;
}

}  // namespace simcore

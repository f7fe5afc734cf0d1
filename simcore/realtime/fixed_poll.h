// SPDX-License-Identifier: MIT
//
// FixedPoll: waits for 10 ms at one place after the other, however soon an event is due and whatever is readable at the
// others: the real-time scheduler of INET 2.6 (Scussel and others 2015), which `hybridnet reproduce inet-rtt` measures as
// one of the causes of its delays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "simcore/sys/epoll.h"
#include "simcore/units/time.h"

namespace simcore {

class FixedPoll {
 public:
  static constexpr Duration kInterval = Duration::ms(10);

  // Whatever ends every wait: tasks. Before the next.
  void watch_always(int fd, std::uint32_t tag);
  // A place of its own to wait at.
  void watch(int fd, std::uint32_t tag);
  void unwatch(int fd);

  bool empty() const { return places_.empty(); }

  // Waits at the next place. Precondition: !empty().
  const std::vector<std::uint32_t>& wait();

 private:
  struct Place {
    int fd;
    Epoll epoll;
  };

  std::deque<Place> places_;
  std::size_t at_ = 0;
  int always_fd_ = -1;
  std::uint32_t always_tag_ = 0;
};

}  // namespace simcore

// SPDX-License-Identifier: MIT
#include "simcore/sys/epoll.h"

#include <gtest/gtest.h>

#include "simcore/sys/clock.h"
#include "simcore/sys/event_fd.h"

namespace simcore {
namespace {

using Tags = std::vector<std::uint32_t>;

TEST(EpollTest, reports_the_tags_of_what_is_readable_until_it_was_read) {
  Epoll epoll;
  EventFd first;
  EventFd second;
  epoll.watch(first.fd(), 1);
  epoll.watch(second.fd(), 2);
  EXPECT_EQ(epoll.wait(Duration::zero()), Tags{});
  second.signal();
  EXPECT_EQ(epoll.wait(Duration::infinite()), Tags{2});
  EXPECT_EQ(epoll.wait(Duration::infinite()), Tags{2});
  second.clear();
  EXPECT_EQ(epoll.wait(Duration::zero()), Tags{});
}

TEST(EpollTest, never_wakes_before_the_timeout) {
  Epoll epoll;
  const std::int64_t start = monotonic_ns();
  EXPECT_EQ(epoll.wait(Duration::us(300)), Tags{});
  EXPECT_GE(monotonic_ns() - start, 300'000);
}

TEST(EventFdTest, many_signals_are_one) {
  Epoll epoll;
  EventFd event;
  epoll.watch(event.fd(), 0);
  for (int i = 0; i < 3; ++i) event.signal();
  event.clear();
  EXPECT_EQ(epoll.wait(Duration::zero()), Tags{});
}

}  // namespace
}  // namespace simcore

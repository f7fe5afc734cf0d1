// SPDX-License-Identifier: MIT
#include "simcore/portal/capture_thread.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <thread>

#include "simcore/sys/clock.h"
#include "simcore/sys/epoll.h"
#include "simcore/sys/event_fd.h"
#include "simcore/sys/thread.h"
#include "simcore/units/error.h"

namespace simcore {
namespace {

// Frames that hold their number. More come when the test says so.
class Numbered final : public CaptureSource {
 public:
  int fd() const override { return there_.fd(); }

  std::size_t read(std::span<CapturedFrame> room) override {
    if (broken_) throw SystemError("read numbered frames", EIO);
    std::size_t count = 0;
    for (; count < room.size() && next_ < limit_; ++count) {
      std::memcpy(room[count].buffer->bytes().data(), &next_, sizeof next_);
      room[count].size = sizeof next_;
      ++next_;
    }
    if (count == 0) there_.clear();
    if (next_ < limit_) there_.signal();  // the test may have raised the limit before clear()
    return count;
  }

  void let_come(std::uint64_t limit) {
    limit_ = limit;
    there_.signal();
  }

  void break_down() {
    broken_ = true;
    there_.signal();
  }

 private:
  EventFd there_;
  std::uint64_t next_ = 0;
  std::atomic<std::uint64_t> limit_{0};
  std::atomic<bool> broken_{false};
};

class CaptureThreadTest : public testing::Test {
 protected:
  CaptureThreadTest() { epoll_.watch(thread_.fd(), 1); }

  // As a run loop does: waits until frames are there, then takes some.
  std::uint64_t take(std::size_t most) {
    while (epoll_.wait(Duration::seconds(10)).empty()) ADD_FAILURE() << "no frames in 10 s";
    const auto frames = thread_.filled();
    const auto taken = frames.first(std::min(frames.size(), most));
    for (const CapturedFrame& frame : taken) {
      std::uint64_t number = 0;
      std::memcpy(&number, frame.buffer->bytes().data(), sizeof number);
      EXPECT_EQ(number, expected_++);
    }
    if (!taken.empty()) thread_.release(taken.size());
    return expected_;
  }

  static constexpr std::size_t kRing = 8;

  PacketPool pool_;
  Numbered source_;
  CaptureThread thread_{source_, pool_, {.ring_frames = kRing, .fifo_priority = std::nullopt}};
  Epoll epoll_;
  std::uint64_t expected_ = 0;
};

TEST_F(CaptureThreadTest, every_frame_comes_once_and_in_order_through_a_small_ring) {
  constexpr std::uint64_t kFrames = 20'000;
  source_.let_come(kFrames);
  while (take(3) < kFrames) {
  }
}

TEST_F(CaptureThreadTest, it_wakes_the_loop_for_each_frame_that_comes_alone) {
  for (std::uint64_t number = 1; number <= 1'000; ++number) {
    source_.let_come(number);
    while (take(kRing) < number) {
    }
  }
}

TEST_F(CaptureThreadTest, a_full_ring_is_counted_and_nothing_is_lost) {
  source_.let_come(3 * kRing);
  while (thread_.full() == 0) {
  }
  EXPECT_EQ(thread_.filled().size(), kRing);
  while (take(kRing) < 3 * kRing) {
  }
  EXPECT_GE(thread_.full(), 1u);
}

TEST_F(CaptureThreadTest, it_ends_while_the_ring_is_full) {
  source_.let_come(10 * kRing);
  while (thread_.full() == 0) {
  }
}

TEST_F(CaptureThreadTest, it_ends_while_nothing_comes) {}

TEST_F(CaptureThreadTest, what_ended_the_thread_is_thrown_after_what_it_read) {
  source_.let_come(2);
  while (take(1) < 1) {
  }
  source_.break_down();
  const auto take_all = [this] {
    for (;;) take(kRing);
  };
  EXPECT_THROW(take_all(), SystemError);
  EXPECT_EQ(expected_, 2u);
}

// Has something to look at all the time, and never a frame.
class Restless final : public CaptureSource {
 public:
  Restless() { there_.signal(); }
  int fd() const override { return there_.fd(); }
  std::size_t read(std::span<CapturedFrame>) override { return 0; }

 private:
  EventFd there_;
};

TEST(CaptureThreadOptions, a_thread_that_never_sleeps_gives_up_its_priority_before_the_kernel_stops_it) {
  bool allowed = false;
  std::thread([&allowed] { allowed = try_fifo_priority(10) && realtime_share().has_value(); }).join();
  if (!allowed) GTEST_SKIP() << "SCHED_FIFO is not allowed, or has no bound here";
  PacketPool pool;
  Restless source;
  const CaptureThread thread(source, pool, {.ring_frames = 1, .fifo_priority = 10});
  const std::int64_t end_ns = monotonic_ns() + 10'000'000'000;
  while (thread.fifo_pauses() == 0 && monotonic_ns() < end_ns) std::this_thread::yield();
  EXPECT_GE(thread.fifo_pauses(), 1u);
}

TEST(CaptureThreadOptions, a_pool_that_is_too_small_is_said) {
  PacketPool small(ByteCount::bytes(1 << 20));
  Numbered source;
  EXPECT_THROW(CaptureThread(source, small, {.ring_frames = 64, .fifo_priority = std::nullopt}), ConfigError);
  EXPECT_THROW(CaptureThread(source, small, {.ring_frames = 0, .fifo_priority = std::nullopt}), ConfigError);
}

}  // namespace
}  // namespace simcore

// SPDX-License-Identifier: MIT
#include "simcore/portal/capture_thread.h"

#include <string>

#include "simcore/sys/clock.h"
#include "simcore/sys/thread.h"
#include "simcore/units/error.h"

namespace simcore {

namespace {

constexpr std::size_t kMostFrames = 4'096;
constexpr std::uint32_t kFrames = 0;
constexpr std::uint32_t kWake = 1;

std::size_t checked_frames(std::size_t frames) {
  if (frames >= 1 && frames <= kMostFrames) return frames;
  throw ConfigError("start a capture thread: capture_ring_frames is " + std::to_string(frames) +
                    "; it must be 1 to 4,096");
}

}  // namespace

CaptureThread::CaptureThread(CaptureSource& source, PacketPool& pool, const Options& options)
    : source_(source), ring_(checked_frames(options.ring_frames)) {
  for (CapturedFrame& frame : ring_.elements()) {
    frame.buffer = pool.make(PacketPool::kLargestFrame);
    if (!frame.buffer) {
      throw ConfigError("start a capture thread: the packet pool has no room for " +
                        std::to_string(options.ring_frames) +
                        " frames of 64 KB; make capture_ring_frames less, or the pool larger");
    }
  }
  thread_ = std::thread([this, priority = options.fifo_priority] { run(priority); });
}

CaptureThread::~CaptureThread() { stop(); }

void CaptureThread::stop() {
  if (!thread_.joinable()) return;
  stopping_ = true;
  wake_.signal();
  thread_.join();
}

std::span<CapturedFrame> CaptureThread::filled() {
  if (const auto frames = ring_.filled(); !frames.empty()) return frames;
  if (failed_) std::rethrow_exception(failure_);
  // Nothing is left: say so, and look again, as the thread may have published before it could see that.
  ready_.clear();
  idle_ = true;
  const auto frames = ring_.filled();
  if ((!frames.empty() || failed_) && idle_.exchange(false)) ready_.signal();
  return frames;
}

void CaptureThread::release(std::size_t count) {
  ring_.release(count);
  if (starved_.exchange(false)) wake_.signal();
}

void CaptureThread::run(std::optional<int> fifo_priority) noexcept {
  try {
    set_least_timer_slack();
    std::optional<FifoThread> fifo;
    if (fifo_priority) fifo.emplace(*fifo_priority);
    read_until_stopped(fifo);
  } catch (...) {
    failure_ = std::current_exception();
    failed_ = true;
    ready_.signal();
  }
}

void CaptureThread::read_until_stopped(std::optional<FifoThread>& fifo) {
  Epoll frames_or_wake;
  frames_or_wake.watch(source_.fd(), kFrames);
  frames_or_wake.watch(wake_.fd(), kWake);
  Epoll wake_only;
  wake_only.watch(wake_.fd(), kWake);
  while (!stopping_) {
    if (fifo && fifo->keep(monotonic_ns())) fifo_pauses_.store(fifo->pauses(), std::memory_order_relaxed);
    const auto room = ring_.room();
    if (room.empty()) {
      wait_for_room(wake_only);
    } else if (const std::size_t count = source_.read(room); count > 0) {
      ring_.publish(count);
      if (idle_.exchange(false)) ready_.signal();
    } else {
      for (const std::uint32_t tag : frames_or_wake.wait(Duration::infinite())) {
        if (tag == kWake) wake_.clear();
      }
    }
  }
}

// Says that it waits, and looks again, as the run loop may have made room before it could see that.
void CaptureThread::wait_for_room(Epoll& wake) {
  full_.fetch_add(1, std::memory_order_relaxed);
  starved_ = true;
  if (ring_.room().empty() && !stopping_) wake.wait(Duration::infinite());
  starved_ = false;
  wake_.clear();
}

}  // namespace simcore

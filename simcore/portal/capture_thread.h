// SPDX-License-Identifier: MIT
//
// CaptureThread: reads a portal's frames in a thread of its own, so that none waits in the kernel while the run loop
// is busy (the further work of Scussel and others 2015).
//
//   device --source.read()--> [ ring of frames ] --filled(), release()--> portal
//          capture thread                         the run loop's thread
//
// When the ring is full the thread leaves what comes in the kernel's buffer, and counts the occasion: only the kernel
// drops, and the portal counts that as without a thread. Frames are stamped in the thread where the kernel does not.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <thread>

#include "simcore/packet/packet_pool.h"
#include "simcore/portal/captured_frame.h"
#include "simcore/portal/spsc_ring.h"
#include "simcore/realtime/fifo_thread.h"
#include "simcore/sys/epoll.h"
#include "simcore/sys/event_fd.h"

namespace simcore {

// What the thread reads from.
class CaptureSource {
 public:
  virtual int fd() const = 0;

  // Fills `room` from its first place, without blocking; says how many places. 0: nothing is there.
  virtual std::size_t read(std::span<CapturedFrame> room) = 0;

 protected:
  ~CaptureSource() = default;
};

class CaptureThread {
 public:
  struct Options {
    std::size_t ring_frames = 256;     // places of 64 KB each; 1 to 4,096
    std::optional<int> fifo_priority;  // of the thread: SCHED_FIFO, where allowed; see FifoThread
  };

  // Begins to read. `source` must outlive the thread and is read by it alone; the pool's packets are the buffers, and
  // `pool` belongs to the run loop's thread, as do all methods. Throws ConfigError when the pool cannot hold them.
  CaptureThread(CaptureSource& source, PacketPool& pool, const Options& options);
  ~CaptureThread();  // stops reading; frames that wait are dropped with the buffers
  CaptureThread(const CaptureThread&) = delete;
  CaptureThread& operator=(const CaptureThread&) = delete;

  // Ends the thread and waits for that, on any thread. Nothing but the destructor may follow.
  void stop();

  // Readable while frames wait.
  int fd() const { return ready_.fd(); }

  // The frames that wait, or the first of them, in order. Throws what ended the thread.
  std::span<CapturedFrame> filled();

  // Gives the first `count` places back.
  void release(std::size_t count);

  // How often the thread found the ring full.
  std::uint64_t full() const { return full_.load(std::memory_order_relaxed); }

  // How often it gave up SCHED_FIFO for a while.
  std::uint64_t fifo_pauses() const { return fifo_pauses_.load(std::memory_order_relaxed); }

 private:
  void run(std::optional<int> fifo_priority) noexcept;
  void read_until_stopped(std::optional<FifoThread>& fifo);
  void wait_for_room(Epoll& wake);

  CaptureSource& source_;
  SpscRing<CapturedFrame> ring_;
  EventFd ready_;                     // wakes the run loop
  EventFd wake_;                      // wakes the thread: there is room, or it shall stop
  std::atomic<bool> idle_{true};      // the run loop has found the ring empty and waits for ready_
  std::atomic<bool> starved_{false};  // the thread has found the ring full and waits for wake_
  std::atomic<bool> stopping_{false};
  std::atomic<std::uint64_t> full_{0};
  std::atomic<std::uint64_t> fifo_pauses_{0};
  std::atomic<bool> failed_{false};
  std::exception_ptr failure_;  // when failed_
  std::thread thread_;
};

}  // namespace simcore

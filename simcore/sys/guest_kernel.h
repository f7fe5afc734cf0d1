// SPDX-License-Identifier: MIT
//
// GuestKernel: a kernel of Linux that is a program (User-Mode Linux with external time travel), from the side that keeps
// its time and has the other end of its Ethernet card:
//
//   GuestKernel guest("m1", {.clock = std::move(clock), .card = std::move(card)}, epoch_ns, receiver);
//   ... start it: linux time-travel=ext:1:CLOCK virtio_uml.device=CARD:1 ..., where these sockets are reached
//   guest.started(pidfd);
//   guest.boot();
//   while (guest.next_ns() < end) guest.run(guest.next_ns(), end);
//   guest.deliver(at, frame);
//
// The clock is a stream socket (include/uapi/linux/um_timetravel.h of Linux 6.12) and a page of memory that both sides see:
// the kernel runs by itself up to the instant that it is given, and says when it has something to do next. The card is a
// virtio network device of the protocol vhost-user (its specification is QEMU's docs/interop/vhost-user.rst) with in-band
// notifications, so each of its messages is a call that is answered before its sender goes on. So nothing that the kernel
// sees depends on how fast this side or the computer is.
//
// Every call blocks until the kernel waits again. Programs in the kernel may write what they like into the card's rings:
// what makes no sense is an error, and never reaches beyond the kernel's memory.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "simcore/sys/file_descriptor.h"

namespace simcore {

class GuestKernel {
 public:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  // Takes what the kernel sends, and when: it is called from within run() and deliver().
  class Receiver {
   public:
    virtual void take(std::int64_t at_ns, std::span<const std::uint8_t> frame) = 0;

   protected:
    ~Receiver() = default;
  };

  struct Sockets {  // Unix sockets that listen, where the kernel's command line says
    FileDescriptor clock;
    FileDescriptor card;
  };

  struct Counters {
    std::uint64_t runs = 0;
    std::uint64_t sent_frames = 0;       // by the kernel
    std::uint64_t delivered_frames = 0;  // to it
    std::uint64_t refused_frames = 0;    // it had no buffer for them
  };

  // `epoch_ns`: the wall clock of the kernel, in nanoseconds since 1970, at simulated time zero. `receiver` must outlive
  // it.
  GuestKernel(std::string name, Sockets sockets, std::int64_t epoch_ns, Receiver& receiver);
  GuestKernel(const GuestKernel&) = delete;
  GuestKernel& operator=(const GuestKernel&) = delete;
  ~GuestKernel();

  // The kernel's process, which is told apart from one that only takes long to start.
  void started(FileDescriptor pidfd) { process_ = std::move(pidfd); }

  const std::string& name() const { return name_; }

  // Waits until it has begun. It may have ended instead.
  void boot();
  bool booted() const { return booted_; }

  // When it has something to do next; kNever: only what is delivered gives it something to do, or it has ended.
  // Precondition: booted().
  std::int64_t next_ns() const;

  // Lets it go on at `at`, and do all that it has to do before `before`. Precondition: at == next_ns() < before.
  void run(std::int64_t at, std::int64_t before);

  // A frame arrives. False: it had no buffer for it. Precondition: booted(), at <= next_ns(), and not in the past.
  bool deliver(std::int64_t at, std::span<const std::uint8_t> frame);

  bool ended() const { return ended_; }
  const Counters& counters() const { return counters_; }

 private:
  struct Page;  // what both sides see of the clock

  struct Region {  // of the kernel's memory
    std::uint64_t address;
    std::uint64_t size;
    std::uint8_t* memory;
    std::size_t mapped;  // bytes from `start`
    void* start;
  };

  struct Ring {
    std::uint32_t size = 0;
    std::uint64_t descriptors = 0;
    std::uint64_t used = 0;
    std::uint64_t available = 0;
    std::uint16_t next = 0;  // of `available`
    bool enabled = false;
  };

  struct Piece {
    std::uint8_t* memory;
    std::size_t size;
  };

  struct Buffer {
    std::uint16_t head;  // of its chain
    std::size_t pieces;
  };

  void serve_until_waiting();
  void serve_clock();
  void serve_card();
  void answer_start(std::uint32_t sequence);
  void send_clock(std::uint32_t operation, std::uint32_t sequence, std::uint64_t time);
  void map_memory(std::span<const std::uint8_t> payload, std::span<const int> descriptors);
  void take_sent();
  void interrupt(std::uint32_t ring);
  bool read_or_end(int fd, std::span<std::uint8_t> into);
  void end();

  std::uint8_t* at(std::uint64_t address, std::uint64_t size);
  template <class Value>
  Value load(std::uint64_t address);
  template <class Value>
  void store(std::uint64_t address, Value value);
  bool take_buffers(Ring& ring, std::size_t size);
  std::uint16_t head_of(Ring& ring);
  void chain(const Ring& ring, std::uint16_t head, bool writable);
  void give_back(const Ring& ring, std::uint16_t head, std::uint32_t length);
  bool wants_interrupt(const Ring& ring);
  std::uint64_t now() const;

  std::string name_;
  Sockets listening_;
  std::int64_t epoch_ns_;
  Receiver& receiver_;
  FileDescriptor clock_;
  FileDescriptor card_;
  FileDescriptor requests_;  // ours to the kernel, of the card
  FileDescriptor process_;
  Page* page_ = nullptr;
  std::vector<Region> regions_;
  std::array<Ring, 2> rings_;  // what it receives, what it sends
  std::vector<Piece> pieces_;  // of the frame at hand
  std::vector<Buffer> buffers_;
  std::vector<std::uint8_t> frame_;
  std::uint32_t sequence_ = 0;
  bool booted_ = false;
  bool waiting_ = false;
  bool ended_ = false;
  Counters counters_;
};

}  // namespace simcore

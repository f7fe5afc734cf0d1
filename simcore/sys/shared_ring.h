// SPDX-License-Identifier: MIT
//
// SharedRing: records from one process of this computer to one other, through a file that both have mapped. One end
// writes, one reads; neither waits for the other.
//
//   file PATH        | positions, one page | bytes: | length | record | length | record | ...
//   FIFO PATH.wake   a byte in it wakes the reader
//
// Whoever comes first makes the two. Either end may end and come again: the positions are in the file, the writer goes on
// where the last one stopped, and a new reader skips what was written before it came. The writer wakes the reader only
// when that sleeps, so a busy reader costs no system call.
//
// A reader believes nothing: a position or a length that cannot be makes it skip everything (`damaged`).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "simcore/sys/file_descriptor.h"
#include "simcore/units/data.h"

namespace simcore {

class SharedRing {
 public:
  enum class End : std::uint8_t { reader, writer };

  static constexpr std::size_t kLargestRecord = 65'536;
  static constexpr std::size_t kLeastCapacity = std::size_t{4} * (kLargestRecord + 64);

  // `capacity` is rounded up to a power of two. Throws ConfigError when it is below kLeastCapacity, EnvironmentError when
  // the file has another size, SystemError when it cannot be made.
  SharedRing(const std::string& path, ByteCount capacity, End end);
  SharedRing(const SharedRing&) = delete;
  SharedRing& operator=(const SharedRing&) = delete;
  ~SharedRing();

  // Writer: puts in a record of two parts; false when there is no room. Precondition: 1 to kLargestRecord bytes.
  bool write(std::span<const std::uint8_t> head, std::span<const std::uint8_t> body);
  // Writer: after one or more writes.
  void wake();

  // Reader: readable when read() would return something.
  int fd() const { return wake_.get(); }
  // Reader: the records that are there, a bounded number. They stay until the next read(), and the caller may write there.
  std::span<const std::span<std::uint8_t>> read();
  // Reader: what read() would return, and its lengths.
  std::size_t waiting_bytes() const { return static_cast<std::size_t>(written() - position_); }

  std::uint64_t syscalls() const { return syscalls_; }
  std::uint64_t damaged() const { return damaged_; }  // times that everything was skipped

 private:
  struct Positions {
    alignas(64) std::atomic<std::uint64_t> written;  // bytes since the beginning
    alignas(64) std::atomic<std::uint64_t> read;
    alignas(64) std::atomic<std::uint32_t> asleep;  // the reader: wants to be woken
  };
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

  static constexpr std::size_t kPage = 4'096;

  void map(const std::string& path);
  void open_fifo(const std::string& path);
  void signal();
  std::uint64_t written() const;
  void collect(std::uint64_t written);
  std::uint8_t* at(std::uint64_t position) { return bytes_ + (position & (capacity_ - 1)); }

  std::size_t capacity_ = 0;
  FileDescriptor wake_;
  Positions* positions_ = nullptr;
  std::uint8_t* bytes_ = nullptr;
  std::uint64_t position_ = 0;  // of this end: before it publishes that
  std::vector<std::span<std::uint8_t>> records_;
  std::uint64_t syscalls_ = 0;
  std::uint64_t damaged_ = 0;
};

}  // namespace simcore

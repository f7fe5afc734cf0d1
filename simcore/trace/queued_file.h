// SPDX-License-Identifier: MIT
//
// QueuedFile: a file that a thread of its own writes, so that a slow disk stops nobody else:
//
//   put() --> [ ring of bytes, bounded ] --> thread --> file
//
// Whoever puts asks for room first and never waits; without room it goes without. One thread puts. What needs no queue,
// the beginning and the end of a file, goes past it.
//
// In virtual time, where nobody is late, the queue has no capacity: whoever puts writes the file, and waits for the disk.
#pragma once

#include <atomic>
#include <cstdint>
#include <semaphore>
#include <string>
#include <thread>
#include <vector>

#include "simcore/trace/byte_sink.h"
#include "simcore/trace/output_file.h"

namespace simcore {

class QueuedFile final : public ByteSink {
 public:
  // Makes or empties the file. `capacity`: of the queue, in bytes; 0: there is no queue and no thread. Throws
  // EnvironmentError when the file cannot be made.
  QueuedFile(const std::string& path, const std::string& what, std::size_t capacity);
  QueuedFile(const QueuedFile&) = delete;
  QueuedFile& operator=(const QueuedFile&) = delete;
  ~QueuedFile();  // writes what is queued; call finish() and close the file to learn of failures

  // The file itself: with a queue, before start() and after finish() only.
  OutputFile& file() { return file_; }

  void start();   // the thread
  void finish();  // waits until all that was put is written, and ends the thread

  enum class Room : std::uint8_t {
    yes,
    none,    // too much waits to be written
    failed,  // a write has failed, and nothing more will be written
  };
  // Whether `size` bytes can be put now.
  Room room(std::size_t size);

  // Why nothing more will be written, from when room() says so; empty: nothing has failed. Of close(), it says itself.
  std::string failure() const;

  // Precondition: there is room. The file has the bytes some time after commit().
  void put(const void* bytes, std::size_t size) override;
  void commit();

  const std::string& path() const { return file_.path(); }

 private:
  static constexpr std::size_t kCacheLine = 64;

  void write_all();

  OutputFile file_;
  std::vector<std::uint8_t> ring_;  // empty: there is no queue
  std::uint64_t put_ = 0;           // counts since the beginning, like the next two
  alignas(kCacheLine) std::atomic<std::uint64_t> filled_{0};
  alignas(kCacheLine) std::atomic<std::uint64_t> released_{0};
  std::atomic<int> error_{0};  // of a write that has failed
  std::atomic<bool> ending_{false};
  std::atomic<bool> waiting_{false};
  std::counting_semaphore<> wake_{0};
  std::thread thread_;
};

}  // namespace simcore

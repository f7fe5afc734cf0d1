// SPDX-License-Identifier: MIT
#include "simcore/trace/queued_file.h"

#include <algorithm>
#include <chrono>
#include <cstring>

namespace simcore {

namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;  // written at once

// How often the thread looks by itself. It is woken only when a quarter of the ring has filled before, so that
// who puts makes hardly ever a system call.
constexpr std::chrono::milliseconds kLook{20};

}  // namespace

QueuedFile::QueuedFile(const std::string& path, const std::string& what, std::size_t capacity)
    : file_(path, what), ring_(capacity) {}

QueuedFile::~QueuedFile() { finish(); }

void QueuedFile::start() {
  if (ring_.empty()) return;
  thread_ = std::thread([this] { write_all(); });
}

void QueuedFile::finish() {
  if (!thread_.joinable()) return;
  ending_.store(true);
  wake_.release();
  thread_.join();
}

QueuedFile::Room QueuedFile::room(std::size_t size) {
  if (ring_.empty()) return file_.failed() ? Room::failed : Room::yes;
  if (error_.load(std::memory_order_relaxed) != 0) return Room::failed;
  const std::uint64_t used = put_ - released_.load(std::memory_order_acquire);
  return size <= ring_.size() - used ? Room::yes : Room::none;
}

std::string QueuedFile::failure() const {
  const int error = ring_.empty() ? file_.error() : error_.load(std::memory_order_relaxed);
  return error == 0 ? "" : file_.failure(error);
}

void QueuedFile::put(const void* bytes, std::size_t size) {
  if (ring_.empty()) return file_.put(bytes, size);
  const auto* from = static_cast<const std::uint8_t*>(bytes);
  while (size > 0) {
    const std::size_t at = put_ % ring_.size();
    const std::size_t piece = std::min(size, ring_.size() - at);
    std::memcpy(&ring_[at], from, piece);
    put_ += piece;
    from += piece;
    size -= piece;
  }
}

void QueuedFile::commit() {
  if (ring_.empty()) return;
  filled_.store(put_, std::memory_order_release);
  const std::uint64_t used = put_ - released_.load(std::memory_order_relaxed);
  if (used > ring_.size() / 4 && waiting_.exchange(false)) wake_.release();
}

void QueuedFile::write_all() {
  while (true) {
    const bool ending = ending_.load();
    const std::uint64_t released = released_.load(std::memory_order_relaxed);
    const std::uint64_t filled = filled_.load(std::memory_order_acquire);
    if (filled == released) {
      if (ending) return;
      file_.push();  // a reader of the file sees all so far
      error_.store(file_.error(), std::memory_order_relaxed);
      waiting_.store(true);
      (void)wake_.try_acquire_for(kLook);
      waiting_.store(false);
      continue;
    }
    const std::size_t at = released % ring_.size();
    const std::size_t piece =
        std::min({kPiece, static_cast<std::size_t>(filled - released), ring_.size() - at});
    file_.put(&ring_[at], piece);
    error_.store(file_.error(), std::memory_order_relaxed);
    released_.store(released + piece, std::memory_order_release);
  }
}

}  // namespace simcore

// SPDX-License-Identifier: MIT
#include "simcore/sys/shared_ring.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cassert>
#include <cerrno>
#include <cstring>

#include "simcore/sys/checked_call.h"
#include "simcore/units/error.h"

namespace simcore {

namespace {

using Length = std::uint32_t;

constexpr Length kWrap = 0xffff'ffff;  // instead of a length: the next record is at the beginning
constexpr std::size_t kAlign = 8;
constexpr std::size_t kRecordsPerRead = 256;

constexpr std::size_t kOwnerOnly = 0600;

std::size_t space_of(std::size_t record) { return (sizeof(Length) + record + kAlign - 1) / kAlign * kAlign; }

}  // namespace

SharedRing::SharedRing(const std::string& path, ByteCount capacity, End end)
    : capacity_(std::bit_ceil(static_cast<std::size_t>(capacity.count()))) {
  if (capacity.count() < static_cast<std::int64_t>(kLeastCapacity)) {
    throw ConfigError("make ring " + path + ": " + std::to_string(capacity.count()) +
                      " bytes are too few; give it at least " + std::to_string(kLeastCapacity));
  }
  map(path);
  open_fifo(path + ".wake");
  if (end == End::writer) {
    position_ = written();
    return;
  }
  records_.reserve(kRecordsPerRead);
  position_ = written();
  positions_->read.store(position_, std::memory_order_release);
  positions_->asleep.exchange(1, std::memory_order_acq_rel);
  signal();  // what is written just now was not told
}

SharedRing::~SharedRing() {
  if (positions_ != nullptr) ::munmap(positions_, kPage + capacity_);
}

void SharedRing::map(const std::string& path) {
  const FileDescriptor file(checked(
      ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kOwnerOnly), "open ring " + path));
  struct stat status {};
  checked(::fstat(file.get(), &status), "look at ring " + path);
  const auto size = static_cast<off_t>(kPage + capacity_);
  if (status.st_size != 0 && status.st_size != size) {
    throw EnvironmentError("open ring " + path + ": it has " + std::to_string(status.st_size) +
                           " bytes, not " + std::to_string(size) +
                           "; give both instances the same ring size");
  }
  checked(::ftruncate(file.get(), size), "size ring " + path);
  void* const memory = ::mmap(nullptr, kPage + capacity_, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (memory == MAP_FAILED) throw SystemError("map ring " + path, errno);
  positions_ = static_cast<Positions*>(memory);  // zeros, at first, are good positions
  bytes_ = static_cast<std::uint8_t*>(memory) + kPage;
}

// Open for both ways: so neither end sees an end of file when the other goes.
void SharedRing::open_fifo(const std::string& path) {
  if (::mkfifo(path.c_str(), kOwnerOnly) != 0 && errno != EEXIST)
    throw SystemError("make FIFO " + path, errno);
  wake_ = FileDescriptor(
      checked(::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW), "open FIFO " + path));
}

// A full FIFO is readable as well.
void SharedRing::signal() {
  constexpr std::uint8_t kByte = 1;
  ++syscalls_;
  [[maybe_unused]] const ssize_t written = ::write(wake_.get(), &kByte, sizeof kByte);
}

bool SharedRing::write(std::span<const std::uint8_t> head, std::span<const std::uint8_t> body) {
  const std::size_t size = head.size() + body.size();
  assert(size > 0 && size <= kLargestRecord);
  const std::size_t to_end = capacity_ - (position_ & (capacity_ - 1));
  const std::size_t skipped = to_end < space_of(size) ? to_end : 0;
  const std::uint64_t taken = position_ - positions_->read.load(std::memory_order_acquire);
  if (taken + skipped + space_of(size) > capacity_) return false;
  if (skipped > 0) {
    std::memcpy(at(position_), &kWrap, sizeof kWrap);
    position_ += skipped;
  }
  const auto length = static_cast<Length>(size);
  std::uint8_t* const to = at(position_);
  std::memcpy(to, &length, sizeof length);
  std::memcpy(to + sizeof length, head.data(), head.size());
  if (!body.empty()) std::memcpy(to + sizeof length + head.size(), body.data(), body.size());
  position_ += space_of(size);
  positions_->written.store(position_, std::memory_order_release);
  return true;
}

// Either the reader sees what was written before it sleeps, or it is seen here that it sleeps: every change of `asleep` is
// an exchange, so that of two the later one sees the earlier one, and all that was written before that.
void SharedRing::wake() {
  if (positions_->asleep.exchange(0, std::memory_order_acq_rel) != 0) signal();
}

std::span<const std::span<std::uint8_t>> SharedRing::read() {
  positions_->read.store(position_, std::memory_order_release);  // of the last read()
  records_.clear();
  std::array<std::uint8_t, 16> bytes;
  ++syscalls_;
  [[maybe_unused]] const ssize_t cleared = ::read(wake_.get(), bytes.data(), bytes.size());
  const std::uint64_t begun = position_;
  while (true) {
    collect(written());
    // A part of the ring stays free, so that the writer, for whom these records are still there, can wake this end.
    if (records_.size() >= kRecordsPerRead || position_ - begun > capacity_ / 4) {
      signal();
      break;
    }
    positions_->asleep.exchange(1, std::memory_order_acq_rel);
    if (written() == position_) break;
    positions_->asleep.exchange(0, std::memory_order_acq_rel);
  }
  return records_;
}

// All positions are multiples of kAlign, whatever the file says.
std::uint64_t SharedRing::written() const {
  return positions_->written.load(std::memory_order_acquire) / kAlign * kAlign;
}

void SharedRing::collect(std::uint64_t written) {
  const std::uint64_t begun = position_;
  while (position_ != written && records_.size() < kRecordsPerRead && position_ - begun <= capacity_ / 4) {
    Length length = 0;
    const std::size_t to_end = capacity_ - (position_ & (capacity_ - 1));
    const std::uint64_t left = written - position_;
    if (left <= capacity_) std::memcpy(&length, at(position_), sizeof length);
    if (length == kWrap && to_end <= left) {
      position_ += to_end;
      continue;
    }
    if (length == 0 || length > kLargestRecord || space_of(length) > left || space_of(length) > to_end) {
      ++damaged_;
      records_.clear();
      position_ = written;
      return;
    }
    records_.emplace_back(at(position_) + sizeof length, length);
    position_ += space_of(length);
  }
}

}  // namespace simcore

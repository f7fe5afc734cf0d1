// SPDX-License-Identifier: MIT
//
// Reassembly: the receiver's stream: what is in order, what lies behind gaps, and what a SACK option says about it.
//
//   read        next                     right edge of the window
//    |--unread---|   |==|    |====|          |
//                      out-of-order ranges
//
// Ranges are kept sorted and disjoint, at most `limit` of them; what would make one more is refused and counted, and
// the peer sends it again. SACK blocks come in the order of RFC 2018 section 4: first the range that the latest segment
// fell into, then those reported most recently before; a duplicate is reported first, once (RFC 2883).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "simcore/tcp/byte_ring.h"
#include "simcore/tcp/header_options.h"

namespace simcore {

class Reassembly {
 public:
  struct Range {
    std::int64_t left;
    std::int64_t right;
    bool operator==(const Range&) const = default;
  };
  struct Taken {
    std::int64_t in_order = 0;   // bytes by which next() moved
    std::int64_t duplicate = 0;  // bytes that were here before
    bool filled_gap = false;     // out-of-order data became in order
    bool refused = false;        // the bound of ranges was reached
  };

  // `first` is the position of the first byte expected.
  Reassembly(std::int64_t first, std::uint32_t limit) : next_(first), read_(first), limit_(limit) {}

  // From now on bytes are counted and not stored, and what was stored is forgotten: nobody reads any more.
  void count_only() {
    keep_ = false;
    bytes_ = {};
  }

  // Takes payload at `position`, its first bytes in `data`, the rest virtual. Precondition: the caller has cut it to
  // the receive window.
  Taken take(std::int64_t position, std::int64_t length, std::span<const std::uint8_t> data);

  // What was here before came again and was not taken.
  void report_duplicate(Range range) { duplicate_ = range; }
  bool has_duplicate() const { return duplicate_.has_value(); }

  std::int64_t next() const { return next_; }
  std::int64_t unread() const { return next_ - read_; }
  bool has_gaps() const { return !ranges_.empty(); }
  std::span<const Range> ranges() const { return ranges_; }
  std::uint64_t refused() const { return refused_; }
  std::int64_t stored_bytes() const { return bytes_.size(); }  // memory for what is to be read

  // Hands `out.size()` or fewer unread bytes over and returns how many. Not after count_only().
  std::int64_t read(std::span<std::uint8_t> out);
  // Takes unread bytes without looking at them.
  std::int64_t discard(std::int64_t bytes);

  // The blocks to send now, at most `most`; `initial` is the sequence number of position 0. A duplicate is told once.
  SackBlocks sack_blocks(std::size_t most, SeqNum initial);

 private:
  void insert(Range range, Taken& taken);
  void remember(std::int64_t position);
  void store(std::int64_t position, std::int64_t length, std::span<const std::uint8_t> data);
  const Range* range_with(std::int64_t position) const;

  std::int64_t next_;
  std::int64_t read_;
  std::uint32_t limit_;
  bool keep_ = true;
  std::vector<Range> ranges_;
  std::array<std::int64_t, SackBlocks::kMost>
      recent_{};  // a position in each of the latest ranges, latest first
  std::uint8_t recent_count_ = 0;
  std::optional<Range> duplicate_;
  std::uint64_t refused_ = 0;
  ByteRing bytes_;
};

}  // namespace simcore

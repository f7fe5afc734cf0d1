// SPDX-License-Identifier: MIT
//
// Compressor: LZ4 for the bodies of batches, where it pays.
//
//   off    never
//   on     always tried; a body that does not shrink goes raw
//   auto   as long as it was measured to pay: the time that LZ4 takes is less than the time that sending the
//          saved bytes would have taken, both by this machine's clock. While the kernel's buffer is full the
//          wire is the bottleneck, and every byte saved pays. Otherwise every kProbe-th body is tried, to
//          notice a change.
//
// The instants are given, not fetched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "simcore/units/time.h"

namespace simcore::peering {

enum class Compression : std::uint8_t { off, on, automatic };

class Compressor {
 public:
  static constexpr unsigned kProbe = 64;

  Compressor(Compression mode, std::function<SimTime()> wall_now);

  // Compresses `body` in place when that pays, and says whether it did. `wire_is_full`: earlier
  // batches are waiting.
  bool compress(std::vector<std::uint8_t>& body, bool wire_is_full);

  // What sending `bytes` took, for `automatic`.
  void sent(std::size_t bytes, Duration took);

  std::uint64_t raw_bytes() const { return raw_bytes_; }          // of the bodies that were compressed
  std::uint64_t carried_bytes() const { return carried_bytes_; }  // what they became

 private:
  Compression mode_;
  std::function<SimTime()> wall_now_;
  std::vector<std::uint8_t> output_;
  bool pays_ = false;
  unsigned bodies_ = 0;
  double send_ns_per_byte_ = 0.0;  // moving average
  std::uint64_t raw_bytes_ = 0;
  std::uint64_t carried_bytes_ = 0;
};

// Decompresses `body` into `raw`, whose size is what it must become. False when it is not such a block.
bool decompress(std::span<const std::uint8_t> body, std::span<std::uint8_t> raw);

}  // namespace simcore::peering

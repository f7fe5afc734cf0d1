// SPDX-License-Identifier: MIT
//
// TcpHeaderOptions: the options of one TCP header, parsed and written.
//
//   kind 0 end   1 no operation   2 maximum segment size (RFC 9293)   3 window scale (RFC 7323)
//   4 SACK permitted, 5 SACK (RFC 2018)   8 timestamps (RFC 7323)
//
// Unknown kinds are skipped, as RFC 9293 section 3.1 asks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "simcore/tcp/seq_num.h"
#include "simcore/units/time.h"

namespace simcore {

// What the receiver holds from `left` up to, not including, `right`.
struct SackBlock {
  SeqNum left{0};
  SeqNum right{0};
  constexpr bool operator==(const SackBlock&) const = default;
};

struct SackBlocks {
  static constexpr std::size_t kMost = 4;

  std::array<SackBlock, kMost> block{};
  std::uint8_t count = 0;

  std::span<const SackBlock> used() const { return {block.data(), count}; }
  // Precondition: count < kMost.
  void add(SackBlock added) { block[count++] = added; }
};

constexpr Duration kTimestampTick = Duration::ms(1);  // within the bounds of RFC 7323 section 5.4

struct TcpTimestamps {
  std::uint32_t value = 0;
  std::uint32_t echo = 0;
  constexpr bool operator==(const TcpTimestamps&) const = default;
};

struct TcpHeaderOptions {
  std::optional<std::uint16_t> mss;
  std::optional<std::uint8_t> window_scale;
  bool sack_permitted = false;
  std::optional<TcpTimestamps> timestamps;
  SackBlocks sack;

  // Bytes that write() takes, a multiple of four.
  std::size_t size() const;

  // Writes the options, padded, to the start of `out` in the arrangement of Linux (net/ipv4/tcp_output.c), so that a
  // data segment's timestamps are where fast paths look for them. Returns size(). Precondition: out.size() >= size().
  std::size_t write(std::span<std::uint8_t> out) const;

  // The options in `area`, or nothing when one is malformed (a length that does not fit).
  static std::optional<TcpHeaderOptions> parse(std::span<const std::uint8_t> area);
};

}  // namespace simcore

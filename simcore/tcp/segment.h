// SPDX-License-Identifier: MIT
//
// TcpSegment: what the TCP state machine takes and gives: a parsed header and a payload, or a train of such.
//
// A train is `segments` segments with the same header fields; segment k begins k * segment_payload bytes further and
// only the last may be shorter and carries FIN and PSH. The receiver acts per segment, not per train.
//
// Payload: `length` bytes, of which those in `data` come first and the rest is virtual: it counts and reads as zeros.
// A segment given by the state machine has no `data`; its bytes, when they are real, are copied from the send buffer
// by TcpConnection::copy_payload, straight to where they are wanted.
#pragma once

#include <cstdint>
#include <span>

#include "simcore/tcp/header_options.h"
#include "simcore/tcp/seq_num.h"

namespace simcore {

enum class TcpFlag : std::uint8_t {
  fin = 0x01,
  syn = 0x02,
  rst = 0x04,
  psh = 0x08,
  ack = 0x10,
  urg = 0x20,
  ece = 0x40,
  cwr = 0x80,
};

class TcpFlags {
 public:
  constexpr TcpFlags() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): one flag is a set of flags
  constexpr TcpFlags(TcpFlag flag) : bits_(static_cast<std::uint8_t>(flag)) {}
  static constexpr TcpFlags from_header(std::uint8_t bits) { return TcpFlags(bits); }

  constexpr bool has(TcpFlag flag) const { return (bits_ & static_cast<std::uint8_t>(flag)) != 0; }
  constexpr std::uint8_t to_header() const { return bits_; }
  constexpr TcpFlags operator|(TcpFlags other) const {
    return TcpFlags(static_cast<std::uint8_t>(bits_ | other.bits_));
  }
  constexpr TcpFlags without(TcpFlag flag) const {
    return TcpFlags(static_cast<std::uint8_t>(bits_ & ~static_cast<std::uint8_t>(flag)));
  }
  constexpr bool operator==(const TcpFlags&) const = default;

 private:
  explicit constexpr TcpFlags(std::uint8_t bits) : bits_(bits) {}

  std::uint8_t bits_ = 0;
};

constexpr TcpFlags operator|(TcpFlag a, TcpFlag b) { return TcpFlags(a) | TcpFlags(b); }

// The ECN field of the IP header (RFC 3168 section 5).
enum class EcnCodepoint : std::uint8_t { not_ect = 0, ect1 = 1, ect0 = 2, ce = 3 };

struct TcpSegment {
  SeqNum seq{0};
  SeqNum ack{0};
  TcpFlags flags;
  std::uint16_t window = 0;  // as in the header: not scaled
  TcpHeaderOptions options;
  EcnCodepoint ecn = EcnCodepoint::not_ect;

  std::uint32_t length = 0;    // payload bytes of all segments
  std::uint16_t segments = 1;  // of a train; a single segment has 1
  std::uint16_t segment_payload =
      0;  // bytes in every segment of a train but the last; of a single one, its length
  std::span<const std::uint8_t> data;

  std::int64_t payload_position =
      0;  // of a segment that is given: where its payload begins in the send buffer

  bool has(TcpFlag flag) const { return flags.has(flag); }
  // Sequence numbers it takes: its payload, and one each for SYN and FIN.
  std::uint32_t sequence_length() const {
    return length + (has(TcpFlag::syn) ? 1 : 0) + (has(TcpFlag::fin) ? 1 : 0);
  }
};

// The reset that answers a segment for which there is no connection (RFC 9293 section 3.10.7.1). Precondition: the
// segment is not itself a reset.
TcpSegment reset_for(const TcpSegment& segment);

}  // namespace simcore

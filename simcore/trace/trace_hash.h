// SPDX-License-Identifier: MIT
//
// TraceHash: a number that stands for all packets that passed a place: which, in which order, and when. Two runs whose
// numbers are equal at every place had the same trace, byte for byte, but for a chance of one in 2^64.
//
// Each packet's instants, number, description and stored bytes are mixed in, eight bytes at a time, by multiplication and
// rotation. The function is this file's own, and for comparison only: who wants to, can make two traces of one hash.
#pragma once

#include <cstdint>

#include "simcore/packet/packet.h"

namespace simcore {

class TraceHash final : public PacketSink {
 public:
  struct Digest {
    std::uint64_t hash = 0x243f6a8885a308d3U;  // of nothing
    std::uint64_t packets = 0;                 // a train counts as one

    bool operator==(const Digest&) const = default;
  };

  // Goes on from `before`. `next` must outlive it.
  TraceHash(PacketSink& next, const Digest& before) : next_(next), digest_(before) {}

  void accept(PacketPtr packet) override;

  const Digest& digest() const { return digest_; }

 private:
  PacketSink& next_;
  Digest digest_;
};

}  // namespace simcore

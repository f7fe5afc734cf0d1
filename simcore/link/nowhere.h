// SPDX-License-Identifier: MIT
//
// Nowhere: where packets go that nobody gets. It counts them; whoever leads them there counts them as dropped, and why.
#pragma once

#include <cstdint>

#include "simcore/packet/packet.h"

namespace simcore {

class Nowhere final : public PacketSink {
 public:
  void accept(PacketPtr packet) override {
    packets_ += packet->segments;
    bytes_ += static_cast<std::uint64_t>(packet->wire_size().count());
  }

  std::uint64_t packets() const { return packets_; }  // segments
  std::uint64_t bytes() const { return bytes_; }      // of them, on a wire

 private:
  std::uint64_t packets_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace simcore

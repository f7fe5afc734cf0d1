// SPDX-License-Identifier: MIT
//
// UdpFlow: what the receiver of numbered datagrams counts: loss, reordering, and jitter (RFC 3550 section 6.4.1).
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "simcore/units/time.h"

namespace simcore {

class UdpFlow {
 public:
  // Datagram `sequence`, counted from 1, which says that it was sent at `sent` by the sender's clock.
  void add(std::int64_t sequence, SimTime sent, SimTime arrival, std::size_t bytes) {
    ++datagrams_;
    bytes_ += static_cast<std::int64_t>(bytes);
    if (sequence > highest_) {
      missing_ += sequence - highest_ - 1;
      highest_ = sequence;
    } else {
      // One that was counted as missing came after all; a duplicate cannot be told from it here.
      ++out_of_order_;
      if (missing_ > 0) --missing_;
    }
    // The two clocks may be decades apart: their difference drops out before anything is rounded.
    const std::uint64_t transit =
        static_cast<std::uint64_t>(arrival.count_ns()) - static_cast<std::uint64_t>(sent.count_ns());
    const auto change = static_cast<std::int64_t>(transit - last_transit_);
    if (datagrams_ > 1) jitter_ns_ += (std::abs(static_cast<double>(change)) - jitter_ns_) / 16;
    last_transit_ = transit;
  }

  std::int64_t datagrams() const { return datagrams_; }
  std::int64_t bytes() const { return bytes_; }
  std::int64_t highest() const { return highest_; }
  std::int64_t missing() const { return missing_; }
  std::int64_t out_of_order() const { return out_of_order_; }
  double jitter_ns() const { return jitter_ns_; }

 private:
  std::int64_t datagrams_ = 0;
  std::int64_t bytes_ = 0;
  std::int64_t highest_ = 0;
  std::int64_t missing_ = 0;
  std::int64_t out_of_order_ = 0;
  double jitter_ns_ = 0;
  std::uint64_t last_transit_ = 0;  // ns, modulo 2^64
};

}  // namespace simcore

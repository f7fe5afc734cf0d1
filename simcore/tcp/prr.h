// SPDX-License-Identifier: MIT
//
// ProportionalRateReduction: how the window shrinks during a recovery (RFC 6937).
//
// While more than ssthresh is in the network, ssthresh/RecoverFS bytes are sent for each one delivered; below, the
// window grows back, by the slow start reduction bound, which the RFC recommends. Linux, and RFC 9937 that follows it,
// let it grow by one segment more than was delivered only where the acknowledgement moves SND.UNA and tells no new loss;
// else it is held at what was delivered (tcp_cwnd_reduction).
#pragma once

#include <algorithm>
#include <cstdint>

namespace simcore {

class ProportionalRateReduction {
 public:
  // `flight` is what was outstanding when the loss was found: RecoverFS.
  void start(std::int64_t flight) {
    flight_ = std::max<std::int64_t>(flight, 1);
    delivered_ = 0;
    sent_ = 0;
  }

  void on_sent(std::int64_t bytes) { sent_ += bytes; }

  // Nothing was sent since it began: what is lost first goes out in any case.
  bool nothing_sent() const { return sent_ <= 0; }

  // The congestion window after an acknowledgement that delivered `delivered` bytes. What may be sent in proportion is
  // rounded up to whole units of `unit` bytes; `more` is what may be sent beyond what was delivered, below ssthresh.
  std::int64_t window(std::int64_t delivered, std::int64_t pipe, std::int64_t ssthresh, std::int64_t unit,
                      std::int64_t more) {
    delivered_ += delivered;
    std::int64_t allowed = 0;
    if (pipe > ssthresh) {
      const auto share = static_cast<__int128>(delivered_) * ssthresh;
      const __int128 flight_in_units = static_cast<__int128>(flight_) * unit;
      allowed = static_cast<std::int64_t>((share + flight_in_units - 1) / flight_in_units) * unit - sent_;
    } else {
      const std::int64_t bound = std::max(delivered_ - sent_, delivered) + more;
      allowed = std::min(ssthresh - pipe, bound);
    }
    return pipe + std::max<std::int64_t>(allowed, 0);
  }

 private:
  std::int64_t flight_ = 1;
  std::int64_t delivered_ = 0;
  std::int64_t sent_ = 0;
};

}  // namespace simcore

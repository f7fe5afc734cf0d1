// SPDX-License-Identifier: MIT
//
// Ledbat: low extra delay background transport (RFC 6817): it holds the queue at 100 ms and yields to everybody else.
//
//   queueing = smallest of the latest four round trips - smallest of the last ten minutes
//   cwnd += MSS * bytes acknowledged / cwnd * (100 ms - queueing) / 100 ms      per acknowledgement, also downwards
//   cwnd <= what was in flight + 1 segment, unless it held the sender back; cwnd >= 2 segments
//   loss: half; timeout: one segment
//
// There is no slow start. Deviation: the RFC's delay is that of one way, as the receiver measures it; TCP tells of round
// trips, so a queue on the way of the acknowledgements counts too (as in LEDBAT++, draft-irtf-iccrg-ledbat-plus-plus).
#pragma once

#include <array>
#include <cstdint>

#include "simcore/tcp/congestion_control.h"

namespace simcore {

class Ledbat final : public CongestionControl {
 public:
  void observe(const AckSample& sample) override;
  void on_ack(const AckSample& sample, CongestionWindow& window) override;
  std::int64_t reduced(CongestionEvent event, const CongestionWindow& window, std::int64_t flight,
                       SimTime now) override;

  // Zero before the first round trip was measured.
  Duration queueing() const;

 private:
  static constexpr std::size_t kMinutes = 10;  // BASE_HISTORY
  static constexpr std::size_t kLatest = 4;    // CURRENT_FILTER

  struct Delay {
    Duration smallest = Duration::infinite();
  };

  std::array<Delay, kMinutes> base_;  // of each minute
  std::array<Delay, kLatest> latest_;
  std::size_t minute_ = 0;
  std::size_t next_ = 0;
  SimTime minute_end_ = SimTime::zero();
  double growth_ = 0;  // bytes that the window has not got yet
};

}  // namespace simcore

// SPDX-License-Identifier: MIT
//
// Yeah: YeAH-TCP, fast while the queue is short and Reno when it is not (Baiocchi, Castellani and Vacirca, "YeAH-TCP: Yet
// Another Highspeed TCP", 2007; Linux net/ipv4/tcp_yeah.c).
//
//   queue = cwnd * (rtt - base) / rtt, with the smallest round trips (as Vegas measures them), once a round trip
//
//   fast   queue <= 80 segments and rtt - base <= base / 8: grows as Scalable
//   slow   else: grows as Reno; with more than 80 segments queued the window gives them back, half of it at most, but
//          not below what Reno would have by now
//   loss   after fewer than 16 slow round trips in a row: gives back the queue, an eighth to a half of the window; else a
//          half, because there are others who fill the queue
#pragma once

#include "simcore/tcp/credited_growth.h"
#include "simcore/tcp/reno.h"
#include "simcore/tcp/round_trips.h"

namespace simcore {

class Yeah final : public Reno {
 public:
  explicit Yeah(const TcpOptions& options) : Reno(options) {}

  void observe(const AckSample& sample) override { rounds_.observe(sample); }
  void on_ack(const AckSample& sample, CongestionWindow& window) override;
  std::int64_t reduced(CongestionEvent event, const CongestionWindow& window, std::int64_t flight,
                       SimTime now) override;
  void on_recovery_end(CongestionWindow&, SimTime, bool) override { rounds_.start_afresh(); }
  void on_sending_starts(const SendingStart&, CongestionWindow&) override { rounds_.forget(); }

  bool fast() const { return slow_rounds_ == 0; }

 protected:
  void avoid_congestion(std::int64_t acked, CongestionWindow& window) override;

 private:
  void judge(CongestionWindow& window);

  RoundTrips rounds_;
  CreditedGrowth growth_;
  std::int64_t queued_ = 0;  // segments, in the latest round trip
  std::int64_t slow_rounds_ = 0;
  std::int64_t fast_rounds_ = 0;  // since the last loss
  std::int64_t reno_ = 2;         // segments that Reno would have
};

}  // namespace simcore

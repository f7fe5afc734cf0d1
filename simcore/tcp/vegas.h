// SPDX-License-Identifier: MIT
//
// Vegas: congestion avoidance by delay (Brakmo and Peterson, "TCP Vegas: End to End Congestion Avoidance on a Global
// Internet", 1995), with the parameters of Linux net/ipv4/tcp_vegas.c: alpha 2, beta 4, gamma 1 segments.
//
// Once a round trip the segments that wait in queues are estimated as diff = cwnd * (rtt - base) / rtt. Fewer than
// alpha: one segment more; more than beta: one less; in slow start, more than gamma: it ends. With fewer than three
// samples in a round trip it behaves as Reno.
#pragma once

#include "simcore/tcp/reno.h"

namespace simcore {

class Vegas final : public Reno {
 public:
  explicit Vegas(const TcpOptions& options) : Reno(options), start_of_linux_(options.start_of_linux) {}

  void on_ack(const AckSample& sample, CongestionWindow& window) override;
  std::int64_t reduced(CongestionEvent event, const CongestionWindow& window, std::int64_t flight,
                       SimTime now) override;
  // Linux trusts no round trip from before a pause (tcp_vegas_cwnd_event).
  void on_sending_starts(const SendingStart& start, CongestionWindow& window) override;

 private:
  void end_round(const AckSample& sample, CongestionWindow& window);

  bool start_of_linux_;
  std::int64_t latest_sent_ = 0;  // snd_nxt at the latest acknowledgement
  Duration base_rtt_ = Duration::infinite();
  Duration round_rtt_ = Duration::infinite();  // smallest of this round trip
  int samples_ = 0;
  std::int64_t round_end_ = 0;  // position whose acknowledgement ends the round trip
};

}  // namespace simcore

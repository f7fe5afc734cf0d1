// SPDX-License-Identifier: MIT
//
// TcpBackground: n equal TCP flows with endless data, as their mean window W (segments) in the fluid equations of Misra,
// Gong and Towsley ("Fluid-based Analysis of a Network of AQM Routers Supporting TCP Flows", SIGCOMM 2000). With the
// round trip R = round_trip + what waits in this queue, and the share p that the queue loses:
//
//   Reno    dW/dt = 1 / R(t) - W(t) / 2 * L(t)                    L(t) = W(t - R) / R(t - R) * p(t - R): losses per second
//
//   CUBIC   W = c (s - K)^3 + W_max, K = cbrt(W_max b / c)        ds/dt = 1 - s L,  dW_max/dt = (W - W_max) L
//           (Vardoyan, Hollot and Towsley, "Towards Stability Analysis of Data Transport Mechanisms", 2018; c = 0.4 and
//           b = 0.3 are those of RFC 9438; s: seconds since the last loss)
//
//   rate    n W segment / R(t)
//
// At a constant p Reno's window comes to sqrt(2 / p): the square-root law of flows whose losses come at
// random; with evenly spaced losses it is sqrt(3 / (2 p)), 13 % less. CUBIC's comes to (R / p)^(3/4) (c / b)^(1/4), slowly: its
// plateau is flat, and after five minutes up to a tenth is missing.
//
// Euler's method with a fixed step: a tenth of `round_trip`, which is at most a tenth of R. Of the past the source keeps
// 16,384 steps; a round trip that is longer counts as that long.
//
// Left out: slow start and timeouts (a window is at least one segment), the receiver's window, CUBIC's friendliness to Reno,
// acknowledgements (nothing flows in the other direction), and the differences between the flows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "simcore/link/background.h"

namespace simcore {

template <class T>
class OptionTable;

class TcpBackground final : public BackgroundSource {
 public:
  enum class Congestion : std::uint8_t { reno, cubic };

  struct Config {
    std::int64_t flows = 1;                       // 1 to 1,000,000
    Duration round_trip = Duration::ms(100);      // without this queue; 100 us to 10 s
    ByteCount segment = ByteCount::bytes(1'500);  // on the wire, headers included; 64 to 65,536
    Congestion congestion = Congestion::reno;

    static const OptionTable<Config>& options();
  };

  // Throws ConfigError when a value is out of its range.
  explicit TcpBackground(const Config& config);

  FluidPiece next(SimTime now, const FluidFeedback& seen) override;

  double window() const { return window_; }  // segments, the mean of a flow
  Duration step() const { return step_; }

 private:
  double losses_before(double round_trip) const;
  void follow_reno(double round_trip, double losses);
  void follow_cubic(double losses);

  Config config_;
  Duration step_;
  double window_ = 1.0;
  double window_at_loss_ = 1.0;  // CUBIC's W_max
  double since_loss_ = 0.0;      // CUBIC's s (s)
  std::vector<double> losses_;   // of a flow, per second, in each step; a ring
  std::uint64_t steps_ = 0;
};

BackgroundModel tcp_background(const TcpBackground::Config& config);

}  // namespace simcore

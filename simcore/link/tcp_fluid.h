// SPDX-License-Identifier: MIT
//
// TcpFluid: the mean window W (segments) of equal TCP flows with endless data, in the fluid equations of Misra,
// Gong and Towsley ("Fluid-based Analysis of a Network of AQM Routers Supporting TCP Flows", SIGCOMM 2000). With the
// round trip R and the losses L of a flow per second that it learns of now, those of a round trip ago:
//
//   Reno    dW/dt = 1 / R - W / 2 * L
//
//   CUBIC   W = c (s - K)^3 + W_max, K = cbrt(W_max b / c)        ds/dt = 1 - s L,  dW_max/dt = (W - W_max) L
//           (Vardoyan, Hollot and Towsley, "Towards Stability Analysis of Data Transport Mechanisms", 2018; c = 0.4 and
//           b = 0.3 are those of RFC 9438; s: seconds since the last loss)
//
// and at least Reno's way from the last loss on, (1 - b) W_max + 3 b / (2 - b) s / R (RFC 9438 section 4.3).
//
// A flow sends W segments in each R. Where a share p of them is lost, L(t) = W(t - R) / R(t - R) * p(t - R).
//
// At a constant p Reno's window comes to sqrt(2 / p): the square-root law of flows whose losses come at
// random; with evenly spaced losses it is sqrt(3 / (2 p)), 13 % less. CUBIC's comes to (R / p)^(3/4) (c / b)^(1/4), slowly: its
// plateau is flat, and after five minutes up to a tenth is missing; or, where that is less, to Reno's.
//
// Euler's method, with steps of the caller's.
//
// Left out: slow start and timeouts (a window is at least one segment), the receiver's window, acknowledgements (nothing
// flows in the other direction), and the differences between the flows.
#pragma once

#include <cstdint>

namespace simcore {

class TcpFluid {
 public:
  enum class Congestion : std::uint8_t { reno, cubic };

  explicit TcpFluid(Congestion congestion = Congestion::reno) : congestion_(congestion) {}

  // Goes on for `step` seconds, at most a tenth or so of `round_trip`, also in seconds. `losses`: of a flow, per second.
  void follow(double step, double round_trip, double losses);

  // Nothing comes back any more, for longer than a round trip: the least window, as after timeouts.
  void stall();

  // Goes on with this window, at least 1, as after a loss.
  void go_on(double window);

  // What it sends, segments per second.
  double rate(double round_trip) const { return window_ / round_trip; }

  double window() const { return window_; }  // segments, the mean of a flow: at least 1

 private:
  void follow_cubic(double step, double round_trip, double losses);

  Congestion congestion_;
  double window_ = 1.0;
  double window_at_loss_ = 1.0;  // CUBIC's W_max
  double since_loss_ = 0.0;      // CUBIC's s (s)
};

}  // namespace simcore

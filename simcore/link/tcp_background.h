// SPDX-License-Identifier: MIT
//
// TcpBackground: n equal TCP flows with endless data beside a single queue, as a fluid (tcp_fluid.h). Their round trip is
// R = round_trip + what waits in this queue, they lose the share that the queue loses, learn of it after R, and send
//
//   n W segment / R(t)
//
// Fixed steps: a tenth of `round_trip`, which is at most a tenth of R. Of the past the source keeps
// 16,384 steps; a round trip that is longer counts as that long.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "simcore/link/background.h"
#include "simcore/link/tcp_fluid.h"

namespace simcore {

template <class T>
class OptionTable;

class TcpBackground final : public BackgroundSource {
 public:
  using Congestion = TcpFluid::Congestion;

  struct Config {
    std::int64_t flows = 1;  // 1 to 1,000,000
    std::optional<Duration> round_trip =
        std::nullopt;                             // without this queue; 100 us to 10 s; none: a way gives it
    ByteCount segment = ByteCount::bytes(1'500);  // on the wire, headers included; 64 to 65,536
    Congestion congestion = Congestion::reno;

    static const OptionTable<Config>& options();
  };

  // Throws ConfigError when a value is out of its range, or there is no round trip.
  explicit TcpBackground(const Config& config);

  FluidPiece next(SimTime now, const FluidFeedback& seen) override;

  double window() const { return tcp_.window(); }  // segments, the mean of a flow
  Duration step() const { return step_; }

 private:
  double losses_before(double round_trip) const;

  Config config_;
  Duration step_;
  TcpFluid tcp_;
  std::vector<double> losses_;  // of a flow, per second, in each step; a ring
  std::uint64_t steps_ = 0;
};

// Throws ConfigError when a value is out of its range.
void check_tcp_flows(const TcpBackground::Config& config);

BackgroundModel tcp_background(const TcpBackground::Config& config);

}  // namespace simcore

// SPDX-License-Identifier: MIT
//
// SessionBackground: sessions that begin at random (a Poisson process), each with a size of its own.
//
//   no peak            a session's bytes come all at once: what waits is an M/G/1 queue
//   peak               each session sends at this rate until it has sent all: M/G/infinity sessions are there at a time
//   peak and sharing   all sessions together send at this rate while there is one, however they divide it: processor
//                      sharing and first come first served have the same work to do, so nobody needs to know how
//
// Sizes: fixed; exponential; Pareto with the tail 1 - F(x) = (least / x)^shape, which has no variance for shape <= 2, and of
// which the mean is what is given. No session is larger than 1 TiB.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "simcore/link/background.h"

namespace simcore {

template <class T>
class OptionTable;

class SessionBackground final : public BackgroundSource {
 public:
  enum class Sizes : std::uint8_t { fixed, exponential, pareto };

  struct Config {
    double per_second = 1.0;                    // sessions that begin: 0.000001 to 1,000,000
    ByteCount size = ByteCount::bytes(10'000);  // mean; 1 to 2^40
    Sizes sizes = Sizes::exponential;
    double shape = 1.5;                           // Pareto's: above 1, at most 100
    std::optional<DataRate> peak = std::nullopt;  // with it at most 100,000 sessions are there on average
    bool sharing = false;

    static const OptionTable<Config>& options();
  };

  // Throws ConfigError when a value is out of its range, or sharing has no peak.
  SessionBackground(const Config& config, const RandomStream& random);

  FluidPiece next(SimTime now, const FluidFeedback& seen) override;

  // That are there now; with sharing: 1, if there are any.
  std::size_t active() const { return ends_.size(); }

 private:
  ByteCount draw_size();
  void begin(ByteCount size, SimTime now);

  Config config_;
  RandomStream random_;
  SimTime next_begins_ = SimTime::never();  // never: it has not begun
  std::vector<SimTime> ends_;               // a heap, the soonest first
};

BackgroundModel session_background(const SessionBackground::Config& config);

}  // namespace simcore

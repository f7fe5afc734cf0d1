// SPDX-License-Identifier: MIT
//
// OnOffBackground: flows that send at a rate for an exponentially distributed time, are silent for another, and so on, each on
// its own. All of them are one source: only how many are on matters, which is a birth and death process.
//
//   k on --(flows - k) / mean_off--> k + 1 on      k on --k / mean_on--> k - 1 on
//
// It begins in equilibrium: each flow is on with the probability mean_on / (mean_on + mean_off).
#pragma once

#include <cstdint>
#include <memory>

#include "simcore/link/background.h"

namespace simcore {

template <class T>
class OptionTable;

class OnOffBackground final : public BackgroundSource {
 public:
  struct Config {
    DataRate rate = DataRate::bps(1);          // of one flow that is on; of all at most kMostFluidRate
    Duration mean_on = Duration::seconds(1);   // >= 1 us
    Duration mean_off = Duration::seconds(1);  // >= 1 us
    std::int64_t flows = 1;                    // 1 to 100,000

    static const OptionTable<Config>& options();
  };

  // Throws ConfigError when a value is out of its range.
  OnOffBackground(const Config& config, const RandomStream& random);

  FluidPiece next(SimTime now, const FluidFeedback& seen) override;

 private:
  Config config_;
  RandomStream random_;
  std::int64_t on_ = -1;  // flows; -1: it has not begun
  bool grows_ = false;    // what happens when the piece ends
};

BackgroundModel on_off_background(const OnOffBackground::Config& config);

}  // namespace simcore

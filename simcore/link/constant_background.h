// SPDX-License-Identifier: MIT
//
// ConstantBackground: the same rate, always. Packets that always wait get what it leaves of the link.
#pragma once

#include <memory>

#include "simcore/link/background.h"

namespace simcore {

template <class T>
class OptionTable;

class ConstantBackground final : public BackgroundSource {
 public:
  struct Config {
    DataRate rate = DataRate::bps(1);  // >= 1 bit/s, at most kMostFluidRate

    static const OptionTable<Config>& options();
  };

  // Throws ConfigError when the rate is out of its range.
  explicit ConstantBackground(const Config& config);

  FluidPiece next(SimTime now, const FluidFeedback& seen) override;

 private:
  Config config_;
};

BackgroundModel constant_background(const ConstantBackground::Config& config);

}  // namespace simcore

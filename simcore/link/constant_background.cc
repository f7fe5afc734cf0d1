// SPDX-License-Identifier: MIT
#include "simcore/link/constant_background.h"

#include <string>

#include "simcore/options/option_table.h"
#include "simcore/units/error.h"

namespace simcore {

ConstantBackground::ConstantBackground(const Config& config) : config_(config) {
  const std::int64_t rate = config.rate.bits_per_second();
  if (rate >= 1 && rate <= kMostFluidRate) return;
  throw ConfigError("make constant background: the rate is " + std::to_string(rate) +
                    " bit/s; write 1 bit/s to 10 Tbit/s");
}

FluidPiece ConstantBackground::next(SimTime, const FluidFeedback&) {
  return {.bits_per_second = config_.rate.bits_per_second()};
}

const OptionTable<ConstantBackground::Config>& ConstantBackground::Config::options() {
  using C = Config;
  static const OptionTable<C> table("constant_rate", "always the same rate", {},
                                    {{"rate", &C::rate, {.help = "of the background", .required = true}}});
  return table;
}

BackgroundModel constant_background(const ConstantBackground::Config& config) {
  [[maybe_unused]] const ConstantBackground checked(config);
  return [config](const RandomStream&) { return std::make_unique<ConstantBackground>(config); };
}

}  // namespace simcore

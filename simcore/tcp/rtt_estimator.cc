// SPDX-License-Identifier: MIT
#include "simcore/tcp/rtt_estimator.h"

#include "simcore/options/option_table.h"

namespace simcore {

const OptionTable<RttEstimator::Config>& RttEstimator::Config::options() {
  using C = Config;
  static const OptionTable<C> table(
      "rto", "the retransmission timer (RFC 6298)", C{},
      {
          {"initial_rto", &C::initial_rto, {.help = "before the first round trip was measured", .least = 1}},
          {"minimum_rto", &C::minimum_rto, {.help = "no timeout is shorter", .least = 1}},
          {"maximum_rto", &C::maximum_rto, {.help = "no timeout is longer, however often it was doubled"}},
          {"granularity", &C::granularity, {.help = "of the clock that measures: G of RFC 6298"}},
          {"variance_of_linux",
           &C::variance_of_linux,
           {.help = "the variance is the largest of a round trip, falls slowly, and has the minimum, as in "
                    "Linux; "
                    "false: RFC 6298, the minimum is of the whole timeout"}},
      });
  return table;
}

}  // namespace simcore

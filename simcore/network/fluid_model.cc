// SPDX-License-Identifier: MIT
#include "simcore/network/fluid_model.h"

#include "simcore/link/constant_background.h"
#include "simcore/link/on_off_background.h"
#include "simcore/link/session_background.h"
#include "simcore/options/option_table.h"
#include "simcore/units/error.h"

namespace simcore {

namespace {

TcpBackground::Config on_its_way(const TcpBackground::Config& config) {
  check_tcp_flows(config);
  if (!config.round_trip) return config;
  throw ConfigError("make tcp_flows: the round trip follows from the way of the flows; leave round_trip out");
}

}  // namespace

const OptionFamily<FluidModel>& fluid_models() {
  using M = FluidModel;
  static const OptionFamily<M> family(
      "fluid", "model",
      {
          model<M>(ConstantBackground::Config::options(), constant_background),
          model<M>(OnOffBackground::Config::options(), on_off_background),
          model<M>(SessionBackground::Config::options(), session_background),
          model<M>(TcpBackground::Config::options(), on_its_way),
      });
  return family;
}

}  // namespace simcore

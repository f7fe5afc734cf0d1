// SPDX-License-Identifier: MIT
// Built for a later version of the interface.
#include "simcore/plugin/plugin.h"

extern "C" const hybridnet_model* hybridnet_plugin() {
  static const hybridnet_model model = [] {
    hybridnet_model later{};
    later.abi = HYBRIDNET_PLUGIN_ABI + 1;
    return later;
  }();
  return &model;
}

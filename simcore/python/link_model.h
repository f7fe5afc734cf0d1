// SPDX-License-Identifier: MIT
//
// A direction of a plan's link as the model that simcore makes of it.
#pragma once

#include <nanobind/nanobind.h>

#include "simcore/network/link_model.h"

namespace simcore::python {

// The keys are those of a direction in hybridnet/schema/instance.json, against which it was checked. Throws ConfigError.
LinkModel link_model(const nanobind::dict& from);

}  // namespace simcore::python

// SPDX-License-Identifier: MIT
//
// Applications from Python: the kinds and keys of hybridnet/schema/instance.json become typed values.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "simcore/application/applications.h"

namespace simcore::python {

// Throws ConfigError when the kind, an address or a TCP preset is unknown.
ApplicationConfig application(const std::string& kind, const nanobind::dict& options);

}  // namespace simcore::python

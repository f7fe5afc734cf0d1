// SPDX-License-Identifier: MIT
//
// Options between Python and simcore's tables.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "simcore/options/option_value.h"

namespace simcore::python {

// Throws ConfigError, which begins with `place`, when it is nothing that JSON can say.
OptionValue option_value(nanobind::handle from, const std::string& place);

nanobind::object object_of(const OptionValue& from);

}  // namespace simcore::python

// SPDX-License-Identifier: MIT
//
// A direction of a plan's link as the model that simcore makes of it.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <string>

#include "simcore/network/link_model.h"

namespace simcore::python {

// By the table of LinkOptions. Throws ConfigError, which begins with `place`.
LinkModel link_model(const nanobind::dict& from, const std::string& place);

// The same of a direction that changes; none of one that does not.
std::optional<LinkModel> changed_model(const std::optional<nanobind::dict>& from, const std::string& place);

}  // namespace simcore::python

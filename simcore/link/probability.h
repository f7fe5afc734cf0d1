// SPDX-License-Identifier: MIT
//
// The check that every model with a probability makes.
#pragma once

#include <string>

#include "simcore/units/error.h"

namespace simcore {

// Throws ConfigError unless 0 <= value <= 1; `model` and `what` say what the value is.
inline void require_probability(const std::string& model, const std::string& what, double value) {
  if (value >= 0 && value <= 1) return;
  throw ConfigError("make " + model + ": " + what + " is " + std::to_string(value) +
                    "; a probability lies between 0 and 1");
}

}  // namespace simcore

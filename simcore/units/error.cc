// SPDX-License-Identifier: MIT
#include "simcore/units/error.h"

#include <system_error>

namespace simcore {

SystemError::SystemError(const std::string& attempt, int error_number)
    : Error(attempt + ": " + std::generic_category().message(error_number)), error_number_(error_number) {}

}  // namespace simcore

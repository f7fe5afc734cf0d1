// SPDX-License-Identifier: MIT
//
// Numbers as text, for result files: the shortest decimal that reads back as the same number, in every locale.
#pragma once

#include <string>

#include "simcore/units/time.h"

namespace simcore {

// "0.1", "1e+300", "inf", "-inf", "nan".
std::string number_text(double value);

// Seconds with all nine digits of the nanosecond, exactly: "12.000000345".
std::string seconds_text(SimTime time);

}  // namespace simcore

// SPDX-License-Identifier: MIT
//
// The options of applications, as plans say them: {"kind": "ping", "destination": "10.0.0.2", …}.
#pragma once

#include "simcore/application/applications.h"
#include "simcore/options/option_family.h"

namespace simcore {

const OptionFamily<ApplicationConfig>& applications();

}  // namespace simcore

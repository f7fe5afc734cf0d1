// SPDX-License-Identifier: MIT
//
// How an instance keeps up with the wall clock, as plans say it.
#pragma once

#include "simcore/options/option_table.h"
#include "simcore/realtime/run_loop.h"

namespace simcore {

// The defaults are those of a run, in which an instance is not alone on its computer; RunLoop::Options without them asks
// nothing of the kernel.
const OptionTable<RunLoop::Options>& run_loop_options();

}  // namespace simcore

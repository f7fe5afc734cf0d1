// SPDX-License-Identifier: MIT
//
// What Python needs to go through a simulation in virtual time event by event, and to look at what is in it.
#pragma once

#include <nanobind/nanobind.h>

#include "simcore/instance/offline.h"

namespace simcore::python {

// Adds the methods to the class, and FigureCondition to the module.
void bind_stepping_of(nanobind::module_& m, nanobind::class_<OfflineSimulation>& to);

}  // namespace simcore::python

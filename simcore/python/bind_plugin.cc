// SPDX-License-Identifier: MIT
//
// What Python asks about a plug-in before a link has it.
#include <nanobind/stl/string.h>

#include "simcore/network/load_model.h"
#include "simcore/python/bindings.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace simcore::python {

void bind_plugin(nb::module_& m) { m.def("describe_plugin", &describe_plugin, "file"_a); }

}  // namespace simcore::python

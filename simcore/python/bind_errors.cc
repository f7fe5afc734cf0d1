// SPDX-License-Identifier: MIT
//
// simcore's errors, raised in Python as their twins of hybridnet.errors.
#include "simcore/python/bindings.h"
#include "simcore/units/error.h"

namespace nb = nanobind;

namespace simcore::python {

namespace {

// Python's class for an error: the description was wrong, this computer lacks something, or a machine failed.
const char* twin_of(const Error& error) {
  if (dynamic_cast<const ConfigError*>(&error) != nullptr) return "PlanError";
  if (dynamic_cast<const EnvironmentError*>(&error) != nullptr) return "EnvironmentLackError";
  return "MachineError";
}

}  // namespace

void bind_errors() {
  nb::register_exception_translator([](const std::exception_ptr& pointer, void*) {
    try {
      std::rethrow_exception(pointer);
    } catch (const Error& error) {
      const nb::object twin = nb::module_::import_("hybridnet.errors").attr(twin_of(error));
      PyErr_SetString(twin.ptr(), error.what());
    }
  });
}

}  // namespace simcore::python

// SPDX-License-Identifier: MIT
//
// TCP options from Python: a preset by name, and single fields by theirs.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "simcore/tcp/tcp_options.h"

namespace simcore::python {

// {"preset": "linux", "mss": 536, "minimum_rto_ns": 200_000_000}: the preset ("rfc" without one), and over it
// the fields of TcpOptions and of its rto, durations in nanoseconds with _ns behind their names. Throws
// ConfigError, which begins with `attempt`, when a name or a value is unknown.
TcpOptions tcp_options(const nanobind::dict& from, const std::string& attempt);

}  // namespace simcore::python

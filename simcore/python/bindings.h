// SPDX-License-Identifier: MIT
//
// What module.cc lists: one function per folder of simcore that Python can reach.
#pragma once

#include <nanobind/nanobind.h>

namespace simcore::python {

void bind_errors();
void bind_instance(nanobind::module_& m);
void bind_link_pipeline(nanobind::module_& m);
void bind_queueing(nanobind::module_& m);
void bind_results(nanobind::module_& m);
void bind_offline(nanobind::module_& m);
void bind_bench(nanobind::module_& m);
void bind_controller_bench(nanobind::module_& m);
void bind_parallel(nanobind::module_& m);
void bind_guests(nanobind::module_& m);
void bind_traffic(nanobind::module_& m);
void bind_replay(nanobind::module_& m);
void bind_timeline(nanobind::module_& m);
void bind_plugin(nanobind::module_& m);
void bind_options(nanobind::module_& m);

}  // namespace simcore::python

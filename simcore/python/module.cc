// SPDX-License-Identifier: MIT
//
// The extension hybridnet._simcore: the list of its parts, and simcore's errors as hybridnet's.
#include <nanobind/nanobind.h>

#include "simcore/python/bindings.h"

NB_MODULE(_simcore, m) {
  m.doc() = "simcore, the packet-level simulator under hybridnet. The Python package is its public face.";
  simcore::python::bind_errors();
  simcore::python::bind_instance(m);
  simcore::python::bind_link_pipeline(m);
  simcore::python::bind_queueing(m);
  simcore::python::bind_results(m);
  simcore::python::bind_offline(m);
  simcore::python::bind_bench(m);
  simcore::python::bind_controller_bench(m);
  simcore::python::bind_parallel(m);
  simcore::python::bind_guests(m);
  simcore::python::bind_traffic(m);
  simcore::python::bind_replay(m);
  simcore::python::bind_timeline(m);
  simcore::python::bind_plugin(m);
  simcore::python::bind_options(m);
}

// SPDX-License-Identifier: MIT
//
// The measured loops of simcore/instance/link_pipeline.h for Python, which takes their time.
#include "simcore/instance/link_pipeline.h"
#include "simcore/python/bindings.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace simcore::python {

void bind_link_pipeline(nb::module_& m) {
  nb::class_<LinkPipeline>(
      m, "LinkPipeline",
      "A link fed from memory and emptied into memory; see simcore/instance/link_pipeline.h.")
      .def(
          "__init__",
          [](LinkPipeline* self, std::size_t frame_bytes, std::size_t bytes_in_flight, bool copies) {
            new (self) LinkPipeline(
                {.frame_bytes = frame_bytes, .bytes_in_flight = bytes_in_flight, .copies = copies});
          },
          "frame_bytes"_a, "bytes_in_flight"_a = 0, "copies"_a = true)
      .def("run", &LinkPipeline::run, "packets"_a, nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("delivered", &LinkPipeline::delivered)
      .def_prop_ro("dropped", &LinkPipeline::dropped);
  nb::class_<TwoCopies>(m, "TwoCopies", "The two copies of a LinkPipeline, and nothing else: its limit.")
      .def(nb::init<std::size_t, std::size_t>(), "frame_bytes"_a, "bytes_in_flight"_a = 0)
      .def("run", &TwoCopies::run, "packets"_a, nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace simcore::python

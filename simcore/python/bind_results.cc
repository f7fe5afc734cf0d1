// SPDX-License-Identifier: MIT
//
// Statistics and result files for Python: plain numbers become simcore's types here, and nothing else happens.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <sstream>
#include <tuple>
#include <utility>
#include <vector>

#include "simcore/python/bindings.h"
#include "simcore/stats/write_results.h"
#include "simcore/units/error.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace simcore::python {

namespace {

using Text = std::string;
using Row = std::tuple<Text, Text, double>;  // element, name, value
using Series = std::tuple<Text, Text, std::vector<std::int64_t>, std::vector<double>>;  // with instants in ns
using Bins = std::tuple<Text, Text, std::vector<std::pair<std::int64_t, std::uint64_t>>>;  // of BinnedResult

std::pair<Text, Text> omnetpp_files(const Text& run, const std::vector<std::pair<Text, Text>>& attributes,
                                    const std::vector<Row>& scalars, const std::vector<Series>& vectors,
                                    const std::vector<Bins>& histograms) {
  const nb::gil_scoped_release others_run;
  Results results{.run = run, .attributes = attributes};
  for (const auto& [element, name, value] : scalars) results.scalars.push_back({element, name, value});
  for (const auto& [element, name, instants, values] : vectors) {
    if (instants.size() != values.size()) {
      throw ConfigError("write vector " + element + " " + name + ": " + std::to_string(instants.size()) +
                        " instants and " + std::to_string(values.size()) + " values; give as many of each");
    }
    OutputVector vector(element, name, {name});
    for (std::size_t row = 0; row < instants.size(); ++row) {
      vector.record(SimTime::zero() + Duration::ns(instants[row]), {values[row]});
    }
    results.vectors.push_back(std::move(vector));
  }
  for (const auto& [element, name, bins] : histograms) results.binned.push_back({element, name, bins});
  std::ostringstream sca;
  std::ostringstream vec;
  write_omnetpp_sca(sca, results);
  write_omnetpp_vec(vec, results);
  return {sca.str(), vec.str()};
}

}  // namespace

void bind_results(nb::module_& m) {
  m.def("omnetpp_files", omnetpp_files, "run"_a, "attributes"_a, "scalars"_a, "vectors"_a, "histograms"_a,
        "The texts of an OMNeT++ .sca and .vec file. Scalars are (element, name, value), vectors (element, "
        "name, instants in nanoseconds, values), histograms (element, name, bins), a bin (the greatest whole "
        "number in it, how many there were).");
}

}  // namespace simcore::python

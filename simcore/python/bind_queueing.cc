// SPDX-License-Identifier: MIT
//
// Queueing models and statistics for Python: text and plain numbers become simcore's types here, and nothing else happens.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <sstream>
#include <utility>
#include <vector>

#include "simcore/python/bindings.h"
#include "simcore/queueing/kendall.h"
#include "simcore/stats/confidence.h"
#include "simcore/stats/replications.h"
#include "simcore/stats/write_results.h"
#include "simcore/units/error.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace simcore::python {

namespace {

using Times =
    std::pair<std::string, std::int64_t>;  // ("exponential" or "deterministic", mean in nanoseconds)

struct Run {
  std::uint64_t seed = 0;
  KendallResult result;
  std::optional<OutputVector> responses;

  Results results(const std::string& name) const {
    return results_of(name, seed, result, responses ? &*responses : nullptr);
  }
};

Distribution distribution(const Times& times) {
  const auto& [kind, mean_ns] = times;
  if (mean_ns <= 0) {
    throw ConfigError("draw times of " + std::to_string(mean_ns) + " ns on average: they must be positive");
  }
  if (kind == "exponential") return exponential(Duration::ns(mean_ns));
  if (kind == "deterministic") return deterministic(Duration::ns(mean_ns));
  throw ConfigError("draw times that are " + kind + ": there are exponential and deterministic");
}

std::vector<Run> replicate_kendall(const Times& arrivals, const Times& service, unsigned servers,
                                   std::optional<std::size_t> capacity, std::uint64_t jobs,
                                   std::size_t replications, std::uint64_t first_seed, unsigned threads,
                                   bool record) {
  const Kendall system{.arrivals = distribution(arrivals),
                       .service = distribution(service),
                       .servers = servers,
                       .capacity = capacity};
  const nb::gil_scoped_release others_run;
  return replicate(first_seed, replications, threads, [&](std::uint64_t seed) {
    Run run{.seed = seed, .result = {}, .responses = std::nullopt};
    if (record) run.responses.emplace("station", "response", std::vector<std::string>{"response"});
    run.result = run_kendall(system, jobs, seed, run.responses ? &*run.responses : nullptr);
    return run;
  });
}

template <class Write>
auto text_of(Write write) {
  return [write](const Run& run, const std::string& name) {
    std::ostringstream out;
    write(out, run.results(name));
    return out.str();
  };
}

}  // namespace

void bind_queueing(nb::module_& m) {
  nb::class_<Run>(m, "KendallRun", "One run of a queueing system; see simcore/queueing/kendall.h.")
      .def_ro("seed", &Run::seed)
      .def_prop_ro("mean_response_s", [](const Run& run) { return run.result.response.mean(); })
      .def_prop_ro("mean_waiting_s", [](const Run& run) { return run.result.waiting.mean(); })
      .def_prop_ro("mean_jobs", [](const Run& run) { return run.result.mean_jobs; })
      .def_prop_ro("arrived", [](const Run& run) { return run.result.arrived; })
      .def_prop_ro("lost", [](const Run& run) { return run.result.lost; })
      .def_prop_ro("seconds", [](const Run& run) { return run.result.seconds; })
      .def_prop_ro("share_of_time", [](const Run& run) { return run.result.share_of_time; })
      .def(
          "response_rows",
          [](const Run& run) {
            std::vector<std::pair<std::int64_t, double>> rows;
            if (!run.responses) return rows;
            rows.reserve(run.responses->rows());
            for (std::size_t row = 0; row < run.responses->rows(); ++row) {
              rows.emplace_back(run.responses->time(row).count_ns(), run.responses->value(row, 0));
            }
            return rows;
          },
          "Instant in nanoseconds and response time in seconds of each job; none where they were not "
          "recorded.")
      .def("omnetpp_sca", text_of(write_omnetpp_sca), "name"_a, "The scalars, as an OMNeT++ file.")
      .def("omnetpp_vec", text_of(write_omnetpp_vec), "name"_a, "The vectors, as an OMNeT++ file.")
      .def("json_lines", text_of(write_json_lines), "name"_a, "All of it, one JSON object a line.");
  m.def("replicate_kendall", replicate_kendall, nb::kw_only(), "arrivals"_a, "service"_a, "servers"_a = 1,
        "capacity"_a = nb::none(), "jobs"_a, "replications"_a, "first_seed"_a = 1, "threads"_a = 1,
        "record"_a = false, "Independent runs of one queueing system, on so many threads.");
  m.def(
      "confidence_interval",
      [](const std::vector<double>& replications, double level) {
        RunningStats stats;
        for (const double value : replications) stats.add(value);
        const Interval interval = confidence_interval(stats, level);
        return std::pair(interval.low, interval.high);
      },
      "replications"_a, "level"_a = 0.95,
      "Holds the mean of what they estimate, by Student's t distribution.");
}

}  // namespace simcore::python

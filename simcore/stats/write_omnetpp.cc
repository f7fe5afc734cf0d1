// SPDX-License-Identifier: MIT
//
// Source: OMNeT++ Simulation Manual, appendix "Result File Formats", version 3. Its readers take the mean and the
// deviation of a statistic from `sum` and `sqrsum`, and the first and the last bin for what lies outside.
#include <algorithm>
#include <string>

#include "simcore/stats/number_text.h"
#include "simcore/stats/write_results.h"

namespace simcore {

namespace {

// Words with blanks or quotes, and empty ones, are quoted.
std::string word(const std::string& value) {
  if (!value.empty() && value.find_first_of(" \t\n\"\\") == std::string::npos) return value;
  std::string quoted = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (c == '\n') {
      quoted += "\\n";
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

void write_head(std::ostream& out, const Results& results) {
  out << "version 3\nrun " << word(results.run) << '\n';
  for (const auto& [name, value] : results.attributes)
    out << "attr " << word(name) << ' ' << word(value) << '\n';
  out << '\n';
}

void write_binned(std::ostream& out, const BinnedResult& result) {
  std::uint64_t count = 0;
  for (const auto& [most, numbers] : result.bins) count += numbers;
  out << "statistic " << word(result.element) << ' ' << word(result.name) << "\nfield count " << count
      << "\nbin -inf 0\n";
  std::int64_t least = 0;
  for (const auto& [most, numbers] : result.bins) {
    out << "bin " << least << ' ' << numbers << '\n';
    least = most + 1;
  }
  out << "bin " << least << " 0\n";
}

}  // namespace

void write_omnetpp_sca(std::ostream& out, const Results& results) {
  write_head(out, results);
  for (const Scalar& scalar : results.scalars) {
    out << "scalar " << word(scalar.element) << ' ' << word(scalar.name) << ' ' << number_text(scalar.value)
        << '\n';
  }
  for (const HistogramResult& result : results.histograms) {
    const RunningStats& stats = result.stats;
    out << "statistic " << word(result.element) << ' ' << word(result.name) << '\n';
    const auto count = static_cast<double>(stats.count());
    const double sum = count * stats.mean();
    const double squares = stats.variance() * std::max(count - 1, 0.0) + sum * stats.mean();
    out << "field count " << stats.count() << "\nfield mean " << number_text(stats.mean())
        << "\nfield stddev " << number_text(stats.deviation()) << "\nfield min " << number_text(stats.least())
        << "\nfield max " << number_text(stats.greatest()) << "\nfield sum " << number_text(sum)
        << "\nfield sqrsum " << number_text(squares) << '\n';
    out << "bin -inf " << number_text(result.histogram.below()) << '\n';
    for (std::size_t bin = 0; bin < result.histogram.bins(); ++bin) {
      out << "bin " << number_text(result.histogram.lower_bound(bin)) << ' '
          << number_text(result.histogram.weight(bin)) << '\n';
    }
    out << "bin " << number_text(result.histogram.high()) << ' ' << number_text(result.histogram.above())
        << '\n';
  }
  for (const BinnedResult& result : results.binned) write_binned(out, result);
}

void write_omnetpp_vec(std::ostream& out, const Results& results) {
  write_head(out, results);
  std::size_t id = 0;
  for (const OutputVector& vector : results.vectors) {
    for (std::size_t column = 0; column < vector.columns().size(); ++column, ++id) {
      const bool single = vector.columns().size() == 1;
      const std::string name = single ? vector.name() : vector.name() + ":" + vector.columns()[column];
      out << "vector " << id << ' ' << word(vector.element()) << ' ' << word(name) << " TV\n";
      for (std::size_t row = 0; row < vector.rows(); ++row) {
        out << id << '\t' << seconds_text(vector.time(row)) << '\t' << number_text(vector.value(row, column))
            << '\n';
      }
    }
  }
}

}  // namespace simcore

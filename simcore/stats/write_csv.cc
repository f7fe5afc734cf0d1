// SPDX-License-Identifier: MIT
#include <string>

#include "simcore/stats/number_text.h"
#include "simcore/stats/write_results.h"

namespace simcore {

namespace {

std::string field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace

void write_scalars_csv(std::ostream& out, const Results& results) {
  out << "run,element,name,value\n";
  for (const Scalar& scalar : results.scalars) {
    out << field(results.run) << ',' << field(scalar.element) << ',' << field(scalar.name) << ','
        << number_text(scalar.value) << '\n';
  }
}

void write_vector_csv(std::ostream& out, const OutputVector& vector) {
  out << "time_ns";
  for (const std::string& column : vector.columns()) out << ',' << field(column);
  out << '\n';
  for (std::size_t row = 0; row < vector.rows(); ++row) {
    out << vector.time(row).count_ns();
    for (std::size_t column = 0; column < vector.columns().size(); ++column) {
      out << ',' << number_text(vector.value(row, column));
    }
    out << '\n';
  }
}

void write_histogram_csv(std::ostream& out, const HistogramResult& result) {
  const LinearHistogram& histogram = result.histogram;
  out << "lower_bound,weight\n-inf," << number_text(histogram.below()) << '\n';
  for (std::size_t bin = 0; bin < histogram.bins(); ++bin) {
    out << number_text(histogram.lower_bound(bin)) << ',' << number_text(histogram.weight(bin)) << '\n';
  }
  out << number_text(histogram.high()) << ',' << number_text(histogram.above()) << '\n';
}

}  // namespace simcore

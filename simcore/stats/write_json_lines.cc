// SPDX-License-Identifier: MIT
#include <array>
#include <cmath>
#include <cstdio>
#include <string>

#include "simcore/stats/number_text.h"
#include "simcore/stats/write_results.h"

namespace simcore {

namespace {

std::string text(const std::string& value) {
  std::string quoted = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      std::array<char, 8> escaped;
      std::snprintf(escaped.data(), escaped.size(), "\\u%04x", static_cast<unsigned>(c));
      quoted += escaped.data();
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

// JSON has no infinity and no NaN.
std::string number(double value) { return std::isfinite(value) ? number_text(value) : "null"; }

}  // namespace

void write_json_lines(std::ostream& out, const Results& results) {
  out << R"({"type":"run","run":)" << text(results.run) << R"(,"attributes":{)";
  const char* comma = "";
  for (const auto& [name, value] : results.attributes) {
    out << comma << text(name) << ':' << text(value);
    comma = ",";
  }
  out << "}}\n";
  for (const Scalar& scalar : results.scalars) {
    out << R"({"type":"scalar","element":)" << text(scalar.element) << R"(,"name":)" << text(scalar.name)
        << R"(,"value":)" << number(scalar.value) << "}\n";
  }
  for (const OutputVector& vector : results.vectors) {
    for (std::size_t row = 0; row < vector.rows(); ++row) {
      out << R"({"type":"sample","element":)" << text(vector.element()) << R"(,"name":)"
          << text(vector.name()) << R"(,"time_ns":)" << vector.time(row).count_ns();
      for (std::size_t column = 0; column < vector.columns().size(); ++column) {
        out << ',' << text(vector.columns()[column]) << ':' << number(vector.value(row, column));
      }
      out << "}\n";
    }
  }
  for (const HistogramResult& result : results.histograms) {
    out << R"({"type":"histogram","element":)" << text(result.element) << R"(,"name":)" << text(result.name)
        << R"(,"count":)" << result.stats.count() << R"(,"mean":)" << number(result.stats.mean())
        << R"(,"deviation":)" << number(result.stats.deviation()) << R"(,"low":)"
        << number(result.histogram.low()) << R"(,"high":)" << number(result.histogram.high())
        << R"(,"below":)" << number(result.histogram.below()) << R"(,"above":)"
        << number(result.histogram.above()) << R"(,"bins":[)";
    for (std::size_t bin = 0; bin < result.histogram.bins(); ++bin) {
      out << (bin == 0 ? "" : ",") << number(result.histogram.weight(bin));
    }
    out << "]}\n";
  }
}

}  // namespace simcore

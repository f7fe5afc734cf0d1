// SPDX-License-Identifier: MIT
//
// Results: what a run has to say, in memory: scalars, output vectors, histograms, each under the name of the element
// that it is about. The writers of write_results.h turn it into files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "simcore/stats/linear_histogram.h"
#include "simcore/stats/running_stats.h"
#include "simcore/units/time.h"

namespace simcore {

// A series in time, of one or more columns: every row has an instant and one value for each column.
class OutputVector {
 public:
  // Precondition: at least one column.
  OutputVector(std::string element, std::string name, std::vector<std::string> columns)
      : element_(std::move(element)), name_(std::move(name)), columns_(std::move(columns)) {}

  // Precondition: as many values as columns.
  void record(SimTime time, std::initializer_list<double> values) {
    times_.push_back(time);
    values_.insert(values_.end(), values);
  }

  const std::string& element() const { return element_; }
  const std::string& name() const { return name_; }
  const std::vector<std::string>& columns() const { return columns_; }
  std::size_t rows() const { return times_.size(); }
  SimTime time(std::size_t row) const { return times_[row]; }
  double value(std::size_t row, std::size_t column) const { return values_[row * columns_.size() + column]; }

 private:
  std::string element_;
  std::string name_;
  std::vector<std::string> columns_;
  std::vector<SimTime> times_;
  std::vector<double> values_;  // row after row
};

struct Scalar {
  std::string element;
  std::string name;
  double value;
};

struct HistogramResult {
  std::string element;
  std::string name;
  RunningStats stats;
  LinearHistogram histogram;
};

// A histogram of whole numbers from 0 on whose bins have widths of their own: of each the greatest number in it, and how
// many there were. The numbers themselves are gone, so nothing else is known of them.
struct BinnedResult {
  std::string element;
  std::string name;
  std::vector<std::pair<std::int64_t, std::uint64_t>> bins;  // in ascending order
};

struct Results {
  std::string run;                                                   // unique, without blanks: "mm1-7"
  std::vector<std::pair<std::string, std::string>> attributes = {};  // of the run: seed, configuration ...
  std::vector<Scalar> scalars = {};
  std::vector<OutputVector> vectors = {};
  std::vector<HistogramResult> histograms = {};
  std::vector<BinnedResult> binned = {};  // only in OMNeT++'s files
};

}  // namespace simcore

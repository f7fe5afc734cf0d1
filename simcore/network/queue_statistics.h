// SPDX-License-Identifier: MIT
//
// QueueStatistics: how long segments waited in front of a transmitter, and beside how many others, as histograms: every
// quantile within 1/64. 60 KB for each queue that is watched.
#pragma once

#include <cstdint>

#include "simcore/link/queue_watcher.h"
#include "simcore/units/log_histogram.h"

namespace simcore {

class QueueStatistics final : public QueueWatcher {
 public:
  void waited(Duration sojourn, std::int64_t others, std::uint32_t segments) override {
    sojourn_.add(sojourn.count_ns(), segments);
    others_.add(others, segments);
  }

  const LogHistogram& sojourn_ns() const { return sojourn_; }
  const LogHistogram& others() const { return others_; }

 private:
  LogHistogram sojourn_;
  LogHistogram others_;
};

}  // namespace simcore

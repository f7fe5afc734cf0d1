// SPDX-License-Identifier: MIT
//
// PcapngWriter: a pcapng capture of one interface, which has a name there; each frame has its direction.
#pragma once

#include "simcore/trace/capture_writer.h"

namespace simcore {

class PcapngWriter final : public CaptureWriter {
 public:
  // As CaptureWriter's constructor.
  PcapngWriter(const std::string& path, const std::string& interface, std::int64_t epoch_ns = 0,
               CaptureOptions options = {});

 private:
  std::size_t size_of_record(const CaptureRecord& record) const override;
  void write_record(ByteSink& file, const CaptureRecord& record) override;
};

}  // namespace simcore

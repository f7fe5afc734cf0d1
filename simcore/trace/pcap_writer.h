// SPDX-License-Identifier: MIT
//
// PcapWriter: the classic capture file (draft-ietf-opsawg-pcap) with nanoseconds, of one interface. It cannot say in
// which direction a frame went.
#pragma once

#include "simcore/trace/capture_writer.h"

namespace simcore {

class PcapWriter final : public CaptureWriter {
 public:
  // As CaptureWriter's constructor.
  explicit PcapWriter(const std::string& path, std::int64_t epoch_ns = 0, CaptureOptions options = {});

 private:
  std::size_t size_of_record(const CaptureRecord& record) const override;
  void write_record(ByteSink& file, const CaptureRecord& record) override;
};

}  // namespace simcore

// SPDX-License-Identifier: MIT
//
// PcapReader: the classic capture file (draft-ietf-opsawg-pcap), with micro- or nanoseconds, of either byte order.
#pragma once

#include "simcore/trace/capture_reader.h"

namespace simcore {

class PcapReader final : public CaptureReader {
 public:
  // Whether a file that begins with these bytes, as a number of this machine, is one.
  static bool is_magic(std::uint32_t value);

  // `file` is behind its first four bytes, which are `magic`. Throws as next().
  PcapReader(InputFile file, std::uint32_t magic);

  std::optional<CaptureRecord> next() override;

 private:
  std::uint32_t number(const std::uint8_t* at) const;

  bool swapped_;
  std::int64_t unit_ns_;  // of a record's fraction of a second
};

}  // namespace simcore

// SPDX-License-Identifier: MIT
//
// CaptureReader: the frames of a capture file, pcap or pcapng, whoever wrote it, one after the other.
//
//   const auto reader = open_capture("web.pcap");
//   while (const auto frame = reader->next()) { frame->time_ns; frame->bytes; ... }
//
// pcap with micro- or nanoseconds and pcapng with any resolution of time, of either byte order. Times come in
// nanoseconds since 1970. What a file says about lengths and times is checked before it is used: an error names the
// file, the byte and the cure.
#pragma once

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "simcore/trace/capture_record.h"
#include "simcore/trace/input_file.h"

namespace simcore {

class CaptureReader {
 public:
  // The longest frame that is taken: what libpcap takes, too.
  static constexpr std::uint32_t kLongestFrame = 262'144;

  CaptureReader(const CaptureReader&) = delete;
  CaptureReader& operator=(const CaptureReader&) = delete;
  virtual ~CaptureReader() = default;

  // The next frame; none at the end of the file. Its bytes are valid until the next call. Throws ConfigError when the
  // file contradicts itself or ends in the middle of a frame, SystemError when it cannot be read.
  virtual std::optional<CaptureRecord> next() = 0;

  // Those that are known so far: a pcapng file may bring more between its frames.
  const std::vector<CaptureInterface>& interfaces() const { return interfaces_; }

  const std::string& name() const { return file_.name(); }

 protected:
  explicit CaptureReader(InputFile file) : file_(std::move(file)) {}

  // A frame's lengths, checked. `at`: where they stand.
  void check_lengths(std::uint64_t at, std::uint32_t captured, std::uint32_t original) const;

  InputFile file_;
  std::vector<CaptureInterface> interfaces_;
};

// Throws EnvironmentError when the file cannot be opened, and what next() throws when it is neither format.
std::unique_ptr<CaptureReader> open_capture(const std::string& path);
// Of a file that is open, which is taken over; `name` stands for it in errors.
std::unique_ptr<CaptureReader> open_capture(std::FILE* file, const std::string& name);

}  // namespace simcore

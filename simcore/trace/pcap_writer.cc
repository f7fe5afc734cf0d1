// SPDX-License-Identifier: MIT
#include "simcore/trace/pcap_writer.h"

#include <utility>

namespace simcore {

namespace {

// In the byte order of this machine, which the magic number tells.
struct FileHeader {
  std::uint32_t magic = 0xa1b23c4d;  // nanoseconds
  std::uint16_t major = 2;
  std::uint16_t minor = 4;
  std::uint32_t reserved[2] = {0, 0};
  std::uint32_t snapshot_length = 262'144;
  std::uint32_t link_type = kEthernetLinkType;
};
static_assert(sizeof(FileHeader) == 24);

struct RecordHeader {
  std::uint32_t seconds;
  std::uint32_t nanoseconds;
  std::uint32_t captured_length;
  std::uint32_t length;
};
static_assert(sizeof(RecordHeader) == 16);

}  // namespace

PcapWriter::PcapWriter(const std::string& path, std::int64_t epoch_ns, CaptureOptions options)
    : CaptureWriter(path, epoch_ns, std::move(options)) {
  const FileHeader header;
  head().put(&header, sizeof header);
}

std::size_t PcapWriter::size_of_record(const CaptureRecord& record) const {
  return sizeof(RecordHeader) + record.bytes.size();
}

void PcapWriter::write_record(ByteSink& file, const CaptureRecord& record) {
  RecordHeader header;
  header.seconds = static_cast<std::uint32_t>(record.time_ns / 1'000'000'000);
  header.nanoseconds = static_cast<std::uint32_t>(record.time_ns % 1'000'000'000);
  header.captured_length = static_cast<std::uint32_t>(record.bytes.size());
  header.length = record.original_length;
  file.put(&header, sizeof header);
  file.put(record.bytes.data(), record.bytes.size());
}

}  // namespace simcore

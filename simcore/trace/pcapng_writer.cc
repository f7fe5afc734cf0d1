// SPDX-License-Identifier: MIT
#include "simcore/trace/pcapng_writer.h"

#include <utility>

#include "simcore/trace/pcapng_blocks.h"

namespace simcore {

PcapngWriter::PcapngWriter(const std::string& path, const std::string& interface, std::int64_t epoch_ns,
                           CaptureOptions options)
    : CaptureWriter(path, epoch_ns, std::move(options)) {
  pcapng::write_section_header(head(), "");
  pcapng::write_interface(head(), {.name = interface});
}

std::size_t PcapngWriter::size_of_record(const CaptureRecord& record) const {
  return pcapng::size_of_packet(record);
}

void PcapngWriter::write_record(ByteSink& file, const CaptureRecord& record) {
  pcapng::write_packet(file, record);
}

}  // namespace simcore

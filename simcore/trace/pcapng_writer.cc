// SPDX-License-Identifier: MIT
#include "simcore/trace/pcapng_writer.h"

#include "simcore/trace/pcapng_blocks.h"

namespace simcore {

PcapngWriter::PcapngWriter(const std::string& path, const std::string& interface, std::int64_t epoch_ns)
    : CaptureWriter(path, epoch_ns) {
  pcapng::write_section_header(file_, "");
  pcapng::write_interface(file_, {.name = interface});
}

void PcapngWriter::write_record(OutputFile& file, const CaptureRecord& record) {
  pcapng::write_packet(file, record);
}

}  // namespace simcore

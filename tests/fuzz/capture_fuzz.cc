// SPDX-License-Identifier: MIT
//
// Capture files, pcap and pcapng. What is looked for: lengths and times that are used before they are checked. Whatever is
// taken keeps its promises, and comes back as the same frame when it is written and read again; everything else is refused
// with a ConfigError.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "simcore/trace/capture_reader.h"
#include "simcore/trace/pcapng_blocks.h"
#include "simcore/units/error.h"

namespace {

using namespace simcore;

class Written final : public ByteSink {
 public:
  void put(const void* from, std::size_t size) override {
    const auto* const first = static_cast<const std::uint8_t*>(from);
    bytes.insert(bytes.end(), first, first + size);
  }
  std::vector<std::uint8_t> bytes;
};

std::FILE* file_of(const std::uint8_t* data, std::size_t size) {
  std::FILE* const file = ::fmemopen(const_cast<std::uint8_t*>(data), size, "rb");
  if (file == nullptr) std::abort();
  return file;
}

void check(bool holds) {
  if (!holds) std::abort();
}

void write_and_read(const CaptureRecord& frame, const CaptureInterface& interface) {
  Written written;
  pcapng::write_section_header(written, "");
  pcapng::write_interface(written, interface);
  CaptureRecord alone = frame;
  alone.interface = 0;
  const std::size_t before = written.bytes.size();
  pcapng::write_packet(written, alone);
  check(written.bytes.size() - before == pcapng::size_of_packet(alone));
  const auto reader = open_capture(file_of(written.bytes.data(), written.bytes.size()), "written");
  const auto again = reader->next();
  check(again && again->time_ns == frame.time_ns && again->original_length == frame.original_length &&
        again->direction == frame.direction && std::ranges::equal(again->bytes, frame.bytes) &&
        std::ranges::equal(again->note, frame.note) &&
        reader->interfaces()[0].link_type == interface.link_type);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  try {
    const auto reader = open_capture(file_of(data, size), "fuzzed");
    while (const auto frame = reader->next()) {
      check(frame->bytes.size() <= frame->original_length &&
            frame->bytes.size() <= CaptureReader::kLongestFrame && frame->time_ns >= 0);
      write_and_read(*frame, reader->interfaces().at(frame->interface));
    }
  } catch (const ConfigError&) {
    return 0;
  }
  return 0;
}

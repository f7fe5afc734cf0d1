// SPDX-License-Identifier: MIT
#include "simcore/trace/capture_reader.h"

#include <array>
#include <cstring>
#include <utility>

#include "simcore/trace/pcap_reader.h"
#include "simcore/trace/pcapng_blocks.h"
#include "simcore/trace/pcapng_reader.h"

namespace simcore {

namespace {

std::unique_ptr<CaptureReader> reader_of(InputFile file) {
  std::array<std::uint8_t, 4> magic{};
  if (!file.read(magic)) file.refuse(0, "it is empty; give a pcap or pcapng file");
  std::uint32_t value = 0;
  std::memcpy(&value, magic.data(), sizeof value);
  if (value == pcapng::kSectionHeader) return std::make_unique<PcapngReader>(std::move(file));
  if (PcapReader::is_magic(value)) return std::make_unique<PcapReader>(std::move(file), value);
  const bool gzip = magic[0] == 0x1f && magic[1] == 0x8b;
  file.refuse(0, gzip ? "it is compressed; unpack it with gunzip"
                      : "it is neither pcap nor pcapng; `editcap` turns other formats into one of these");
}

}  // namespace

void CaptureReader::check_lengths(std::uint64_t at, std::uint32_t captured, std::uint32_t original) const {
  if (captured > kLongestFrame) {
    file_.refuse(at, "a frame of " + std::to_string(captured) + " bytes; at most " +
                         std::to_string(kLongestFrame) + " are possible, so the file is damaged");
  }
  if (captured > original) {
    file_.refuse(at, "more bytes of a frame (" + std::to_string(captured) + ") than it had (" +
                         std::to_string(original) + "), so the file is damaged");
  }
}

std::unique_ptr<CaptureReader> open_capture(const std::string& path) { return reader_of(InputFile(path)); }

std::unique_ptr<CaptureReader> open_capture(std::FILE* file, const std::string& name) {
  return reader_of(InputFile(file, name));
}

}  // namespace simcore

// SPDX-License-Identifier: MIT
#include "simcore/trace/pcap_reader.h"

#include <array>
#include <cstring>

namespace simcore {

namespace {

constexpr std::uint32_t kMicroseconds = 0xa1b2c3d4;
constexpr std::uint32_t kNanoseconds = 0xa1b23c4d;
constexpr std::uint32_t kMajor = 2;

}  // namespace

bool PcapReader::is_magic(std::uint32_t value) {
  const std::uint32_t other = __builtin_bswap32(value);
  return value == kMicroseconds || value == kNanoseconds || other == kMicroseconds || other == kNanoseconds;
}

PcapReader::PcapReader(InputFile file, std::uint32_t magic)
    : CaptureReader(std::move(file)),
      swapped_(magic != kMicroseconds && magic != kNanoseconds),
      unit_ns_((swapped_ ? __builtin_bswap32(magic) : magic) == kMicroseconds ? 1'000 : 1) {
  // Versions, two reserved numbers, snapshot length, link type with 4 bits about the FCS above it.
  const auto header = file_.take(20);
  const std::uint32_t versions = number(header.data());
  const std::uint32_t major = swapped_ ? versions >> 16 : versions & 0xffff;
  if (major != kMajor) {
    file_.refuse(4, "version " + std::to_string(major) + " of pcap; only " + std::to_string(kMajor) +
                        " is known; `editcap` writes it");
  }
  interfaces_.push_back({.name = "", .link_type = static_cast<std::uint16_t>(number(header.data() + 16))});
}

std::optional<CaptureRecord> PcapReader::next() {
  std::array<std::uint8_t, 16> header{};
  const std::uint64_t at = file_.offset();
  if (!file_.read(header)) return std::nullopt;
  const std::int64_t seconds = number(&header[0]);
  const std::int64_t fraction = number(&header[4]);
  const std::uint32_t captured = number(&header[8]);
  const std::uint32_t original = number(&header[12]);
  check_lengths(at, captured, original);
  if (fraction * unit_ns_ >= 1'000'000'000) {
    file_.refuse(at, "a time with " + std::to_string(fraction) +
                         (unit_ns_ == 1 ? " nanoseconds" : " microseconds") +
                         " in a second, so the file is damaged");
  }
  CaptureRecord record;
  record.time_ns = seconds * 1'000'000'000 + fraction * unit_ns_;
  record.bytes = file_.take(captured);
  record.original_length = original;
  return record;
}

std::uint32_t PcapReader::number(const std::uint8_t* at) const {
  std::uint32_t value = 0;
  std::memcpy(&value, at, sizeof value);
  return swapped_ ? __builtin_bswap32(value) : value;
}

}  // namespace simcore

// SPDX-License-Identifier: MIT
//
// CaptureRecord: one frame as it lies in a capture file, whatever the file's format.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace simcore {

// The numbers are those of pcapng's epb_flags.
enum class FrameDirection : std::uint8_t { unknown = 0, inbound = 1, outbound = 2 };

struct CaptureRecord {
  std::int64_t time_ns = 0;             // since 1970
  std::span<const std::uint8_t> bytes;  // of a reader: valid until it reads on
  std::uint32_t original_length = 0;    // >= bytes.size(): what the frame had on the wire
  std::uint32_t interface = 0;          // its place among the file's interfaces
  FrameDirection direction = FrameDirection::unknown;
  std::span<const std::uint8_t> note;  // hybridnet's own option (record_format.h); empty: there is none
};

struct CaptureInterface {
  std::string name;             // empty: the file does not say
  std::uint16_t link_type = 1;  // 1: Ethernet
};

constexpr std::uint16_t kEthernetLinkType = 1;

}  // namespace simcore

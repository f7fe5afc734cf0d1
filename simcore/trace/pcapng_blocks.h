// SPDX-License-Identifier: MIT
//
// The blocks of a pcapng file (draft-ietf-opsawg-pcapng), written in the byte order of this machine, which the section
// header tells:
//
//   | type | length | body ... padded to 4 bytes | options | length again |
//
// Times are nanoseconds since 1970. Nothing here allocates for a frame; how long a block becomes is known before, so that
// a queue can be asked for room.
//
// What hybridnet adds for itself, notes of frames and blocks of text, are custom options and custom blocks, which other
// programs pass over. They carry the enterprise number for examples (RFC 5612), since hybridnet has none of its own, and
// behind it kNoteTag, which tells them from other people's examples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "simcore/trace/byte_sink.h"
#include "simcore/trace/capture_record.h"

namespace simcore::pcapng {

constexpr std::uint32_t kSectionHeader = 0x0a0d0d0a;
constexpr std::uint32_t kInterfaceDescription = 1;
constexpr std::uint32_t kObsoletePacket = 2;
constexpr std::uint32_t kSimplePacket = 3;
constexpr std::uint32_t kInterfaceStatistics = 5;
constexpr std::uint32_t kEnhancedPacket = 6;
constexpr std::uint32_t kCustom = 0x0bad;

constexpr std::uint32_t kByteOrderMagic = 0x1a2b3c4d;

namespace option {
constexpr std::uint16_t kEnd = 0;
constexpr std::uint16_t kComment = 1;
constexpr std::uint16_t kSectionProgram = 4;  // shb_userappl
constexpr std::uint16_t kInterfaceName = 2;   // if_name
constexpr std::uint16_t kTimeResolution = 9;  // if_tsresol
constexpr std::uint16_t kTimeOffset = 14;     // if_tsoffset, seconds
constexpr std::uint16_t kPacketFlags = 2;     // epb_flags
constexpr std::uint16_t kReceived = 4;        // isb_ifrecv
constexpr std::uint16_t kDropped = 5;         // isb_ifdrop
constexpr std::uint16_t kCustomBytes = 2989;  // binary, may be copied
}  // namespace option

constexpr std::uint32_t kEnterprise = 32'473;
constexpr std::uint32_t kNoteTag = 0x686e6574;    // "hnet"
constexpr std::size_t kLongestNote = 65'535 - 8;  // of a frame, in bytes

// All texts are cut at 60,000 bytes, what an option can hold.
void write_section_header(ByteSink& sink, std::string_view comment);
void write_interface(ByteSink& sink, const CaptureInterface& interface);

// Preconditions: record.bytes is at most 262,144 bytes, record.note at most kLongestNote.
std::size_t size_of_packet(const CaptureRecord& record);
void write_packet(ByteSink& sink, const CaptureRecord& record);

// A block of hybridnet's own: what kind it is, an instant, a text.
struct OwnBlock {
  std::uint32_t kind = 0;
  std::int64_t time_ns = 0;
  std::string_view text;  // at most 1 GB
};
std::size_t size_of_own(const OwnBlock& block);
void write_own(ByteSink& sink, const OwnBlock& block);

// How many frames an interface has seen, and how many of these are not in the file.
std::size_t size_of_statistics();
void write_statistics(ByteSink& sink, std::uint32_t interface, std::int64_t time_ns, std::uint64_t received,
                      std::uint64_t dropped);

}  // namespace simcore::pcapng

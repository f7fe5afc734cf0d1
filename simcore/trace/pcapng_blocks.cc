// SPDX-License-Identifier: MIT
#include "simcore/trace/pcapng_blocks.h"

#include <array>

namespace simcore::pcapng {

namespace {

constexpr std::size_t kFraming = 12;  // type, length, length again
constexpr std::size_t kOptionHead = 4;
constexpr std::size_t kLongestText = 60'000;

constexpr std::size_t padded(std::size_t size) { return (size + 3) / 4 * 4; }

void put_padded(ByteSink& sink, const void* bytes, std::size_t size) {
  constexpr std::array<std::uint8_t, 3> kZeros{};
  if (size > 0) sink.put(bytes, size);
  if (padded(size) > size) sink.put(kZeros.data(), padded(size) - size);
}

template <class T>
void put(ByteSink& sink, const T& value) {
  sink.put(&value, sizeof value);
}

struct OptionHead {
  std::uint16_t code;
  std::uint16_t length;
};

std::size_t option_size(std::size_t value) { return kOptionHead + padded(value); }

void put_option(ByteSink& sink, std::uint16_t code, const void* value, std::size_t size) {
  put(sink, OptionHead{code, static_cast<std::uint16_t>(size)});
  put_padded(sink, value, size);
}

void end_options(ByteSink& sink) { put(sink, OptionHead{option::kEnd, 0}); }

// Type and length; the caller puts the body of that size, and ends with the length again.
std::uint32_t begin(ByteSink& sink, std::uint32_t type, std::size_t body) {
  const auto length = static_cast<std::uint32_t>(kFraming + body);
  put(sink, type);
  put(sink, length);
  return length;
}

std::string_view fitting(std::string_view text) { return text.substr(0, kLongestText); }

struct SectionHead {
  std::uint32_t magic = kByteOrderMagic;
  std::uint16_t major = 1;
  std::uint16_t minor = 0;
  std::uint32_t length[2] = {0xffffffff, 0xffffffff};  // not said
};
static_assert(sizeof(SectionHead) == 16);

struct InterfaceHead {
  std::uint16_t link_type;
  std::uint16_t reserved = 0;
  std::uint32_t snapshot_length = 0;  // no limit
};
static_assert(sizeof(InterfaceHead) == 8);

struct PacketHead {
  std::uint32_t interface;
  std::uint32_t time_high;
  std::uint32_t time_low;
  std::uint32_t captured;
  std::uint32_t original;
};
static_assert(sizeof(PacketHead) == 20);

struct CustomHead {
  std::uint32_t enterprise = kEnterprise;
  std::uint32_t tag = kNoteTag;
};
static_assert(sizeof(CustomHead) == 8);

struct OwnHead {
  std::uint32_t kind;
  std::uint32_t size;  // of the text, without its padding
  std::uint32_t time_high;
  std::uint32_t time_low;
};
static_assert(sizeof(OwnHead) == 16);

std::uint32_t high(std::int64_t time_ns) {
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(time_ns) >> 32);
}
std::uint32_t low(std::int64_t time_ns) { return static_cast<std::uint32_t>(time_ns); }

std::size_t packet_body(const CaptureRecord& record) {
  std::size_t options = 0;
  if (record.direction != FrameDirection::unknown) options += option_size(4);
  if (!record.note.empty()) options += option_size(sizeof(CustomHead) + record.note.size());
  if (options > 0) options += kOptionHead;
  return sizeof(PacketHead) + padded(record.bytes.size()) + options;
}

std::size_t own_body(const OwnBlock& block) {
  return sizeof(CustomHead) + sizeof(OwnHead) + padded(block.text.size());
}

constexpr std::size_t kStatisticsBody = 12 + 2 * (kOptionHead + 8) + kOptionHead;

}  // namespace

void write_section_header(ByteSink& sink, std::string_view comment) {
  constexpr std::string_view kProgram = "hybridnet";
  const std::string_view text = fitting(comment);
  std::size_t body = sizeof(SectionHead) + option_size(kProgram.size()) + kOptionHead;
  if (!text.empty()) body += option_size(text.size());
  const std::uint32_t length = begin(sink, kSectionHeader, body);
  put(sink, SectionHead{});
  if (!text.empty()) put_option(sink, option::kComment, text.data(), text.size());
  put_option(sink, option::kSectionProgram, kProgram.data(), kProgram.size());
  end_options(sink);
  put(sink, length);
}

void write_interface(ByteSink& sink, const CaptureInterface& interface) {
  constexpr std::uint8_t kNanoseconds = 9;
  const std::string_view name = fitting(interface.name);
  std::size_t body = sizeof(InterfaceHead) + option_size(1) + kOptionHead;
  if (!name.empty()) body += option_size(name.size());
  const std::uint32_t length = begin(sink, kInterfaceDescription, body);
  put(sink, InterfaceHead{.link_type = interface.link_type});
  if (!name.empty()) put_option(sink, option::kInterfaceName, name.data(), name.size());
  put_option(sink, option::kTimeResolution, &kNanoseconds, 1);
  end_options(sink);
  put(sink, length);
}

std::size_t size_of_packet(const CaptureRecord& record) { return kFraming + packet_body(record); }

void write_packet(ByteSink& sink, const CaptureRecord& record) {
  const std::uint32_t length = begin(sink, kEnhancedPacket, packet_body(record));
  put(sink, PacketHead{record.interface, high(record.time_ns), low(record.time_ns),
                       static_cast<std::uint32_t>(record.bytes.size()), record.original_length});
  put_padded(sink, record.bytes.data(), record.bytes.size());
  const bool directed = record.direction != FrameDirection::unknown;
  if (directed) {
    const auto flags = static_cast<std::uint32_t>(record.direction);
    put_option(sink, option::kPacketFlags, &flags, sizeof flags);
  }
  if (!record.note.empty()) {
    put(sink, OptionHead{option::kCustomBytes,
                         static_cast<std::uint16_t>(sizeof(CustomHead) + record.note.size())});
    put(sink, CustomHead{});
    put_padded(sink, record.note.data(), record.note.size());
  }
  if (directed || !record.note.empty()) end_options(sink);
  put(sink, length);
}

std::size_t size_of_own(const OwnBlock& block) { return kFraming + own_body(block); }

void write_own(ByteSink& sink, const OwnBlock& block) {
  const std::uint32_t length = begin(sink, kCustom, own_body(block));
  put(sink, CustomHead{});
  put(sink, OwnHead{block.kind, static_cast<std::uint32_t>(block.text.size()), high(block.time_ns),
                    low(block.time_ns)});
  put_padded(sink, block.text.data(), block.text.size());
  put(sink, length);
}

std::size_t size_of_statistics() { return kFraming + kStatisticsBody; }

void write_statistics(ByteSink& sink, std::uint32_t interface, std::int64_t time_ns, std::uint64_t received,
                      std::uint64_t dropped) {
  const std::uint32_t length = begin(sink, kInterfaceStatistics, kStatisticsBody);
  put(sink, std::array<std::uint32_t, 3>{interface, high(time_ns), low(time_ns)});
  put_option(sink, option::kReceived, &received, sizeof received);
  put_option(sink, option::kDropped, &dropped, sizeof dropped);
  end_options(sink);
  put(sink, length);
}

}  // namespace simcore::pcapng

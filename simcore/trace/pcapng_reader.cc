// SPDX-License-Identifier: MIT
#include "simcore/trace/pcapng_reader.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

namespace simcore {

using pcapng::OwnBlock;
namespace option = pcapng::option;

namespace {

constexpr std::uint32_t kFraming = 12;                           // type, length, length again
constexpr std::uint32_t kLongestBlock = std::uint32_t{1} << 30;  // what a plan of hybridnet's may take
constexpr std::uint32_t kLongestPacketBlock = std::uint32_t{16} << 20;
constexpr std::size_t kMostInterfaces = 65'536;

constexpr std::uint32_t padded(std::uint32_t size) { return (size + 3) / 4 * 4; }

}  // namespace

PcapngReader::PcapngReader(InputFile file) : CaptureReader(std::move(file)) { read_section_header(0); }

std::optional<CaptureRecord> PcapngReader::next() {
  while (auto item = next_item()) {
    if (auto* const frame = std::get_if<CaptureRecord>(&*item)) return *frame;
  }
  return std::nullopt;
}

std::optional<std::variant<CaptureRecord, OwnBlock>> PcapngReader::next_item() {
  while (true) {
    block_at_ = file_.offset();
    std::array<std::uint8_t, 4> head{};
    if (!file_.read(head)) return std::nullopt;
    const std::uint32_t type = u32(head.data());
    if (type == pcapng::kSectionHeader) {
      read_section_header(block_at_);
      continue;
    }
    const std::uint32_t length = u32(file_.take(4).data());
    const std::uint32_t longest = type == pcapng::kCustom ? kLongestBlock : kLongestPacketBlock;
    if (length < kFraming || length % 4 != 0 || length > longest) {
      refuse_block("a block of " + std::to_string(length) + " bytes; it has 12 to " +
                   std::to_string(longest) + ", a multiple of 4, so the file is damaged");
    }
    switch (type) {
      case pcapng::kInterfaceDescription:
        read_interface(body_of(block_at_, length));
        break;
      case pcapng::kEnhancedPacket:
        return read_packet(body_of(block_at_, length));
      case pcapng::kSimplePacket:
        return read_simple_packet(body_of(block_at_, length));
      case pcapng::kCustom:
        if (const auto own = read_custom(body_of(block_at_, length))) return *own;
        break;
      case pcapng::kObsoletePacket:
        refuse_block("a Packet Block, which is obsolete; `editcap` writes Enhanced Packet Blocks instead");
      default:
        file_.skip(length - kFraming);
        check_end(block_at_, length);
    }
  }
}

// Its type has been read; everything behind it is in the byte order that it tells.
void PcapngReader::read_section_header(std::uint64_t at) {
  block_at_ = at;
  std::array<std::uint8_t, 8> head{};
  const auto first = file_.take(head.size());
  std::copy(first.begin(), first.end(), head.begin());
  std::uint32_t magic = 0;
  std::memcpy(&magic, &head[4], sizeof magic);
  swapped_ = magic != pcapng::kByteOrderMagic;
  if (swapped_ && magic != __builtin_bswap32(pcapng::kByteOrderMagic)) {
    refuse_block("a section header without the byte-order magic, so the file is damaged");
  }
  const std::uint32_t length = u32(head.data());
  constexpr std::uint32_t kLeast = kFraming + 16;
  if (length < kLeast || length % 4 != 0 || length > kLongestPacketBlock) {
    refuse_block("a section header of " + std::to_string(length) + " bytes, so the file is damaged");
  }
  const std::uint16_t major = u16(file_.take(4).data());
  if (major != 1) {
    refuse_block("version " + std::to_string(major) + " of pcapng; only 1 is known; `editcap` writes it");
  }
  file_.skip(length - kFraming - 8);  // the section's length, and options
  check_end(at, length);
  first_interface_ = interfaces_.size();
}

void PcapngReader::read_interface(Bytes body) {
  if (body.size() < 8) refuse_block("an interface description that is too short, so the file is damaged");
  if (interfaces_.size() == kMostInterfaces) {
    refuse_block("more than " + std::to_string(kMostInterfaces) + " interfaces; split the file");
  }
  CaptureInterface interface { .name = "", .link_type = u16(body.data()) };
  Clock clock{.snapshot_length = u32(body.data() + 4)};
  read_interface_options(body.subspan(8), interface, clock);
  interfaces_.push_back(std::move(interface));
  clocks_.push_back(clock);
}

void PcapngReader::read_interface_options(Bytes options, CaptureInterface& interface, Clock& clock) const {
  while (const auto each = next_option(options)) {
    if (each->code == option::kInterfaceName) {
      interface.name.assign(reinterpret_cast<const char*>(each->value.data()), each->value.size());
    } else if (each->code == option::kTimeResolution && each->value.size() == 1) {
      clock.binary = (each->value[0] & 0x80) != 0;
      clock.power = each->value[0] & 0x7f;
      if (clock.power > (clock.binary ? 63u : 18u)) {
        refuse_block("times in units of " + std::string(clock.binary ? "2" : "10") + "^-" +
                     std::to_string(clock.power) +
                     " s, which is finer than any clock, so the file is damaged");
      }
    } else if (each->code == option::kTimeOffset && each->value.size() == 8) {
      clock.offset_s = static_cast<std::int64_t>(u64(each->value.data()));
    }
  }
}

CaptureRecord PcapngReader::read_packet(Bytes body) {
  constexpr std::size_t kHead = 20;
  if (body.size() < kHead) refuse_block("a packet block that is too short, so the file is damaged");
  const std::size_t place = first_interface_ + u32(body.data());
  if (place >= interfaces_.size()) {
    refuse_block("a frame of interface " + std::to_string(u32(body.data())) +
                 ", which is not described before it, so the file is damaged");
  }
  const std::uint32_t captured = u32(body.data() + 12);
  const std::uint32_t original = u32(body.data() + 16);
  check_lengths(block_at_, captured, original);
  if (padded(captured) > body.size() - kHead) {
    refuse_block("a frame of " + std::to_string(captured) +
                 " bytes that is longer than its block, so the file is damaged");
  }
  CaptureRecord record;
  record.interface = static_cast<std::uint32_t>(place);
  record.time_ns = time_of(clocks_[place], std::uint64_t{u32(body.data() + 4)} << 32 | u32(body.data() + 8));
  record.bytes = body.subspan(kHead, captured);
  record.original_length = original;
  read_packet_options(body.subspan(kHead + padded(captured)), record);
  return record;
}

void PcapngReader::read_packet_options(Bytes options, CaptureRecord& record) const {
  while (const auto each = next_option(options)) {
    if (each->code == option::kPacketFlags && each->value.size() == 4) {
      const std::uint32_t direction = u32(each->value.data()) & 3;
      record.direction = direction == 3 ? FrameDirection::unknown : static_cast<FrameDirection>(direction);
    } else if (each->code == option::kCustomBytes && each->value.size() >= 8 &&
               u32(each->value.data()) == pcapng::kEnterprise &&
               u32(each->value.data() + 4) == pcapng::kNoteTag) {
      record.note = each->value.subspan(8);
    }
  }
}

// It has neither time nor interface: it is the first one's.
CaptureRecord PcapngReader::read_simple_packet(Bytes body) {
  if (first_interface_ >= interfaces_.size()) {
    refuse_block("a frame before any interface is described, so the file is damaged");
  }
  if (body.size() < 4) refuse_block("a packet block that is too short, so the file is damaged");
  CaptureRecord record;
  record.interface = static_cast<std::uint32_t>(first_interface_);
  record.original_length = u32(body.data());
  const std::uint32_t limit = clocks_[first_interface_].snapshot_length;
  const std::uint32_t captured =
      limit == 0 ? record.original_length : std::min(limit, record.original_length);
  check_lengths(block_at_, captured, record.original_length);
  if (captured > body.size() - 4) {
    refuse_block("a frame of " + std::to_string(captured) +
                 " bytes that is longer than its block, so the file is damaged");
  }
  record.bytes = body.subspan(4, captured);
  return record;
}

// None: it is not hybridnet's.
std::optional<OwnBlock> PcapngReader::read_custom(Bytes body) const {
  constexpr std::size_t kHead = 8 + 16;
  if (body.size() < 4) refuse_block("a custom block that is too short, so the file is damaged");
  if (u32(body.data()) != pcapng::kEnterprise) return std::nullopt;
  if (body.size() < 8 || u32(body.data() + 4) != pcapng::kNoteTag) return std::nullopt;
  if (body.size() < kHead || u32(body.data() + 12) > body.size() - kHead) {
    refuse_block("a block of hybridnet's that is shorter than it says, so the file is damaged");
  }
  OwnBlock own;
  own.kind = u32(body.data() + 8);
  own.time_ns = static_cast<std::int64_t>(std::uint64_t{u32(body.data() + 16)} << 32 | u32(body.data() + 20));
  own.text = {reinterpret_cast<const char*>(body.data() + kHead), u32(body.data() + 12)};
  return own;
}

std::optional<PcapngReader::Option> PcapngReader::next_option(Bytes& options) const {
  if (options.empty()) return std::nullopt;
  if (options.size() < 4) refuse_block("an option that is cut off, so the file is damaged");
  const std::uint16_t code = u16(options.data());
  const std::uint16_t length = u16(options.data() + 2);
  if (code == option::kEnd) return std::nullopt;
  if (padded(length) > options.size() - 4) {
    refuse_block("option " + std::to_string(code) + " of " + std::to_string(length) +
                 " bytes, longer than its block, so the file is damaged");
  }
  const Option found{code, options.subspan(4, length)};
  options = options.subspan(4 + padded(length));
  return found;
}

// What is between the two lengths, in which case they agree.
PcapngReader::Bytes PcapngReader::body_of(std::uint64_t at, std::uint32_t length) {
  const Bytes rest = file_.take(length - 8);
  const Bytes body = rest.first(rest.size() - 4);
  if (u32(rest.data() + body.size()) != length) {
    file_.refuse(at, "a block whose two lengths differ, so the file is damaged");
  }
  return body;
}

void PcapngReader::check_end(std::uint64_t at, std::uint32_t length) {
  if (u32(file_.take(4).data()) != length) {
    file_.refuse(at, "a block whose two lengths differ, so the file is damaged");
  }
}

std::int64_t PcapngReader::time_of(const Clock& clock, std::uint64_t units) const {
  using Wide = __int128;
  constexpr Wide kSecond = 1'000'000'000;
  Wide ns = static_cast<Wide>(units) * kSecond;
  if (clock.binary) {
    ns >>= clock.power;
  } else {
    for (unsigned i = 0; i < clock.power; ++i) ns /= 10;
  }
  ns += static_cast<Wide>(clock.offset_s) * kSecond;
  if (ns < 0 || ns > std::numeric_limits<std::int64_t>::max()) {
    refuse_block("a time before 1970 or after 2262; `editcap -t SECONDS` moves it");
  }
  return static_cast<std::int64_t>(ns);
}

std::uint16_t PcapngReader::u16(const std::uint8_t* at) const {
  std::uint16_t value = 0;
  std::memcpy(&value, at, sizeof value);
  return swapped_ ? __builtin_bswap16(value) : value;
}

std::uint32_t PcapngReader::u32(const std::uint8_t* at) const {
  std::uint32_t value = 0;
  std::memcpy(&value, at, sizeof value);
  return swapped_ ? __builtin_bswap32(value) : value;
}

std::uint64_t PcapngReader::u64(const std::uint8_t* at) const {
  std::uint64_t value = 0;
  std::memcpy(&value, at, sizeof value);
  return swapped_ ? __builtin_bswap64(value) : value;
}

}  // namespace simcore

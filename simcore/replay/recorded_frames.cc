// SPDX-License-Identifier: MIT
#include "simcore/replay/recorded_frames.h"

#include <algorithm>

#include "simcore/packet/ethernet.h"
#include "simcore/packet/packet_pool.h"
#include "simcore/trace/capture_reader.h"
#include "simcore/units/error.h"

namespace simcore {

void RecordedFrames::add(std::int64_t at_ns, std::span<const std::uint8_t> bytes, std::size_t size) {
  if (bytes.size() < EthernetHeader::kSize || bytes.size() > size || size > PacketPool::kLargestFrame) {
    ++left_out_;
    return;
  }
  if (bytes_.size() + bytes.size() > kMostBytes) {
    throw ConfigError("replay recorded frames: they are more than " + std::to_string(kMostBytes >> 20) +
                      " MB; cut the file, for example with editcap -c");
  }
  if (frames_.empty()) first_ns_ = at_ns;
  const Duration before = frames_.empty() ? Duration::zero() : frames_.back().at;
  const Duration at = Duration::ns(
      static_cast<std::int64_t>(static_cast<std::uint64_t>(at_ns) - static_cast<std::uint64_t>(first_ns_)));
  if (at < before) ++out_of_order_;
  if (bytes.size() < size) ++cut_;
  frames_.push_back({.at = std::max(at, before),
                     .start = bytes_.size(),
                     .stored = static_cast<std::uint32_t>(bytes.size()),
                     .size = static_cast<std::uint32_t>(size)});
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  wire_bytes_ += size;
  largest_ = std::max(largest_, frames_.back().size);
}

RecordedFrames read_recorded(const std::string& file) {
  RecordedFrames frames;
  const auto reader = open_capture(file);
  while (const auto record = reader->next()) {
    const bool ethernet = reader->interfaces()[record->interface].link_type == kEthernetLinkType;
    if (ethernet) {
      frames.add(record->time_ns, record->bytes, record->original_length);
    } else {
      frames.leave_out();
    }
  }
  return frames;
}

}  // namespace simcore

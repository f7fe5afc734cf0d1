// SPDX-License-Identifier: MIT
#include "simcore/tcp/header_options.h"

namespace simcore {

namespace {

enum Kind : std::uint8_t {
  kEnd = 0,
  kNoOperation = 1,
  kMss = 2,
  kWindowScale = 3,
  kSackPermitted = 4,
  kSack = 5,
  kTimestamps = 8,
};

std::uint32_t read32(const std::uint8_t* at) {
  return static_cast<std::uint32_t>(at[0]) << 24 | static_cast<std::uint32_t>(at[1]) << 16 |
         static_cast<std::uint32_t>(at[2]) << 8 | static_cast<std::uint32_t>(at[3]);
}

std::uint8_t* put8(std::uint8_t* at, std::uint8_t value) {
  *at = value;
  return at + 1;
}

std::uint8_t* put16(std::uint8_t* at, std::uint16_t value) {
  return put8(put8(at, static_cast<std::uint8_t>(value >> 8)), static_cast<std::uint8_t>(value));
}

std::uint8_t* put32(std::uint8_t* at, std::uint32_t value) {
  return put16(put16(at, static_cast<std::uint16_t>(value >> 16)), static_cast<std::uint16_t>(value));
}

// One option's content, its kind and length already taken off.
bool take(TcpHeaderOptions& options, std::uint8_t kind, std::span<const std::uint8_t> content) {
  switch (kind) {
    case kMss:
      if (content.size() != 2) return false;
      options.mss = static_cast<std::uint16_t>(content[0] << 8 | content[1]);
      return true;
    case kWindowScale:
      if (content.size() != 1) return false;
      options.window_scale = content[0];
      return true;
    case kSackPermitted:
      options.sack_permitted = content.empty();
      return content.empty();
    case kSack:
      if (content.empty() || content.size() % 8 != 0) return false;
      options.sack.count = 0;
      for (std::size_t at = 0; at < content.size() && options.sack.count < SackBlocks::kMost; at += 8) {
        options.sack.add({SeqNum(read32(&content[at])), SeqNum(read32(&content[at + 4]))});
      }
      return true;
    case kTimestamps:
      if (content.size() != 8) return false;
      options.timestamps = TcpTimestamps{read32(&content[0]), read32(&content[4])};
      return true;
    default:
      return true;
  }
}

}  // namespace

std::size_t TcpHeaderOptions::size() const {
  std::size_t bytes = 0;
  if (mss) bytes += 4;
  if (window_scale) bytes += 4;
  if (timestamps) {
    bytes += 12;  // SACK permitted takes the place of the padding
  } else if (sack_permitted) {
    bytes += 4;
  }
  if (sack.count > 0) bytes += 4 + 8u * sack.count;
  return bytes;
}

std::size_t TcpHeaderOptions::write(std::span<std::uint8_t> out) const {
  std::uint8_t* at = out.data();
  if (mss) at = put16(put8(put8(at, kMss), 4), *mss);
  if (timestamps || sack_permitted) {
    if (sack_permitted) {
      at = put8(put8(at, kSackPermitted), 2);
    } else {
      at = put8(put8(at, kNoOperation), kNoOperation);
    }
    if (timestamps) {
      at = put8(put8(at, kTimestamps), 10);
      at = put32(put32(at, timestamps->value), timestamps->echo);
    } else {
      at = put8(put8(at, kNoOperation), kNoOperation);
    }
  }
  if (window_scale) at = put8(put8(put8(put8(at, kNoOperation), kWindowScale), 3), *window_scale);
  if (sack.count > 0) {
    at = put8(put8(at, kNoOperation), kNoOperation);
    at = put8(put8(at, kSack), static_cast<std::uint8_t>(2 + 8 * sack.count));
    for (const SackBlock& block : sack.used()) at = put32(put32(at, block.left.value()), block.right.value());
  }
  return static_cast<std::size_t>(at - out.data());
}

std::optional<TcpHeaderOptions> TcpHeaderOptions::parse(std::span<const std::uint8_t> area) {
  TcpHeaderOptions options;
  std::size_t at = 0;
  while (at < area.size() && area[at] != kEnd) {
    if (area[at] == kNoOperation) {
      ++at;
      continue;
    }
    if (at + 1 >= area.size()) return std::nullopt;
    const std::size_t length = area[at + 1];
    if (length < 2 || at + length > area.size()) return std::nullopt;
    if (!take(options, area[at], area.subspan(at + 2, length - 2))) return std::nullopt;
    at += length;
  }
  return options;
}

}  // namespace simcore

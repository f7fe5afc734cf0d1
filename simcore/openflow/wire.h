// SPDX-License-Identifier: MIT
//
// Reader and Writer: the fields of a message, big-endian, one after the other. A Reader never leaves its bytes: where
// they end too soon, or too late, it throws the error that its maker named.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "simcore/openflow/protocol.h"
#include "simcore/packet/byte_order.h"

namespace simcore::openflow {

class Reader {
 public:
  Reader(std::span<const std::uint8_t> bytes, ErrorCode too_short) : bytes_(bytes), too_short_(too_short) {}

  std::uint8_t u8() { return *take(1).data(); }
  std::uint16_t u16() { return load_be16(take(2).data()); }
  std::uint32_t u32() { return load_be32(take(4).data()); }
  std::uint64_t u64() { return load_be64(take(8).data()); }
  void skip(std::size_t count) { take(count); }
  std::span<const std::uint8_t> take(std::size_t count) {
    if (count > bytes_.size()) throw ProtocolError(too_short_);
    const auto taken = bytes_.first(count);
    bytes_ = bytes_.subspan(count);
    return taken;
  }
  // The next bytes by themselves. Where so many are not there, it throws `too_short`, too.
  Reader sub(std::size_t count, ErrorCode too_short) {
    if (count > bytes_.size()) throw ProtocolError(too_short);
    return {take(count), too_short};
  }
  // All has been read.
  void end() const {
    if (!bytes_.empty()) throw ProtocolError(too_short_);
  }
  std::span<const std::uint8_t> rest() const { return bytes_; }
  std::size_t left() const { return bytes_.size(); }
  bool empty() const { return bytes_.empty(); }

 private:
  std::span<const std::uint8_t> bytes_;
  ErrorCode too_short_;
};

// Appends to `out`, which must outlive it.
class Writer {
 public:
  explicit Writer(std::vector<std::uint8_t>& out) : out_(out) {}

  void u8(std::uint8_t value) { out_.push_back(value); }
  void u16(std::uint16_t value) { store_be16(grow(2), value); }
  void u32(std::uint32_t value) { store_be32(grow(4), value); }
  void u64(std::uint64_t value) { store_be64(grow(8), value); }
  void zeros(std::size_t count) { out_.resize(out_.size() + count); }
  void bytes(std::span<const std::uint8_t> bytes) { out_.insert(out_.end(), bytes.begin(), bytes.end()); }
  // `text` in a field of `size` bytes, which ends in a zero.
  void text(std::string_view text, std::size_t size) {
    const std::size_t begin = out_.size();
    zeros(size);
    for (std::size_t at = 0; at < text.size() && at + 1 < size; ++at)
      out_[begin + at] = static_cast<std::uint8_t>(text[at]);
  }
  // Zeros up to a multiple of 8 bytes after `begin`.
  void pad(std::size_t begin) { zeros((8 - (size() - begin) % 8) % 8); }
  std::size_t size() const { return out_.size(); }
  void set16(std::size_t at, std::size_t value) {
    store_be16(out_.data() + at, static_cast<std::uint16_t>(value));
  }

 private:
  std::uint8_t* grow(std::size_t count) {
    out_.resize(out_.size() + count);
    return out_.data() + out_.size() - count;
  }

  std::vector<std::uint8_t>& out_;
};

}  // namespace simcore::openflow

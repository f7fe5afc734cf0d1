// SPDX-License-Identifier: MIT
//
// CaptureBytes: a capture file put together by hand, number after number, in the byte order of this machine.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace simcore::testing {

using Bytes = std::vector<std::uint8_t>;

class CaptureBytes {
 public:
  CaptureBytes& u8(std::uint8_t value) { return put(value); }
  CaptureBytes& u16(std::uint16_t value) { return put(value); }
  CaptureBytes& u32(std::uint32_t value) { return put(value); }
  CaptureBytes& u64(std::uint64_t value) { return put(value); }
  CaptureBytes& text(std::string_view text) {
    bytes_.insert(bytes_.end(), text.begin(), text.end());
    return *this;
  }
  CaptureBytes& append(const CaptureBytes& more) {
    bytes_.insert(bytes_.end(), more.bytes_.begin(), more.bytes_.end());
    return *this;
  }

  // A block of pcapng around `body`, which ends at a multiple of 4.
  CaptureBytes& block(std::uint32_t type, const CaptureBytes& body) {
    const auto length = static_cast<std::uint32_t>(12 + body.bytes_.size());
    return u32(type).u32(length).append(body).u32(length);
  }

  const Bytes& bytes() const { return bytes_; }

 private:
  template <class T>
  CaptureBytes& put(T value) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + sizeof value);
    std::memcpy(bytes_.data() + at, &value, sizeof value);
    return *this;
  }

  Bytes bytes_;
};

}  // namespace simcore::testing

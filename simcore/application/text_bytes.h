// SPDX-License-Identifier: MIT
//
// Text as the bytes that sockets take.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace simcore {

inline std::span<const std::uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

}  // namespace simcore

// SPDX-License-Identifier: MIT
//
// Numbers of a header: big-endian, at any alignment. Whoever calls these has checked that
// the bytes are there.
#pragma once

#include <cstdint>

namespace simcore {

inline std::uint16_t load_be16(const std::uint8_t* at) {
  return static_cast<std::uint16_t>(at[0] << 8 | at[1]);
}

inline std::uint32_t load_be32(const std::uint8_t* at) {
  return std::uint32_t{load_be16(at)} << 16 | load_be16(at + 2);
}

inline std::uint64_t load_be64(const std::uint8_t* at) {
  return std::uint64_t{load_be32(at)} << 32 | load_be32(at + 4);
}

inline void store_be16(std::uint8_t* at, std::uint16_t value) {
  at[0] = static_cast<std::uint8_t>(value >> 8);
  at[1] = static_cast<std::uint8_t>(value);
}

inline void store_be32(std::uint8_t* at, std::uint32_t value) {
  store_be16(at, static_cast<std::uint16_t>(value >> 16));
  store_be16(at + 2, static_cast<std::uint16_t>(value));
}

inline void store_be64(std::uint8_t* at, std::uint64_t value) {
  store_be32(at, static_cast<std::uint32_t>(value >> 32));
  store_be32(at + 4, static_cast<std::uint32_t>(value));
}

}  // namespace simcore

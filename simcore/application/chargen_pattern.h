// SPDX-License-Identifier: MIT
//
// The text of a character generator (RFC 864): lines of 72 of the 95 printing characters, each line shifted by one.
#pragma once

#include <cstdint>
#include <span>

namespace simcore {

// Fills `out` with the text from `offset` on.
inline void write_chargen(std::uint64_t offset, std::span<std::uint8_t> out) {
  constexpr std::uint64_t kLine = 72;
  constexpr std::uint64_t kCharacters = 95;  // from the space on
  for (std::uint8_t& byte : out) {
    const std::uint64_t line = offset / (kLine + 2);
    const std::uint64_t column = offset % (kLine + 2);
    byte = column == kLine       ? static_cast<std::uint8_t>('\r')
           : column == kLine + 1 ? static_cast<std::uint8_t>('\n')
                                 : static_cast<std::uint8_t>(' ' + (line + column) % kCharacters);
    ++offset;
  }
}

}  // namespace simcore

// SPDX-License-Identifier: MIT
//
// Random numbers of the kernel: nobody can foretell them, and no run repeats them. What a simulation draws comes from
// its own streams.
#pragma once

#include <cstdint>
#include <span>

namespace simcore {

// Throws SystemError.
void fill_with_random(std::span<std::uint8_t> bytes);
std::uint64_t random_u64();

}  // namespace simcore

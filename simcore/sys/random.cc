// SPDX-License-Identifier: MIT
#include "simcore/sys/random.h"

#include <sys/random.h>

#include <array>
#include <cstring>

#include "simcore/sys/checked_call.h"

namespace simcore {

void fill_with_random(std::span<std::uint8_t> bytes) {
  while (!bytes.empty()) {  // more than 256 bytes may come in parts
    const ssize_t got =
        checked(::getrandom(bytes.data(), bytes.size(), 0), "get random bytes from the kernel");
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
}

std::uint64_t random_u64() {
  std::array<std::uint8_t, sizeof(std::uint64_t)> bytes;
  fill_with_random(bytes);
  std::uint64_t number = 0;
  std::memcpy(&number, bytes.data(), sizeof number);
  return number;
}

}  // namespace simcore

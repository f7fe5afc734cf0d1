// SPDX-License-Identifier: MIT
#include "simcore/sys/shallow_idle.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <optional>

#include "simcore/sys/file_descriptor.h"

namespace simcore {
namespace {

// What all requests together allow, in microseconds; none where it cannot be read.
std::optional<std::int32_t> allowed_us() {
  const FileDescriptor file(::open("/dev/cpu_dma_latency", O_RDONLY | O_CLOEXEC));
  std::int32_t microseconds = 0;
  if (!file.valid() || ::read(file.get(), &microseconds, sizeof microseconds) != sizeof microseconds)
    return std::nullopt;
  return microseconds;
}

TEST(ShallowIdle, holds_its_bound_for_as_long_as_it_lives) {
  const std::optional<std::int32_t> before = allowed_us();
  {
    const ShallowIdle idle;
    if (idle.refused()) GTEST_SKIP() << "/dev/cpu_dma_latency cannot be written";
    EXPECT_LE(allowed_us(), ShallowIdle::bound().count_ns() / 1'000);
  }
  EXPECT_EQ(allowed_us(), before);
}

TEST(ShallowIdle, asks_for_no_more_than_leaves_the_first_state) {
  EXPECT_GE(ShallowIdle::bound(), Duration::zero());
  EXPECT_LE(ShallowIdle::bound(), Duration::us(2));
}

}  // namespace
}  // namespace simcore

// SPDX-License-Identifier: MIT
#include "simcore/sys/capture_filter.h"

#include <gtest/gtest.h>

#include <string>

#include "simcore/units/error.h"

namespace simcore {
namespace {

TEST(CaptureFilterTest, compiles_to_a_program) {
  EXPECT_GT(CaptureFilter("udp port 53").program().bf_len, 1u);
}

TEST(CaptureFilterTest, nonsense_is_refused_with_its_text) {
  try {
    const CaptureFilter filter("udp prot 53");
    FAIL() << "compiled nonsense";
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("udp prot 53"), std::string::npos);
  }
}

}  // namespace
}  // namespace simcore

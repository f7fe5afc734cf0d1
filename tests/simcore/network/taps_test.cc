// SPDX-License-Identifier: MIT
#include "simcore/network/taps.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "simcore/units/error.h"

namespace simcore {
namespace {

constexpr std::uintmax_t kPcapHeader = 24;  // bytes

TEST(Taps, one_capture_that_cannot_be_written_keeps_no_other_from_its_end) {
  const std::string whole = ::testing::TempDir() + "taps_test." + std::to_string(::getpid()) + ".pcap";
  Taps taps;
  taps.add_capture("h1-eth0", "/dev/full", {});
  taps.add_capture("h2-eth0", whole, {});
  taps.begin(0);
  EXPECT_THROW(taps.close(), SystemError);
  EXPECT_EQ(std::filesystem::file_size(whole), kPcapHeader);
  std::filesystem::remove(whole);
}

}  // namespace
}  // namespace simcore

// SPDX-License-Identifier: MIT
#include "simcore/packet/checksum.h"

#include <gtest/gtest.h>

#include "tests/simcore/packet/frames.h"

namespace simcore {
namespace {

using testing::Bytes;
using testing::pattern;

// The definition, word by word.
std::uint16_t slow_sum(const Bytes& bytes) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < bytes.size(); i += 2) {
    sum += static_cast<std::uint32_t>(bytes[i] << 8) + (i + 1 < bytes.size() ? bytes[i + 1] : 0U);
    sum = (sum & 0xffff) + (sum >> 16);
  }
  return static_cast<std::uint16_t>(sum);
}

std::uint16_t fast_sum(const Bytes& bytes) {
  ChecksumSum sum;
  sum.add(bytes);
  return sum.folded();
}

TEST(Checksum, example_of_rfc_1071) {
  // Section 3: 0001 f203 f4f5 f6f7 sum to ddf2.
  EXPECT_EQ(fast_sum({0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7}), 0xddf2);
}

TEST(Checksum, every_length_sums_as_the_definition_says) {
  for (std::size_t size = 0; size < 200; ++size)
    EXPECT_EQ(fast_sum(pattern(size)), slow_sum(pattern(size))) << size;
}

TEST(Checksum, carries_of_a_large_train_are_not_lost) {
  EXPECT_EQ(fast_sum(Bytes(65'535, 0xff)), slow_sum(Bytes(65'535, 0xff)));
  EXPECT_EQ(fast_sum(pattern(65'557)), slow_sum(pattern(65'557)));
}

TEST(Checksum, pieces_sum_as_the_whole) {
  const Bytes whole = pattern(99);
  for (std::size_t cut = 0; cut <= 98; cut += 2) {
    ChecksumSum sum;
    sum.add(std::span(whole).first(cut));
    sum.add(std::span(whole).subspan(cut));
    EXPECT_EQ(sum.folded(), slow_sum(whole)) << cut;
  }
}

TEST(Checksum, pseudo_header_is_addresses_protocol_and_length) {
  ChecksumSum sum;
  sum.add_pseudo_header(Ipv4Address::parse("10.0.0.1"), Ipv4Address::parse("10.0.1.2"), 6, 1'480);
  EXPECT_EQ(sum.folded(), 0x0a00 + 0x0001 + 0x0a00 + 0x0102 + 6 + 1'480);
}

TEST(Checksum, update_equals_computing_anew) {
  Bytes bytes = pattern(40);
  for (std::uint32_t value = 0; value <= 0xffff; value += 0x0101) {
    const auto before = static_cast<std::uint16_t>(~fast_sum(bytes));
    const std::uint16_t old = load_be16(bytes.data() + 6);
    store_be16(bytes.data() + 6, static_cast<std::uint16_t>(value));
    EXPECT_EQ(updated_checksum(before, old, static_cast<std::uint16_t>(value)),
              static_cast<std::uint16_t>(~fast_sum(bytes)));
  }
}

TEST(Checksum, update_gives_the_zero_of_rfc_1624_section_4) {
  // HC = dd2f, m = 5555, m' = 3285 must give 0000, not ffff.
  EXPECT_EQ(updated_checksum(0xdd2f, 0x5555, 0x3285), 0x0000);
}

}  // namespace
}  // namespace simcore

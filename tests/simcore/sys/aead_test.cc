// SPDX-License-Identifier: MIT
#include "simcore/sys/aead.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace simcore {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes of_hex(const std::string& text) {
  Bytes bytes;
  for (std::size_t i = 0; i < text.size(); i += 2)
    bytes.push_back(static_cast<std::uint8_t>(std::stoi(text.substr(i, 2), nullptr, 16)));
  return bytes;
}

template <class Array>
Array array_of(const Bytes& bytes) {
  Array array{};
  std::copy(bytes.begin(), bytes.end(), array.begin());
  return array;
}

// Test case 16 of McGrew and Viega, "The Galois/Counter Mode of Operation (GCM)", appendix B.
class AeadTest : public ::testing::Test {
 protected:
  Bytes closed_in_parts(std::size_t first) {
    Bytes to(text.size() + Aead::kTag);
    const std::span<const std::uint8_t> bytes(text);
    aead.close(nonce, clear, bytes.first(first), bytes.subspan(first), to);
    return to;
  }

  const Bytes half_key = of_hex("feffe9928665731c6d6a8f9467308308");
  const Aead::Nonce nonce = array_of<Aead::Nonce>(of_hex("cafebabefacedbaddecaf888"));
  const Bytes clear = of_hex("feedfacedeadbeeffeedfacedeadbeefabaddad2");
  const Bytes text = of_hex(
      "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
      "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39");
  const Bytes closed = of_hex(
      "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
      "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662"
      "76fc6ece0f4e1768cddf8853bb2d551b");
  Aead aead{[this] {
    Bytes key = half_key;
    key.insert(key.end(), half_key.begin(), half_key.end());
    return array_of<Aead::Key>(key);
  }()};
};

TEST_F(AeadTest, closes_as_the_standard_says_however_the_text_is_parted) {
  for (std::size_t first = 0; first <= text.size(); ++first)
    EXPECT_EQ(closed_in_parts(first), closed) << first;
}

TEST_F(AeadTest, opens_what_was_closed_also_where_it_lies) {
  Bytes in_place = closed;
  const auto opened = aead.open(nonce, clear, in_place, in_place);
  ASSERT_TRUE(opened);
  EXPECT_EQ(Bytes(opened->begin(), opened->end()), text);
}

TEST_F(AeadTest, closes_long_texts_as_short_ones_however_they_are_parted) {
  for (const std::size_t size : {1'440, 2'048, 2'049, 9'000}) {
    Bytes whole;
    while (whole.size() < size) whole.push_back(static_cast<std::uint8_t>(whole.size() * 7));
    const std::span<const std::uint8_t> bytes(whole);
    Bytes at_once(size + Aead::kTag);
    aead.close(nonce, clear, {}, bytes, at_once);
    for (const std::size_t first : {std::size_t{1}, std::size_t{64}, size}) {
      Bytes in_parts(at_once.size());
      aead.close(nonce, clear, bytes.first(first), bytes.subspan(first), in_parts);
      EXPECT_EQ(in_parts, at_once) << size << ", " << first;
    }
    const auto opened = aead.open(nonce, clear, at_once, at_once);
    ASSERT_TRUE(opened) << size;
    EXPECT_EQ(Bytes(opened->begin(), opened->end()), whole);
  }
}

TEST_F(AeadTest, opens_nothing_that_was_changed) {
  Bytes to(closed.size());
  for (std::size_t at = 0; at < closed.size(); ++at) {
    Bytes changed = closed;
    changed[at] ^= 1;
    EXPECT_FALSE(aead.open(nonce, clear, changed, to)) << at;
  }
  EXPECT_FALSE(aead.open(nonce, std::span(clear).first(19), closed, to));
  EXPECT_FALSE(aead.open(array_of<Aead::Nonce>(Bytes(12, 1)), clear, closed, to));
}

TEST_F(AeadTest, an_empty_text_is_authenticated_too) {
  Bytes tag(Aead::kTag);
  aead.close(nonce, clear, {}, {}, tag);
  EXPECT_TRUE(aead.open(nonce, clear, tag, {}));
  tag[0] ^= 1;
  EXPECT_FALSE(aead.open(nonce, clear, tag, {}));
}

}  // namespace
}  // namespace simcore

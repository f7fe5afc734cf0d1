// SPDX-License-Identifier: MIT
#include "simcore/packet/neighbour_message.h"

#include <gtest/gtest.h>

#include "tests/simcore/packet/frames6.h"

namespace simcore::testing {
namespace {

const Ipv6Ends kEnds{Ipv6Address::parse("2001:db8::1"), Ipv6Address::parse("2001:db8::2")};

Bytes written(const NeighbourMessage& message) {
  Bytes bytes(message.size());
  message.write_to(bytes, kEnds);
  return bytes;
}

std::optional<NeighbourMessage> read(const Bytes& bytes) {
  return NeighbourMessage::parse(*Icmpv6Header::parse(bytes));
}

TEST(NeighbourMessage, reads_what_was_written) {
  const NeighbourMessage question{.advertisement = false,
                                  .target = Ipv6Address::parse("2001:db8::2"),
                                  .mac = MacAddress::of(0x02'0000'0000'01)};
  EXPECT_EQ(written(question).size(), 32U);
  EXPECT_EQ(read(written(question)), question);
  const NeighbourMessage answer{.advertisement = true,
                                .target = Ipv6Address::parse("2001:db8::2"),
                                .mac = MacAddress::of(0x02'0000'0000'02),
                                .router = true,
                                .solicited = true,
                                .overrides = true};
  EXPECT_EQ(read(written(answer)), answer);
  NeighbourMessage bare = answer;
  bare.mac.reset();
  bare.router = false;
  EXPECT_EQ(written(bare).size(), 24U);
  EXPECT_EQ(read(written(bare)), bare);
}

TEST(NeighbourMessage, options_that_nobody_knows_are_passed_over) {
  Bytes bytes = written({.advertisement = false, .target = kEnds.destination, .mac = std::nullopt});
  const Bytes nonce = {14, 1, 1, 2, 3, 4, 5, 6};
  const Bytes source = {1, 1, 2, 0, 0, 0, 0, 9};
  bytes.insert(bytes.end(), nonce.begin(), nonce.end());
  bytes.insert(bytes.end(), source.begin(), source.end());
  EXPECT_EQ(read(bytes)->mac, MacAddress::of(0x02'0000'0000'09));
}

TEST(NeighbourMessage, refuses_what_is_cut_short_or_contradicts_itself) {
  const NeighbourMessage message{
      .advertisement = false, .target = kEnds.destination, .mac = MacAddress::of(2)};
  Bytes bytes = written(message);
  EXPECT_FALSE(read({bytes.begin(), bytes.end() - 1}));
  EXPECT_FALSE(read({bytes.begin(), bytes.begin() + 23}));
  bytes[25] = 0;  // an option of no length
  EXPECT_FALSE(read(bytes));
  bytes = written(message);
  bytes[1] = 1;  // code
  EXPECT_FALSE(read(bytes));
  bytes = written(message);
  bytes[8] = 0xff;  // a multicast target
  EXPECT_FALSE(read(bytes));
}

}  // namespace
}  // namespace simcore::testing

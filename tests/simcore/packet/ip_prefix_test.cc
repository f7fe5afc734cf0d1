// SPDX-License-Identifier: MIT
#include "simcore/packet/ip_prefix.h"

#include <gtest/gtest.h>

#include "simcore/units/error.h"

namespace simcore {
namespace {

TEST(IpPrefix, text_decides_the_family) {
  EXPECT_EQ(parse_ip_prefix("10.0.0.0/8"), IpPrefix(Ipv4Prefix::parse("10.0.0.0/8")));
  EXPECT_EQ(parse_ip_prefix("::/0"), IpPrefix(Ipv6Prefix::parse("::/0")));
  EXPECT_THROW(parse_ip_prefix("10.0.0.1/8"), ConfigError);
  EXPECT_THROW(parse_ip_prefix("2001:db8::1/64"), ConfigError);
  EXPECT_THROW(parse_ip_prefix("default"), ConfigError);
}

}  // namespace
}  // namespace simcore

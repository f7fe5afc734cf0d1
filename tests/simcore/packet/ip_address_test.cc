// SPDX-License-Identifier: MIT
#include "simcore/packet/ip_address.h"

#include <gtest/gtest.h>

#include "simcore/units/error.h"

namespace simcore {
namespace {

TEST(IpAddress, text_decides_the_family_and_comes_back) {
  const IpAddress four = IpAddress::parse("10.0.0.1");
  EXPECT_TRUE(four.is_v4());
  EXPECT_EQ(four.v4(), Ipv4Address::parse("10.0.0.1"));
  EXPECT_EQ(four.to_string(), "10.0.0.1");
  EXPECT_EQ(four.with_port(80), "10.0.0.1:80");
  const IpAddress six = IpAddress::parse("2001:db8::1");
  EXPECT_TRUE(six.is_v6());
  EXPECT_EQ(six.v6(), Ipv6Address::parse("2001:db8::1"));
  EXPECT_EQ(six.with_port(80), "[2001:db8::1]:80");
  EXPECT_NE(four, six);
}

TEST(IpAddress, refuses_what_is_of_neither_family) {
  EXPECT_THROW(IpAddress::parse("10.0.0"), ConfigError);
  EXPECT_THROW(IpAddress::parse("2001:db8"), ConfigError);
  EXPECT_THROW(IpAddress::parse("example.org"), ConfigError);
}

}  // namespace
}  // namespace simcore

// SPDX-License-Identifier: MIT
#include "simcore/packet/ipv6_address.h"

#include <gtest/gtest.h>

#include <array>

#include "simcore/units/error.h"

namespace simcore {
namespace {

template <class Type>
std::string error_of(std::string_view text) {
  try {
    Type::parse(text);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Ipv6Address, every_way_to_write_an_address_becomes_the_one_of_rfc_5952) {
  const std::array<std::pair<const char*, const char*>, 12> cases{{
      {"2001:db8:0:0:0:0:0:1", "2001:db8::1"},
      {"2001:DB8::0001", "2001:db8::1"},
      {"::", "::"},
      {"::1", "::1"},
      {"1::", "1::"},
      {"0:0:1:0:0:0:0:1", "0:0:1::1"},                   // the longest run
      {"2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"},     // of two equal ones the first
      {"2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"},  // a single zero group stays
      {"fe80::ff:fe00:1", "fe80::ff:fe00:1"},
      {"::ffff:192.0.2.1", "::ffff:c000:201"},
      {"64:ff9b::192.0.2.33", "64:ff9b::c000:221"},
      {"1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"},
  }};
  for (const auto& [text, canonical] : cases) {
    EXPECT_EQ(Ipv6Address::parse(text).to_string(), canonical) << text;
    EXPECT_EQ(Ipv6Address::parse(canonical), Ipv6Address::parse(text)) << text;
  }
}

TEST(Ipv6Address, text_and_bytes_say_the_same) {
  const Ipv6Address address = Ipv6Address::parse("2001:db8::ff00:42:8329");
  EXPECT_EQ(address, Ipv6Address::of(0x2001'0db8'0000'0000, 0x0000'ff00'0042'8329));
  std::array<std::uint8_t, 16> bytes{};
  address.write_to(bytes.data());
  EXPECT_EQ(bytes[0], 0x20);
  EXPECT_EQ(bytes[15], 0x29);
  EXPECT_EQ(Ipv6Address::from(bytes.data()), address);
}

TEST(Ipv6Address, refuses_what_is_none_and_names_it) {
  for (const char* text : {"", ":", ":::", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3",
                           "12345::", "g::", "1:", ":1", "1:2:3:4:5:6:7:8::", "fe80::1%eth0", "::1.2.3",
                           "::1.2.3.4:5", "1.2.3.4", " ::1", "::/0", "+1::", "::256.0.0.1"}) {
    EXPECT_NE(error_of<Ipv6Address>(text).find(std::string("\"") + text + "\" is not one"), std::string::npos)
        << text << ": " << error_of<Ipv6Address>(text);
  }
}

TEST(Ipv6Address, kinds_are_told_by_their_first_bits) {
  EXPECT_TRUE(Ipv6Address::parse("fe80::1").is_link_local());
  EXPECT_TRUE(Ipv6Address::parse("febf::1").is_link_local());
  EXPECT_FALSE(Ipv6Address::parse("fec0::1").is_link_local());
  EXPECT_TRUE(Ipv6Address::parse("ff02::1").is_multicast());
  EXPECT_TRUE(Ipv6Address::parse("2001:db8::1").is_unicast());
  EXPECT_TRUE(Ipv6Address::parse("fe80::1").is_unicast());
  for (const char* text : {"::", "::1", "ff02::1", "::ffff:10.0.0.1"}) {
    EXPECT_FALSE(Ipv6Address::parse(text).is_unicast()) << text;
  }
}

TEST(Ipv6Address, a_link_local_address_carries_the_mac_with_the_universal_bit_inverted) {
  const MacAddress mac = MacAddress::parse("02:11:22:33:44:55");
  EXPECT_EQ(Ipv6Address::link_local_of(mac).to_string(), "fe80::11:22ff:fe33:4455");
  EXPECT_EQ(Ipv6Address::link_local_of(MacAddress::parse("00:11:22:33:44:55")).to_string(),
            "fe80::211:22ff:fe33:4455");
}

TEST(Ipv6Address, the_group_that_an_address_is_asked_in_ends_in_its_last_three_bytes) {
  const Ipv6Address group = Ipv6Address::parse("2001:db8::1:800:200e:8c6c").solicited_node();
  EXPECT_EQ(group.to_string(), "ff02::1:ff0e:8c6c");
  EXPECT_EQ(group.group_mac().to_string(), "33:33:ff:0e:8c:6c");
  EXPECT_EQ(Ipv6Address::all_nodes().group_mac().to_string(), "33:33:00:00:00:01");
}

TEST(Ipv6Prefix, holds_the_addresses_that_begin_with_it) {
  const Ipv6Prefix prefix = Ipv6Prefix::parse("2001:db8:0:8000::/49");
  EXPECT_TRUE(prefix.contains(Ipv6Address::parse("2001:db8:0:ffff::1")));
  EXPECT_FALSE(prefix.contains(Ipv6Address::parse("2001:db8:0:7fff::1")));
  EXPECT_EQ(Ipv6Prefix::around(Ipv6Address::parse("2001:db8::5:6"), 112).to_string(), "2001:db8::5:0/112");
  EXPECT_TRUE(Ipv6Prefix::parse("::/0").contains(Ipv6Address::parse("ffff::")));
  const Ipv6Prefix host = Ipv6Prefix::parse("2001:db8::1/128");
  EXPECT_TRUE(host.contains(Ipv6Address::parse("2001:db8::1")));
  EXPECT_FALSE(host.contains(Ipv6Address::parse("2001:db8::2")));
}

TEST(Ipv6Prefix, refuses_bits_below_its_length_and_says_what_to_write) {
  EXPECT_NE(error_of<Ipv6Prefix>("2001:db8::1/64").find("write \"2001:db8::/64\""), std::string::npos);
  for (const char* text :
       {"2001:db8::", "2001:db8::/129", "2001:db8::/064", "2001:db8::/", "2001:db8::/-1", "10.0.0.0/8"}) {
    EXPECT_NE(error_of<Ipv6Prefix>(text).find("is not one"), std::string::npos) << text;
  }
}

TEST(Ipv6InterfaceAddress, is_one_that_a_host_may_have_beyond_its_link) {
  const Ipv6InterfaceAddress address = Ipv6InterfaceAddress::parse("2001:db8::1/64");
  EXPECT_EQ(address.address().to_string(), "2001:db8::1");
  EXPECT_EQ(address.prefix().to_string(), "2001:db8::/64");
  EXPECT_EQ(address.to_string(), "2001:db8::1/64");
  EXPECT_EQ(error_of<Ipv6InterfaceAddress>("2001:db8::/127"), "accepted");
  EXPECT_NE(error_of<Ipv6InterfaceAddress>("2001:db8::/64").find("names the routers"), std::string::npos);
  EXPECT_NE(error_of<Ipv6InterfaceAddress>("fe80::1/64").find("link-local"), std::string::npos);
  EXPECT_NE(error_of<Ipv6InterfaceAddress>("ff02::1/64").find("none that a host may have"),
            std::string::npos);
  EXPECT_NE(error_of<Ipv6InterfaceAddress>("2001:db8::1").find("write address and length"),
            std::string::npos);
}

}  // namespace
}  // namespace simcore

// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "simcore/packet/ipv4_address.h"
#include "simcore/packet/mac_address.h"
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

TEST(MacAddress, text_and_bytes_say_the_same) {
  const MacAddress mac = MacAddress::parse("02:00:5e:0A:ff:01");
  EXPECT_EQ(mac, MacAddress::of(0x02'005e'0aff'01));
  EXPECT_EQ(mac.to_string(), "02:00:5e:0a:ff:01");
  EXPECT_EQ(MacAddress::parse("02-00-5e-0a-ff-01"), mac);
  std::uint8_t bytes[6] = {};
  mac.write_to(bytes);
  EXPECT_EQ(bytes[0], 0x02);
  EXPECT_EQ(bytes[5], 0x01);
  EXPECT_EQ(MacAddress::from(bytes), mac);
}

TEST(MacAddress, group_addresses_are_told_by_the_lowest_bit_of_the_first_octet) {
  EXPECT_TRUE(MacAddress::parse("01:80:c2:00:00:0e").is_multicast());
  EXPECT_TRUE(MacAddress::broadcast().is_multicast());
  EXPECT_TRUE(MacAddress::broadcast().is_broadcast());
  EXPECT_FALSE(MacAddress::parse("02:80:c2:00:00:0e").is_multicast());
}

TEST(MacAddress, refuses_what_is_none_and_names_it) {
  for (const char* text :
       {"", "02:00:00:00:00", "02:00:00:00:00:0g", "02:00:00:00:00:01:", "02:00:00:00:00-01", "020000000001",
        "02:00:00:00:00: 1", "+2:00:00:00:00:01", "02.00.00.00.00.01"}) {
    EXPECT_NE(error_of<MacAddress>(text).find('"' + std::string(text) + '"'), std::string::npos) << text;
  }
}

TEST(Ipv4Address, text_and_value_say_the_same) {
  EXPECT_EQ(Ipv4Address::parse("10.1.2.255").value(), 0x0a0102ffU);
  EXPECT_EQ(Ipv4Address::of(0xc0a80001).to_string(), "192.168.0.1");
  EXPECT_EQ(Ipv4Address::parse("0.0.0.0"), Ipv4Address::any());
}

TEST(Ipv4Address, refuses_what_is_none_and_names_it) {
  for (const char* text : {"", "10.0.0", "10.0.0.0.1", "10.0.0.256", "10.0.0.-1", "10.0.0.1 ", "10.0.0.01",
                           "a.b.c.d", "10..0.1", "10.0.0.", "10.0.0.1/8"}) {
    EXPECT_NE(error_of<Ipv4Address>(text).find('"' + std::string(text) + '"'), std::string::npos) << text;
  }
}

TEST(Ipv4Address, only_addresses_of_single_hosts_are_unicast) {
  for (const char* text :
       {"0.0.0.0", "0.1.2.3", "127.0.0.1", "224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255"}) {
    EXPECT_FALSE(Ipv4Address::parse(text).is_unicast()) << text;
  }
  for (const char* text : {"1.0.0.1", "10.0.0.1", "126.255.255.255", "128.0.0.1", "223.255.255.254"}) {
    EXPECT_TRUE(Ipv4Address::parse(text).is_unicast()) << text;
  }
}

TEST(Ipv4Prefix, holds_exactly_its_addresses) {
  const Ipv4Prefix prefix = Ipv4Prefix::parse("10.1.128.0/17");
  EXPECT_TRUE(prefix.contains(Ipv4Address::parse("10.1.128.0")));
  EXPECT_TRUE(prefix.contains(Ipv4Address::parse("10.1.255.255")));
  EXPECT_FALSE(prefix.contains(Ipv4Address::parse("10.1.127.255")));
  EXPECT_FALSE(prefix.contains(Ipv4Address::parse("10.2.128.0")));
  EXPECT_EQ(prefix.last().to_string(), "10.1.255.255");
  EXPECT_TRUE(Ipv4Prefix::parse("0.0.0.0/0").contains(Ipv4Address::broadcast()));
  EXPECT_FALSE(Ipv4Prefix::parse("10.0.0.1/32").contains(Ipv4Address::parse("10.0.0.2")));
}

TEST(Ipv4Prefix, bits_below_the_length_are_a_mistake_with_its_cure) {
  EXPECT_NE(error_of<Ipv4Prefix>("10.1.2.3/16").find("10.1.0.0/16"), std::string::npos);
  for (const char* text :
       {"10.0.0.0", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "/8", "10.0.0.0/8/8", "default"}) {
    EXPECT_NE(error_of<Ipv4Prefix>(text).find(text), std::string::npos) << text;
  }
}

TEST(Ipv4InterfaceAddress, keeps_the_address_and_its_network) {
  const Ipv4InterfaceAddress address = Ipv4InterfaceAddress::parse("10.1.2.3/16");
  EXPECT_EQ(address.address().to_string(), "10.1.2.3");
  EXPECT_EQ(address.prefix().to_string(), "10.1.0.0/16");
  EXPECT_TRUE(address.is_broadcast(Ipv4Address::parse("10.1.255.255")));
  EXPECT_FALSE(address.is_broadcast(Ipv4Address::parse("10.1.2.255")));
}

TEST(Ipv4InterfaceAddress, the_network_and_its_broadcast_are_no_hosts) {
  EXPECT_NE(error_of<Ipv4InterfaceAddress>("10.1.0.0/16"), "accepted");
  EXPECT_NE(error_of<Ipv4InterfaceAddress>("10.1.255.255/16"), "accepted");
  EXPECT_NE(error_of<Ipv4InterfaceAddress>("224.0.0.1/8"), "accepted");
  EXPECT_EQ(error_of<Ipv4InterfaceAddress>("10.0.0.0/31"), "accepted");
  EXPECT_EQ(error_of<Ipv4InterfaceAddress>("10.0.0.1/31"), "accepted");
  EXPECT_EQ(error_of<Ipv4InterfaceAddress>("10.0.0.0/32"), "accepted");
}

}  // namespace
}  // namespace simcore

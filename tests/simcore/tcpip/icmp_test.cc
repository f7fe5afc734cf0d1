// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "simcore/packet/train.h"
#include "simcore/packet/virtio_net_fields.h"
#include "simcore/tcpip/icmp_echo.h"
#include "simcore/tcpip/icmp_error.h"
#include "simcore/tcpip/icmp_rate_limit.h"
#include "tests/simcore/packet/frames.h"

namespace simcore {
namespace {

using testing::Bytes;
using testing::bytes_of;
using testing::Ends;
using testing::pattern;

const Ipv4Address kRouter = Ipv4Address::of(0x0a0000fe);

Bytes udp(std::size_t payload, const Ends& ends = {}) {
  return testing::udp_frame(ends, testing::ipv4_fields(ends, ip_protocol::kUdp), 1'000, 33'434,
                            pattern(payload));
}

bool deserves(const Bytes& frame) {
  PacketPool pool;
  return deserves_icmp_error(*pool.copy_of(frame));
}

TEST(IcmpError, bytes_of_time_exceeded) {
  PacketPool pool;
  const Bytes original = udp(4);
  const PacketPtr about = pool.copy_of(original);
  const PacketPtr error = make_icmp_error(IcmpError::ttl_exceeded(), kRouter, 5, *about, pool);
  ASSERT_TRUE(error);
  const Bytes bytes = bytes_of(*error);
  ASSERT_EQ(bytes.size(), 14U + 20 + 8 + 32);
  const Bytes ipv4(bytes.begin() + 14, bytes.begin() + 34);
  // 45c0 + 003c + 0005 + 0000 + 4001 + 0a00 + 00fe + 0a00 + 0001 = 9b01; complement 64fe.
  const Bytes expected_ipv4 = {0x45, 0xc0, 0x00, 0x3c, 0x00, 0x05, 0x00, 0x00, 0x40, 0x01,
                               0x64, 0xfe, 10,   0,    0,    0xfe, 10,   0,    0,    1};
  EXPECT_EQ(ipv4, expected_ipv4);
  EXPECT_EQ(bytes[34], 11);
  EXPECT_EQ(bytes[35], 0);
  EXPECT_EQ(load_be32(bytes.data() + 38), 0U);
  EXPECT_TRUE(std::equal(original.begin() + 14, original.end(), bytes.begin() + 42));
  EXPECT_TRUE(IcmpHeader::parse(std::span(bytes).subspan(34))->checksum_correct());
}

TEST(IcmpError, fragmentation_needed_carries_the_mtu) {
  PacketPool pool;
  const PacketPtr about = pool.copy_of(udp(100));
  const PacketPtr error = make_icmp_error(IcmpError::fragmentation_needed(1'400), kRouter, 5, *about, pool);
  const Bytes bytes = bytes_of(*error);
  EXPECT_EQ(bytes[34], 3);
  EXPECT_EQ(bytes[35], 4);
  EXPECT_EQ(load_be16(bytes.data() + 38), 0);
  EXPECT_EQ(load_be16(bytes.data() + 40), 1'400);
}

TEST(IcmpError, quotes_as_much_as_fits_into_576_bytes) {
  PacketPool pool;
  const Bytes original = udp(1'400);
  const PacketPtr about = pool.copy_of(original);
  const PacketPtr error = make_icmp_error(IcmpError::net_unreachable(), kRouter, 5, *about, pool);
  EXPECT_EQ(error->size(), 14U + 576U);
  EXPECT_TRUE(std::equal(error->bytes().begin() + 42, error->bytes().end(), original.begin() + 14));
}

TEST(IcmpError, padding_is_not_quoted) {
  PacketPool pool;
  Bytes original = udp(2);
  original.resize(60, 0xee);
  const PacketPtr about = pool.copy_of(original);
  EXPECT_EQ(make_icmp_error(IcmpError::net_unreachable(), kRouter, 5, *about, pool)->size(), 14U + 28 + 30);
}

TEST(IcmpError, about_a_train_quotes_its_first_segment_as_it_was_on_the_wire) {
  PacketPool pool;
  const Ends ends;
  const PacketPtr train = pool.copy_of(udp(300));
  testing::make_partial(*train, ends, ip_protocol::kUdp);
  VirtioNetFields fields;
  fields.needs_checksum = true;
  fields.checksum_start = 34;
  fields.checksum_offset = UdpHeader::kChecksumOffset;
  fields.train = TrainKind::udp;
  fields.gso_size = 100;
  ASSERT_TRUE(describe_frame(*train, fields));
  const PacketPtr error = make_icmp_error(IcmpError::ttl_exceeded(), kRouter, 5, *train, pool);
  const Bytes first = udp(100);
  const Bytes quote(error->bytes().begin() + 42, error->bytes().end());
  EXPECT_EQ(quote, Bytes(first.begin() + 14, first.end()));
}

TEST(IcmpError, virtual_payload_is_quoted_as_zeros) {
  PacketPool pool;
  const PacketPtr about = pool.copy_of(udp(100));
  about->resize(14 + 28 + 10);
  about->virtual_payload = 90;
  const PacketPtr error = make_icmp_error(IcmpError::ttl_exceeded(), kRouter, 5, *about, pool);
  ASSERT_EQ(error->size(), 14U + 28 + 128);
  EXPECT_EQ(error->bytes()[42 + 28 + 9], pattern(10)[9]);
  EXPECT_EQ(error->bytes()[42 + 28 + 10], 0);
  EXPECT_EQ(error->bytes().back(), 0);
}

TEST(IcmpError, is_never_sent_about_what_the_rfcs_exempt) {
  EXPECT_TRUE(deserves(udp(10)));
  Ends ends;
  ends.destination_mac = MacAddress::broadcast();
  EXPECT_FALSE(deserves(udp(10, ends))) << "link-layer broadcast";
  for (const char* source : {"0.0.0.0", "127.0.0.1", "224.0.0.1", "255.255.255.255", "240.0.0.1"}) {
    ends = Ends();
    ends.source = Ipv4Address::parse(source);
    EXPECT_FALSE(deserves(udp(10, ends))) << source;
  }
  for (const char* destination : {"224.0.0.1", "255.255.255.255"}) {
    ends = Ends();
    ends.destination = Ipv4Address::parse(destination);
    EXPECT_FALSE(deserves(udp(10, ends))) << destination;
  }
  Bytes fragment = udp(64);
  fragment[20] = 0x20;
  EXPECT_TRUE(deserves(fragment)) << "the first fragment";
  fragment[21] = 2;
  EXPECT_FALSE(deserves(fragment)) << "a later fragment";
}

TEST(IcmpError, is_sent_about_a_ping_but_not_about_another_error) {
  Bytes frame = testing::ping_frame(Ends(), 1, {});
  EXPECT_TRUE(deserves(frame));
  for (const int type : {3, 4, 5, 11, 12}) {
    frame[34] = static_cast<std::uint8_t>(type);
    EXPECT_FALSE(deserves(frame)) << type;
  }
}

TEST(IcmpEcho, the_reply_is_the_request_turned_around) {
  PacketPool pool;
  const Ends ends;
  const Bytes body = pattern(56);
  const PacketPtr packet = pool.copy_of(testing::ping_frame(ends, 9, body));
  make_echo_reply(*packet, 321);
  Bytes message(IcmpHeader::kSize);
  message.insert(message.end(), body.begin(), body.end());
  write_icmp(message, IcmpType::echo_reply, 0, 0x1234'0009);
  const Ends back{ends.source_mac, ends.destination_mac, ends.destination, ends.source};
  Ipv4Fields fields = testing::ipv4_fields(back, ip_protocol::kIcmp);
  fields.identification = 321;
  const Bytes expected = testing::ipv4_frame(back, fields, message);
  EXPECT_EQ(Bytes(packet->bytes().begin() + 14, packet->bytes().end()),
            Bytes(expected.begin() + 14, expected.end()));
}

TEST(IcmpEcho, options_and_padding_do_not_come_back) {
  PacketPool pool;
  Bytes request = testing::ping_frame(Ends(), 9, pattern(4));
  request.insert(request.begin() + 34, {1, 1, 1, 0});  // no-operation options
  request[14] = 0x46;
  store_be16(request.data() + 16, 24 + 12);
  request.resize(60, 0xee);
  const PacketPtr packet = pool.copy_of(request);
  make_echo_reply(*packet, 1);
  EXPECT_EQ(packet->size(), 14U + 20 + 12);
  const auto reply = Ipv4Header::parse(packet->bytes().subspan(14));
  ASSERT_TRUE(reply);
  EXPECT_TRUE(reply->checksum_correct());
  EXPECT_TRUE(IcmpHeader::parse(reply->payload())->checksum_correct());
}

// A message of zeros sums up to zero, and the checksum of that is 0xffff: updating the request's gives the other form.
TEST(IcmpEcho, the_checksum_of_a_reply_of_zeros_is_not_zero) {
  PacketPool pool;
  for (const std::size_t length : {0UL, 1UL, 56UL}) {
    Bytes request(IcmpHeader::kSize + length);
    write_icmp(request, IcmpType::echo_request, 0, 0);
    const PacketPtr packet =
        pool.copy_of(testing::ipv4_frame(Ends(), testing::ipv4_fields(Ends(), ip_protocol::kIcmp), request));
    make_echo_reply(*packet, 1);
    const auto reply = IcmpHeader::parse(packet->bytes().subspan(34));
    EXPECT_EQ(load_be16(packet->bytes().data() + 36), 0xffff);
    EXPECT_TRUE(reply->checksum_correct());
  }
}

TEST(IcmpEcho, every_checksum_of_a_reply_is_the_one_computed_anew) {
  PacketPool pool;
  for (std::uint32_t rest = 0; rest < 0x1'0000; ++rest) {
    Bytes request(IcmpHeader::kSize);
    write_icmp(request, IcmpType::echo_request, 0, rest);
    const PacketPtr packet =
        pool.copy_of(testing::ipv4_frame(Ends(), testing::ipv4_fields(Ends(), ip_protocol::kIcmp), request));
    make_echo_reply(*packet, 1);
    Bytes expected(IcmpHeader::kSize);
    write_icmp(expected, IcmpType::echo_reply, 0, rest);
    ASSERT_EQ(load_be16(packet->bytes().data() + 36), load_be16(&expected[2])) << rest;
  }
}

TEST(IcmpRateLimit, lets_a_burst_pass_and_then_its_rate) {
  IcmpRateLimit limit(1'000, 50);
  SimTime now = SimTime::at_ns(7'000'000);
  int allowed = 0;
  for (int i = 0; i < 200; ++i) allowed += limit.allow(now) ? 1 : 0;
  EXPECT_EQ(allowed, 50);
  now = now + Duration::ms(10);
  allowed = 0;
  for (int i = 0; i < 200; ++i) allowed += limit.allow(now) ? 1 : 0;
  EXPECT_EQ(allowed, 10);
  now = now + Duration::seconds(10);
  allowed = 0;
  for (int i = 0; i < 200; ++i) allowed += limit.allow(now) ? 1 : 0;
  EXPECT_EQ(allowed, 50) << "a long silence saves up no more than a burst";
}

}  // namespace
}  // namespace simcore

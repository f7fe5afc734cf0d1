// SPDX-License-Identifier: MIT
#include "simcore/tcpip/tcp_reset.h"

#include <gtest/gtest.h>

#include "tests/simcore/packet/frames6.h"

namespace simcore {
namespace {

using testing::Bytes;
using testing::Ends;

// The reset that answers a segment with those flags, sequence number 1000, acknowledgement 2000, and 10 bytes.
TcpFields answer_to(std::uint8_t flags) {
  PacketPool pool;
  const Ends ends;
  const Bytes frame = testing::tcp_frame(ends, testing::ipv4_fields(ends, ip_protocol::kTcp),
                                         {40'000, 80, 1'000, 2'000, flags, 5'000}, testing::pattern(10));
  const auto datagram = Ipv4Header::parse(std::span(frame).subspan(14));
  const PacketPtr packet =
      make_tcp_reset(IpHeader(*datagram), *TcpHeader::parse(datagram->payload()), 1, pool);
  const auto reply = Ipv4Header::parse(packet->bytes().subspan(14));
  EXPECT_TRUE(reply->checksum_correct());
  EXPECT_TRUE(reply->transport_checksum_correct());
  EXPECT_EQ(reply->source(), ends.destination);
  EXPECT_EQ(reply->destination(), ends.source);
  const auto reset = TcpHeader::parse(reply->payload());
  EXPECT_EQ(reset->size(), reply->payload_length());
  return {reset->source_port(), reset->destination_port(),
          reset->sequence(),    reset->acknowledgement(),
          reset->flags(),       reset->window()};
}

TEST(TcpReset, takes_its_sequence_number_from_the_acknowledgement) {
  const TcpFields reset = answer_to(tcp_flag::kAck);
  EXPECT_EQ(reset.source_port, 80);
  EXPECT_EQ(reset.destination_port, 40'000);
  EXPECT_EQ(reset.sequence, 2'000U);
  EXPECT_EQ(reset.flags, tcp_flag::kRst);
}

TEST(TcpReset, acknowledges_what_came_when_that_acknowledged_nothing) {
  EXPECT_EQ(answer_to(0).acknowledgement, 1'010U);
  EXPECT_EQ(answer_to(tcp_flag::kSyn).acknowledgement, 1'011U);
  EXPECT_EQ(answer_to(tcp_flag::kSyn | tcp_flag::kFin).acknowledgement, 1'012U);
  EXPECT_EQ(answer_to(tcp_flag::kSyn).sequence, 0U);
  EXPECT_EQ(answer_to(tcp_flag::kSyn).flags, tcp_flag::kRst | tcp_flag::kAck);
}

TEST(TcpReset, answers_over_ipv6_with_a_checksum_over_its_addresses) {
  PacketPool pool;
  const testing::Ends6 ends;
  Bytes segment(TcpHeader::kSize);
  write_tcp(segment, {40'000, 80, 1'000, 2'000, tcp_flag::kAck, 5'000});
  const Bytes frame = testing::ipv6_frame(ends, ip_protocol::kTcp, segment);
  const auto datagram = IpHeader::parse(std::span(frame).subspan(14));
  const PacketPtr packet = make_tcp_reset(*datagram, *TcpHeader::parse(datagram->payload()), 1, pool);
  const IpHeader reply = testing::ip_of(*packet);
  EXPECT_EQ(reply.source(), IpAddress(ends.destination));
  EXPECT_EQ(reply.destination(), IpAddress(ends.source));
  EXPECT_TRUE(reply.transport_checksum_correct());
  EXPECT_EQ(TcpHeader::parse(reply.payload())->sequence(), 2'000U);
}

}  // namespace
}  // namespace simcore

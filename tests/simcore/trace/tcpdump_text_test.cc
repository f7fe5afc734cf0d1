// SPDX-License-Identifier: MIT
#include "simcore/trace/tcpdump_text.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "simcore/packet/ethernet.h"
#include "simcore/packet/ipv4.h"
#include "simcore/packet/packet_pool.h"
#include "simcore/packet/tcp.h"

namespace simcore {
namespace {

class Sink final : public PacketSink {
 public:
  void accept(PacketPtr packet) override { packets.push_back(std::move(packet)); }
  std::vector<PacketPtr> packets;
};

class TcpdumpTextTest : public ::testing::Test {
 protected:
  // A segment from 10.0.0.1.5001 to 10.0.0.2.40000 with `options`, behind which are `payload` virtual bytes.
  PacketPtr segment(std::uint32_t sequence, std::uint32_t acknowledgement, std::uint8_t flags,
                    std::uint32_t payload, const std::vector<std::uint8_t>& options = {}) {
    const std::size_t header = TcpHeader::kSize + options.size();
    PacketPtr packet = pool_.make(EthernetHeader::kSize + Ipv4Header::kSize + header);
    packet->virtual_payload = payload;
    write_ethernet(packet->bytes(), MacAddress::zero(), MacAddress::zero(), EtherType::ipv4);
    write_ipv4(packet->bytes().subspan(EthernetHeader::kSize),
               {.source = Ipv4Address::parse("10.0.0.1"),
                .destination = Ipv4Address::parse("10.0.0.2"),
                .protocol = ip_protocol::kTcp,
                .payload_length = static_cast<std::uint16_t>(header + payload)});
    const auto tcp = packet->bytes().subspan(EthernetHeader::kSize + Ipv4Header::kSize);
    write_tcp(tcp, {.source_port = 5001,
                    .destination_port = 40'000,
                    .sequence = sequence,
                    .acknowledgement = acknowledgement,
                    .flags = flags,
                    .window = 65'535});
    tcp[12] = static_cast<std::uint8_t>(header / 4 << 4);
    std::copy(options.begin(), options.end(), tcp.begin() + TcpHeader::kSize);
    return packet;
  }

  PacketPool pool_;
  Sink sink_;
  TcpdumpText trace_;
  PacketSink& tap_ = trace_.tap(sink_);
};

TEST_F(TcpdumpTextTest, a_line_for_each_segment_as_in_figure_4_2) {
  tap_.accept(segment(0, 0, tcp_flag::kSyn, 0, {2, 4, 1460 >> 8, 1460 & 0xff}));
  tap_.accept(segment(10'696, 1, tcp_flag::kAck, 1460));
  tap_.accept(segment(15'076, 1, tcp_flag::kAck | tcp_flag::kPsh, 200));
  tap_.accept(segment(15'276, 2, tcp_flag::kAck | tcp_flag::kFin, 0));
  tap_.accept(segment(15'277, 2, tcp_flag::kAck, 0));
  EXPECT_EQ(trace_.text(),
            "1 10.0.0.1.5001 > 10.0.0.2.40000 S 0:0(0) win 65535 <mss 1460>\n"
            "2 10.0.0.1.5001 > 10.0.0.2.40000 . 10696:12156(1460) ack 1 win 65535\n"
            "3 10.0.0.1.5001 > 10.0.0.2.40000 P 15076:15276(200) ack 1 win 65535\n"
            "4 10.0.0.1.5001 > 10.0.0.2.40000 F 15276:15276(0) ack 2 win 65535\n"
            "5 10.0.0.1.5001 > 10.0.0.2.40000 . ack 2 win 65535\n");
  EXPECT_EQ(sink_.packets.size(), 5U);
}

TEST_F(TcpdumpTextTest, options_of_a_syn_are_named_and_unknown_ones_passed_over) {
  tap_.accept(segment(0, 0, tcp_flag::kSyn, 0, {1, 3, 3, 7, 4, 2, 254, 2}));
  EXPECT_NE(trace_.text().find("<wscale 7,sackOK>"), std::string::npos) << trace_.text();
}

TEST_F(TcpdumpTextTest, an_option_that_claims_more_than_there_is_ends_the_list) {
  tap_.accept(segment(0, 0, tcp_flag::kSyn, 0, {4, 2, 2, 40}));
  EXPECT_NE(trace_.text().find("<sackOK>"), std::string::npos) << trace_.text();
}

TEST_F(TcpdumpTextTest, what_is_not_tcp_passes_unwritten) {
  PacketPtr other = pool_.make(60);
  write_ethernet(other->bytes(), MacAddress::zero(), MacAddress::zero(), EtherType::arp);
  tap_.accept(std::move(other));
  EXPECT_EQ(trace_.text(), "");
  EXPECT_EQ(sink_.packets.size(), 1U);
}

}  // namespace
}  // namespace simcore

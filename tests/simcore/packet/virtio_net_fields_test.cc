// SPDX-License-Identifier: MIT
#include "simcore/packet/virtio_net_fields.h"

#include <gtest/gtest.h>

#include <functional>

#include "simcore/packet/train.h"
#include "tests/simcore/packet/frames6.h"

namespace simcore {
namespace {

using testing::Bytes;
using testing::Ends;

VirtioNetFields good_fields() {
  VirtioNetFields fields;
  fields.needs_checksum = true;
  fields.checksum_start = 34;
  fields.checksum_offset = TcpHeader::kChecksumOffset;
  fields.train = TrainKind::tcp_ipv4;
  fields.gso_size = 100;
  return fields;
}

Bytes good_frame() {
  const Ends ends;
  return testing::tcp_frame(ends, testing::ipv4_fields(ends, ip_protocol::kTcp),
                            {1, 2, 3, 4, tcp_flag::kAck, 5}, testing::pattern(450));
}

bool accepted(const VirtioNetFields& fields, const Bytes& frame, PacketPool& pool) {
  const PacketPtr packet = pool.copy_of(frame);
  const bool taken = describe_frame(*packet, fields);
  if (!taken) {
    EXPECT_EQ(packet->segments, 1);
    EXPECT_EQ(packet->train, TrainKind::none);
    EXPECT_FALSE(packet->checksum_partial);
  }
  return taken;
}

TEST(VirtioNetFields, describe_a_train_from_its_frame_alone) {
  PacketPool pool;
  const PacketPtr packet = pool.copy_of(good_frame());
  VirtioNetFields fields = good_fields();
  fields.header_size = 9'999;  // what senders put there is not relied upon
  ASSERT_TRUE(describe_frame(*packet, fields));
  EXPECT_EQ(packet->segments, 5);
  EXPECT_EQ(packet->segment_payload, 100);
  EXPECT_EQ(packet->header_size, 54);
  fields.header_size = 54;
  EXPECT_EQ(virtio_net_fields(*packet), fields);
}

TEST(VirtioNetFields, a_train_of_one_segment_is_a_single_frame) {
  PacketPool pool;
  const PacketPtr packet = pool.copy_of(good_frame());
  VirtioNetFields fields = good_fields();
  fields.gso_size = 450;
  ASSERT_TRUE(describe_frame(*packet, fields));
  EXPECT_EQ(packet->segments, 1);
  EXPECT_EQ(packet->header_size, 0);
  EXPECT_TRUE(packet->checksum_partial);
}

TEST(VirtioNetFields, a_single_frame_may_have_a_partial_checksum_or_none_to_finish) {
  PacketPool pool;
  const PacketPtr packet = pool.copy_of(good_frame());
  VirtioNetFields fields;
  ASSERT_TRUE(describe_frame(*packet, fields));
  EXPECT_EQ(virtio_net_fields(*packet), fields);
  fields.needs_checksum = true;
  fields.checksum_start = 34;
  fields.checksum_offset = 16;
  ASSERT_TRUE(describe_frame(*packet, fields));
  EXPECT_EQ(virtio_net_fields(*packet), fields);
}

TEST(VirtioNetFields, a_train_that_carries_cwr_says_so) {
  PacketPool pool;
  Bytes frame = good_frame();
  frame[34 + TcpHeader::kFlagsOffset] |= tcp_flag::kCwr;
  const PacketPtr packet = pool.copy_of(frame);
  ASSERT_TRUE(describe_frame(*packet, good_fields()));
  EXPECT_TRUE(virtio_net_fields(*packet).ecn);
  const PacketPtr front = split_front(*packet, 2, pool);
  EXPECT_TRUE(virtio_net_fields(*front).ecn);
  EXPECT_FALSE(virtio_net_fields(*packet).ecn);
}

TEST(VirtioNetFields, that_contradict_the_frame_are_refused) {
  PacketPool pool;
  ASSERT_TRUE(accepted(good_fields(), good_frame(), pool));
  const std::function<void(VirtioNetFields&)> mistakes[] = {
      [](auto& f) { f.needs_checksum = false; },  [](auto& f) { f.gso_size = 0; },
      [](auto& f) { f.checksum_start = 30; },     [](auto& f) { f.checksum_offset = 6; },
      [](auto& f) { f.train = TrainKind::udp; },  [](auto& f) { f.train = TrainKind::tcp_ipv6; },
      [](auto& f) { f.checksum_start = 65'535; }, [](auto& f) { f.checksum_offset = 65'535; },
  };
  for (const auto& mistake : mistakes) {
    VirtioNetFields fields = good_fields();
    mistake(fields);
    EXPECT_FALSE(accepted(fields, good_frame(), pool)) << &mistake - mistakes;
  }
}

TEST(VirtioNetFields, frames_that_contradict_themselves_are_refused) {
  PacketPool pool;
  const std::function<void(Bytes&)> mistakes[] = {
      [](Bytes& b) { b.push_back(0); },  // padding behind a train
      [](Bytes& b) { b.pop_back(); },    // shorter than it says
      [](Bytes& b) { b[14] = 0x46; },    // an option that is not there
      [](Bytes& b) {
        b[46] = 0xf0;
        b.resize(80);
      },                                            // TCP header beyond the end
      [](Bytes& b) { b[20] |= 0x20; },              // a fragment
      [](Bytes& b) { b[23] = ip_protocol::kUdp; },  // another protocol
      [](Bytes& b) { b.resize(40); },               // ends within the TCP header
      [](Bytes& b) { b[12] = 0x12; },               // not IP
  };
  for (const auto& mistake : mistakes) {
    Bytes frame = good_frame();
    mistake(frame);
    EXPECT_FALSE(accepted(good_fields(), frame, pool)) << &mistake - mistakes;
  }
}

TEST(VirtioNetFields, a_checksum_outside_of_what_the_datagram_carries_is_refused) {
  PacketPool pool;
  VirtioNetFields fields;
  fields.needs_checksum = true;
  Bytes frame = good_frame();
  const std::size_t end = frame.size();
  frame.resize(end + 20);  // padding
  fields.checksum_start = static_cast<std::uint16_t>(end - 18);
  fields.checksum_offset = 16;
  EXPECT_TRUE(accepted(fields, frame, pool));
  ++fields.checksum_start;
  EXPECT_FALSE(accepted(fields, frame, pool)) << "in the padding";
  fields.checksum_start = 33;
  EXPECT_FALSE(accepted(fields, frame, pool)) << "in the IPv4 header";
  fields.checksum_start = 34;
  EXPECT_TRUE(accepted(fields, frame, pool));
  store_be16(frame.data() + 12, static_cast<std::uint16_t>(EtherType::lldp));
  fields.checksum_start = 13;
  EXPECT_FALSE(accepted(fields, frame, pool)) << "in the Ethernet header";
  fields.checksum_start = 14;
  EXPECT_TRUE(accepted(fields, frame, pool));
}

TEST(VirtioNetFields, a_checksum_in_an_ipv6_header_or_its_extensions_is_refused) {
  PacketPool pool;
  VirtioNetFields fields;
  fields.needs_checksum = true;
  fields.checksum_offset = 6;
  Bytes payload = {ip_protocol::kUdp, 0, 1, 4, 0, 0, 0, 0};  // hop-by-hop padding
  payload.resize(8 + UdpHeader::kSize + 30);
  const Bytes frame = testing::ipv6_frame(testing::Ends6{}, 0, payload);
  fields.checksum_start = 14 + 40 + 8;
  EXPECT_TRUE(accepted(fields, frame, pool));
  --fields.checksum_start;
  EXPECT_FALSE(accepted(fields, frame, pool)) << "in the extension header";
  Bytes cut = frame;
  cut[14 + 40 + 1] = 200;  // the extension header is longer than the datagram
  fields.checksum_start = 14 + 40 + 8;
  EXPECT_FALSE(accepted(fields, cut, pool));
}

}  // namespace
}  // namespace simcore

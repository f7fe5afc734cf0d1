// SPDX-License-Identifier: MIT
//
//   west --- switch with a processor --- east
#include "simcore/device/processor.h"

#include <gtest/gtest.h>

#include "simcore/device/learning_switch.h"
#include "simcore/packet/virtio_net_fields.h"
#include "simcore/stack/host.h"
#include "simcore/units/error.h"
#include "tests/simcore/stack/station.h"

namespace simcore {
namespace {

using testing::Bytes;
using testing::Cable;
using testing::Ends;
using testing::pattern;
using testing::Station;

class ProcessorTest : public ::testing::Test {
 protected:
  void run(Duration time) { simulation_.run_until(simulation_.now() + time); }
  Bytes frame() const {
    const Ends ends{west_.mac, east_.mac, west_.address, east_.address};
    return testing::udp_frame(ends, testing::ipv4_fields(ends, ip_protocol::kUdp), 1, 2, pattern(100));
  }
  PacketPtr train(std::size_t segments) {
    const Ends ends{west_.mac, east_.mac, west_.address, east_.address};
    PacketPtr packet = pool_.copy_of(testing::udp_frame(ends, testing::ipv4_fields(ends, ip_protocol::kUdp),
                                                        1, 2, pattern(100 * segments)));
    testing::make_partial(*packet, ends, ip_protocol::kUdp);
    VirtioNetFields fields;
    fields.needs_checksum = true;
    fields.checksum_start = 34;
    fields.checksum_offset = UdpHeader::kChecksumOffset;
    fields.train = TrainKind::udp;
    fields.gso_size = 100;
    EXPECT_TRUE(describe_frame(*packet, fields));
    return packet;
  }

  Simulation simulation_{1};
  PacketPool pool_;
  LearningSwitch switch_{simulation_, pool_, "s"};
  Interface& western_ = switch_.add_interface({"s-eth1"});
  Interface& eastern_ = switch_.add_interface({"s-eth2"});
  Station west_{simulation_, pool_, "02:00:00:00:00:01", "10.0.0.1"};
  Station east_{simulation_, pool_, "02:00:00:00:00:02", "10.0.0.2"};
  Cable first_{simulation_, pool_, western_, west_, Duration::ms(1)};
  Cable second_{simulation_, pool_, eastern_, east_, Duration::ms(1)};
};

TEST_F(ProcessorTest, packets_are_handled_one_after_the_other) {
  switch_.set_processor({.delay = Duration::us(100)});
  for (int i = 0; i < 3; ++i) west_.send(frame());
  run(Duration::ms(10));
  ASSERT_EQ(east_.got.size(), 3U);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(east_.got[static_cast<std::size_t>(i)].time,
              SimTime::zero() + Duration::ms(2) + Duration::us(100) * (i + 1));
  }
}

TEST_F(ProcessorTest, all_interfaces_share_it) {
  switch_.set_processor({.delay = Duration::us(100)});
  west_.send(frame());
  const Ends back{east_.mac, west_.mac, east_.address, west_.address};
  east_.send(testing::udp_frame(back, testing::ipv4_fields(back, ip_protocol::kUdp), 1, 2, pattern(1)));
  run(Duration::ms(10));
  EXPECT_EQ(east_.got.at(0).time, SimTime::zero() + Duration::ms(2) + Duration::us(100));
  EXPECT_EQ(west_.got.at(0).time, SimTime::zero() + Duration::ms(2) + Duration::us(200));
}

TEST_F(ProcessorTest, an_idle_processor_starts_with_the_packet) {
  switch_.set_processor({.delay = Duration::us(100)});
  west_.send(frame());
  run(Duration::ms(10));
  west_.send(frame());
  run(Duration::ms(10));
  EXPECT_EQ(east_.got.at(1).time, SimTime::zero() + Duration::ms(12) + Duration::us(100));
}

TEST_F(ProcessorTest, above_its_bound_packets_are_dropped_and_counted) {
  switch_.set_processor({.delay = Duration::us(100), .queue_packets = 4});
  for (int i = 0; i < 10; ++i) west_.send(frame());
  run(Duration::ms(1) + Duration::us(150));
  // One of the four is done: one more fits.
  west_.send(frame());
  run(Duration::ms(20));
  EXPECT_EQ(switch_.dropped().of(DropReason::processor_full), 6U);
  EXPECT_EQ(east_.got.size(), 5U);
  EXPECT_EQ(switch_.dropped().total(), 6U);
}

TEST_F(ProcessorTest, a_train_takes_as_long_as_its_segments) {
  switch_.set_processor({.delay = Duration::us(100)});
  west_.send(train(5));
  west_.send(frame());
  run(Duration::ms(10));
  ASSERT_EQ(east_.got.size(), 2U);
  const SimTime start = SimTime::zero() + Duration::ms(2);
  EXPECT_EQ(east_.got[0].packet->first_arrival, start + Duration::us(100));
  EXPECT_EQ(east_.got[0].packet->last_arrival, start + Duration::us(500));
  EXPECT_EQ(east_.got[1].time, start + Duration::us(600));
}

TEST_F(ProcessorTest, a_train_that_arrives_slowly_is_handled_as_it_comes) {
  switch_.set_processor({.delay = Duration::us(100)});
  PacketPtr slow = train(3);
  slow->first_arrival = simulation_.now();
  slow->last_arrival = simulation_.now() + Duration::ms(4);
  western_.accept(std::move(slow));
  run(Duration::ms(10));
  EXPECT_EQ(east_.got.at(0).packet->first_arrival, SimTime::zero() + Duration::ms(1) + Duration::us(100));
  EXPECT_EQ(east_.got.at(0).packet->last_arrival, SimTime::zero() + Duration::ms(5) + Duration::us(100));
}

TEST_F(ProcessorTest, of_a_train_only_what_has_room_is_kept) {
  switch_.set_processor({.delay = Duration::us(100), .queue_packets = 4});
  west_.send(frame());
  west_.send(train(5));
  west_.send(frame());
  run(Duration::ms(10));
  ASSERT_EQ(east_.got.size(), 2U);
  EXPECT_EQ(east_.got[1].packet->segments, 3);
  EXPECT_EQ(switch_.dropped().of(DropReason::processor_full), 3U);
  west_.send(train(4));
  run(Duration::ms(10));
  EXPECT_EQ(east_.got.at(2).packet->segments, 4) << "everything before is done";
}

TEST_F(ProcessorTest, a_host_answers_later_by_what_it_needs) {
  Host host(simulation_, pool_, "h");
  Interface& eth0 = host.add_interface(
      {"h-eth0", MacAddress::parse("02:00:00:00:00:07"), Ipv4InterfaceAddress::parse("10.0.0.7/24")});
  Station peer(simulation_, pool_, "02:00:00:00:00:08", "10.0.0.8");
  const Cable cable(simulation_, pool_, eth0, peer, Duration::ms(1));
  host.set_processor({.delay = Duration::us(300)});
  peer.ask_for(Ipv4Address::parse("10.0.0.7"));
  run(Duration::ms(10));
  EXPECT_EQ(peer.got.at(0).time, SimTime::zero() + Duration::ms(2) + Duration::us(300));
}

TEST_F(ProcessorTest, what_came_by_an_interface_that_goes_is_dropped_and_the_rest_is_handled) {
  switch_.set_processor({.delay = Duration::ms(1)});
  const Ends back{east_.mac, west_.mac, east_.address, west_.address};
  for (int i = 0; i < 2; ++i) {
    west_.send(frame());
    east_.send(testing::udp_frame(back, testing::ipv4_fields(back, ip_protocol::kUdp), 1, 2, pattern(100)));
  }
  run(Duration::us(1'500));  // one ms away, and half of the first one's ms
  EXPECT_EQ(switch_.held_segments(), 4U);
  western_.detach();
  switch_.unplugged(western_);
  switch_.remove_interface(western_);
  EXPECT_EQ(switch_.dropped().of(DropReason::removed), 2U);
  EXPECT_EQ(switch_.held_segments(), 2U);
  EXPECT_EQ(switch_.interfaces().size(), 1U);
  EXPECT_EQ(eastern_.index(), 0U);
  run(Duration::ms(10));
  EXPECT_EQ(switch_.held_segments(), 0U);
  EXPECT_EQ(switch_.dropped().of(DropReason::no_port), 2U);  // nowhere else to send
}

TEST_F(ProcessorTest, values_out_of_range_are_refused) {
  EXPECT_THROW(switch_.set_processor({.delay = Duration::zero()}), ConfigError);
  EXPECT_THROW(switch_.set_processor({.delay = Duration::us(1), .queue_packets = 0}), ConfigError);
}

}  // namespace
}  // namespace simcore

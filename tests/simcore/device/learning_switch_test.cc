// SPDX-License-Identifier: MIT
//
// Stations a, b, c at the three interfaces of a switch, 1 ms away each.
#include "simcore/device/learning_switch.h"

#include <gtest/gtest.h>

#include "simcore/packet/virtio_net_fields.h"
#include "simcore/units/error.h"
#include "tests/simcore/stack/station.h"

namespace simcore {
namespace {

using testing::Bytes;
using testing::bytes_of;
using testing::Cable;
using testing::Ends;
using testing::pattern;
using testing::Station;

Bytes frame(MacAddress from, MacAddress to) {
  Ends ends;
  ends.source_mac = from;
  ends.destination_mac = to;
  return testing::ping_frame(ends, 1, pattern(20));
}

class Switch : public ::testing::Test {
 protected:
  void run_ms(std::int64_t ms) { simulation_.run_until(simulation_.now() + Duration::ms(ms)); }

  // How many frames came to a, b and c since the last time.
  std::vector<std::size_t> came() {
    run_ms(10);
    std::vector<std::size_t> counts;
    for (Station* station : {&a_, &b_, &c_}) {
      counts.push_back(station->got.size());
      station->got.clear();
    }
    return counts;
  }

  using Counts = std::vector<std::size_t>;

  Simulation simulation_{1};
  PacketPool pool_;
  LearningSwitch switch_{simulation_, pool_, "s"};
  Interface& first_ = switch_.add_interface({"s-eth1"});
  Interface& second_ = switch_.add_interface({"s-eth2"});
  Interface& third_ = switch_.add_interface({"s-eth3"});
  Interface& loose_ = switch_.add_interface({"s-eth4"});  // no link
  Station a_{simulation_, pool_, "02:00:00:00:00:0a", "10.0.0.1"};
  Station b_{simulation_, pool_, "02:00:00:00:00:0b", "10.0.0.2"};
  Station c_{simulation_, pool_, "02:00:00:00:00:0c", "10.0.0.3"};
  Cable to_a_{simulation_, pool_, first_, a_, Duration::ms(1)};
  Cable to_b_{simulation_, pool_, second_, b_, Duration::ms(1)};
  Cable to_c_{simulation_, pool_, third_, c_, Duration::ms(1)};
};

TEST_F(Switch, floods_to_an_unknown_address_and_not_back) {
  const Bytes sent = frame(a_.mac, b_.mac);
  a_.send(sent);
  run_ms(10);
  ASSERT_EQ(b_.got.size(), 1U);
  ASSERT_EQ(c_.got.size(), 1U);
  EXPECT_TRUE(a_.got.empty());
  EXPECT_EQ(bytes_of(*b_.got[0].packet), sent);
  EXPECT_EQ(bytes_of(*c_.got[0].packet), sent);
  EXPECT_EQ(switch_.dropped().total(), 0U);
}

TEST_F(Switch, sends_to_a_learnt_address_only_where_it_is) {
  a_.send(frame(a_.mac, b_.mac));
  came();
  b_.send(frame(b_.mac, a_.mac));
  EXPECT_EQ(came(), (Counts{1, 0, 0}));
  a_.send(frame(a_.mac, b_.mac));
  EXPECT_EQ(came(), (Counts{0, 1, 0}));
}

TEST_F(Switch, group_addresses_reach_everyone_else_lldp_included) {
  for (const char* group :
       {"ff:ff:ff:ff:ff:ff", "01:80:c2:00:00:0e", "01:80:c2:00:00:00", "33:33:00:00:00:01"}) {
    a_.send(frame(a_.mac, MacAddress::parse(group)));
    EXPECT_EQ(came(), (Counts{0, 1, 1})) << group;
  }
}

TEST_F(Switch, an_address_that_moves_is_learnt_at_its_new_place) {
  a_.send(frame(a_.mac, b_.mac));
  c_.send(frame(a_.mac, b_.mac));
  came();
  b_.send(frame(b_.mac, a_.mac));
  EXPECT_EQ(came(), (Counts{0, 0, 1}));
}

TEST_F(Switch, forgets_an_address_that_is_silent_for_300_seconds) {
  a_.send(frame(a_.mac, b_.mac));
  run_ms(299'000);
  came();
  b_.send(frame(b_.mac, a_.mac));
  EXPECT_EQ(came(), (Counts{1, 0, 0}));
  run_ms(1'000);
  b_.send(frame(b_.mac, a_.mac));
  EXPECT_EQ(came(), (Counts{1, 0, 1}));
}

TEST_F(Switch, a_frame_whose_destination_is_where_it_came_from_goes_nowhere) {
  const MacAddress neighbour = MacAddress::parse("02:00:00:00:00:aa");
  a_.send(frame(neighbour, b_.mac));
  came();
  a_.send(frame(a_.mac, neighbour));
  EXPECT_EQ(came(), (Counts{0, 0, 0}));
  EXPECT_EQ(switch_.dropped().of(DropReason::no_port), 1U);
}

TEST_F(Switch, group_addresses_are_not_learnt_as_sources) {
  a_.send(frame(MacAddress::broadcast(), b_.mac));
  came();
  EXPECT_EQ(switch_.known_addresses(), 0U);
}

TEST_F(Switch, a_flooded_train_is_a_train_everywhere) {
  const Ends ends;
  PacketPtr train = pool_.copy_of(testing::tcp_frame(ends, testing::ipv4_fields(ends, ip_protocol::kTcp),
                                                     {1, 2, 3, 4, tcp_flag::kAck, 5}, pattern(500)));
  testing::make_partial(*train, ends, ip_protocol::kTcp);
  VirtioNetFields fields;
  fields.needs_checksum = true;
  fields.checksum_start = 34;
  fields.checksum_offset = TcpHeader::kChecksumOffset;
  fields.train = TrainKind::tcp_ipv4;
  fields.gso_size = 100;
  ASSERT_TRUE(describe_frame(*train, fields));
  a_.send(std::move(train));
  run_ms(10);
  for (Station* station : {&b_, &c_}) {
    ASSERT_EQ(station->got.size(), 1U);
    EXPECT_EQ(station->got[0].packet->segments, 5);
    EXPECT_TRUE(station->got[0].packet->checksum_partial);
  }
  EXPECT_EQ(second_.counters().out_packets, 5U);
}

TEST_F(Switch, the_table_is_bounded_and_more_addresses_are_flooded_to) {
  for (std::uint64_t i = 0; i <= LearningSwitch::kLargestTable; ++i) {
    PacketPtr packet =
        pool_.copy_of(frame(MacAddress::of(0x02'1000'0000'00 + i), MacAddress::of(0x02'1000'0000'00)));
    first_.accept(std::move(packet));
  }
  EXPECT_EQ(switch_.known_addresses(), LearningSwitch::kLargestTable);
  run_ms(301'000);
  b_.send(frame(b_.mac, a_.mac));
  came();
  EXPECT_EQ(switch_.known_addresses(), 1U) << "the old ones made room";
}

TEST_F(Switch, a_truncated_frame_is_malformed) {
  a_.send(Bytes(13, 0));
  EXPECT_EQ(came(), (Counts{0, 0, 0}));
  EXPECT_EQ(switch_.dropped().of(DropReason::malformed), 1U);
}

TEST_F(Switch, forgets_who_was_behind_a_link_that_was_taken_away) {
  a_.send(frame(a_.mac, MacAddress::broadcast()));
  b_.send(frame(b_.mac, MacAddress::broadcast()));
  came();
  EXPECT_EQ(switch_.known_addresses(), 2U);
  switch_.unplugged(first_);
  EXPECT_EQ(switch_.known_addresses(), 1U);
  c_.send(frame(c_.mac, a_.mac));
  EXPECT_EQ(came(), (Counts{1, 1, 0}));  // flooded
}

TEST(SwitchAlone, with_a_single_link_has_nowhere_to_send) {
  Simulation simulation(1);
  PacketPool pool;
  LearningSwitch alone(simulation, pool, "s");
  Interface& only = alone.add_interface({"s-eth1"});
  only.accept(pool.copy_of(frame(MacAddress::of(1), MacAddress::of(2))));
  EXPECT_EQ(alone.dropped().of(DropReason::no_port), 1U);
  EXPECT_THROW(alone.add_interface({"s-eth1"}), ConfigError);
}

TEST(SwitchMemory, copies_that_find_no_memory_are_counted) {
  Simulation simulation(1);
  PacketPool pool(ByteCount::bytes(1 << 20));
  LearningSwitch flooding(simulation, pool, "s");
  Station station(simulation, pool, "02:00:00:00:00:0a", "10.0.0.1");
  for (const char* name : {"s-eth1", "s-eth2", "s-eth3"}) flooding.add_interface({name}).attach(station);
  std::vector<PacketPtr> hoard;
  while (PacketPtr packet = pool.make(60)) hoard.push_back(std::move(packet));
  hoard.pop_back();
  flooding.interfaces()[0]->accept(pool.copy_of(frame(MacAddress::of(2), MacAddress::broadcast())));
  EXPECT_EQ(station.got.size(), 1U);
  EXPECT_EQ(flooding.dropped().of(DropReason::pool_exhausted), 1U);
}

}  // namespace
}  // namespace simcore

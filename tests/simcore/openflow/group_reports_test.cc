// SPDX-License-Identifier: MIT
//
// Descriptions, counters and features of groups and meters, byte by byte as OpenFlow 1.3.5 lays them out.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/simcore/openflow/frames.h"

namespace simcore::openflow {
namespace {

using namespace multipart_type;
using Type = multipart_type::Number;

class GroupReports : public ::testing::Test {
 protected:
  GroupReports() { bench.greet(); }

  void tell(std::uint8_t type, const std::string& digits) {
    ASSERT_EQ(bench.said(type, hex(digits)), Bench::kTaken) << digits;
  }
  // The only message of the answer, behind its head, which is checked.
  Bytes report(Type type, const std::string& body = "") {
    bench.tell(type::kMultipartRequest, joined({number(type, 2), number(0, 6), hex(body)}));
    const auto answers = bench.answers();
    if (answers.size() != 1 || answers[0].size() < 16) return {};
    EXPECT_EQ(Bytes(answers[0].begin(), answers[0].begin() + 2), hex("04 13"));
    EXPECT_EQ(Bytes(answers[0].begin() + 4, answers[0].begin() + 16),
              joined({number(7, 4), number(type, 2), number(0, 6)}));
    return {answers[0].begin() + 16, answers[0].end()};
  }
  ErrorCode refused(Type type, const std::string& body) {
    return bench.said(type::kMultipartRequest, joined({number(type, 2), number(0, 6), hex(body)}));
  }
  // A flow whose instructions are these.
  void flow(const Instructions& instructions, std::uint16_t priority = 100) {
    ASSERT_EQ(
        bench.said(type::kFlowMod, FlowModText{.instructions = instructions, .priority = priority}.bytes()),
        Bench::kTaken);
  }

  Bench bench;
};

const std::string kBucket2 = "0020 0000 ffffffff ffffffff 00000000 0000 0010 00000002 ffff 000000000000";
const std::string kBucket3 = "0020 0000 ffffffff ffffffff 00000000 0000 0010 00000003 ffff 000000000000";
const std::string kWeighed =
    "0028 0007 00000001 ffffffff 00000000 0011 0008 8100 0000 0000 0010 00000002 ffff 000000000000";
const std::string kWatching = "0010 0000 00000002 00000009 00000000";

TEST_F(GroupReports, DescriptionsAreWhatAControllerHasSaid) {
  tell(type::kGroupMod, "0000 00 00 00000005" + kBucket2 + kBucket3);
  tell(type::kGroupMod, "0000 01 00 00000006" + kWeighed);
  tell(type::kGroupMod, "0000 02 00 00000007" + kBucket2);
  tell(type::kGroupMod, "0000 03 00 ffffff00" + kWatching);
  tell(type::kGroupMod, "0000 00 00 00000001");
  EXPECT_EQ(report(kGroupDescriptions),
            hex("0008 00 00 00000001"
                "0048 00 00 00000005" +
                kBucket2 + kBucket3 + "0030 01 00 00000006" + kWeighed + "0028 02 00 00000007" + kBucket2 +
                "0018 03 00 ffffff00" + kWatching));
  // A modification is described, and not what was before.
  tell(type::kGroupMod, "0001 03 00 00000005" + kWatching);
  tell(type::kGroupMod, "0002 00 00 00000006");
  tell(type::kGroupMod, "0002 00 00 ffffff00");
  EXPECT_EQ(report(kGroupDescriptions),
            hex("0008 00 00 00000001 0018 03 00 00000005" + kWatching + "0028 02 00 00000007" + kBucket2));
  tell(type::kGroupMod, "0002 00 00 fffffffc");  // OFPG_ALL
  EXPECT_EQ(report(kGroupDescriptions), Bytes{});
}

TEST_F(GroupReports, CountersAreOfGroupsAndBuckets) {
  tell(type::kGroupMod, "0000 00 00 00000005" + kBucket2 + kBucket3);
  bench.time = SimTime::at_ns(1'500'000'000);
  tell(type::kGroupMod, "0000 03 00 00000006" + kWatching);  // watches port 2, and does nothing
  flow(applying({of(ActionType::group, 0, 5)}));
  flow(applying({of(ActionType::group, 0, 5), of(ActionType::group, 0, 6)}), 50);
  const Bytes frame = PacketText{}.bytes();
  for (int count = 0; count < 3; ++count) bench.receive(1, frame);
  bench.time = SimTime::at_ns(3'700'000'001);
  const Bytes counted = joined({number(3, 8), number(3 * frame.size(), 8)});
  const Bytes of5 = joined({hex("0048 0000 00000005 00000002 00000000"), counted, number(3, 4),
                            number(700'000'001, 4), counted, counted});
  const Bytes of6 = joined({hex("0038 0000 00000006 00000001 00000000"), number(0, 16), number(2, 4),
                            number(200'000'001, 4), number(0, 16)});
  EXPECT_EQ(report(kGroupCounters, "00000005 00000000"), of5);
  EXPECT_EQ(report(kGroupCounters, "00000006 00000000"), of6);
  EXPECT_EQ(report(kGroupCounters, "fffffffc 00000000"), joined({of5, of6}));
  EXPECT_EQ(report(kGroupCounters, "00000007 00000000"), Bytes{});  // there is none
  // A modification begins with new counters; its age is that of the group.
  tell(type::kGroupMod, "0001 00 00 00000005" + kBucket2);
  EXPECT_EQ(report(kGroupCounters, "00000005 00000000"),
            joined({hex("0038 0000 00000005 00000002 00000000"), number(0, 16), number(3, 4),
                    number(700'000'001, 4), number(0, 16)}));
}

TEST_F(GroupReports, ABucketCountsWhatItWasChosenFor) {
  tell(type::kGroupMod,
       "0000 03 00 00000005 0020 0000 00000004 ffffffff 00000000 0000 0010 00000003 ffff 000000000000"
       "0020 0000 00000002 ffffffff 00000000 0000 0010 00000002 ffff 000000000000");
  flow(applying({of(ActionType::group, 0, 5)}));
  const Bytes frame = PacketText{}.bytes();
  bench.receive(1, frame);
  bench.of.set_link(4, false);
  bench.answers();  // the port's new state
  bench.receive(1, frame);
  bench.receive(1, frame);
  const Bytes told = report(kGroupCounters, "00000005 00000000");
  ASSERT_EQ(told.size(), 72U);
  EXPECT_EQ(Bytes(told.begin() + 40, told.end()),
            joined({number(1, 8), number(frame.size(), 8), number(2, 8), number(2 * frame.size(), 8)}));
}

// OpenFlow 1.3.5, section 7.3.5.9: all four types; weights, liveness and chains, and no check for loops.
TEST_F(GroupReports, FeaturesOfGroups) {
  unsigned actions = 0;
  for (const int action : {0, 11, 12, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27})
    actions |= 1U << action;
  const Bytes most = joined({number(16'384, 4), number(16'384, 4), number(16'384, 4), number(16'384, 4)});
  const Bytes can = joined({number(actions, 4), number(actions, 4), number(actions, 4), number(actions, 4)});
  EXPECT_EQ(report(kGroupFeatures), joined({hex("0000000f 00000007"), most, can}));
}

TEST_F(GroupReports, FeaturesOfMeters) {
  // 65,536 meters; drop and DSCP remark; kbit/s, packets/s, bursts, statistics; 8 bands, no colors.
  EXPECT_EQ(report(kMeterFeatures), hex("00010000 00000006 0000000f 08 00 0000"));
}

const std::string kDrop = "0001 0010 00000064 0000000a 00000000";
const std::string kRemark = "0002 0010 000000c8 00000014 02000000";

TEST_F(GroupReports, ConfigurationsOfMetersAreWhatAControllerHasSaid) {
  tell(type::kMeterMod, "0000 0005 00000001" + kDrop);
  tell(type::kMeterMod, "0000 000e 00000003" + kRemark + kDrop);
  const std::string first = "0018 0005 00000001" + kDrop;
  const std::string third = "0028 000e 00000003" + kRemark + kDrop;
  EXPECT_EQ(report(kMeterConfigs, "00000001 00000000"), hex(first));
  EXPECT_EQ(report(kMeterConfigs, "00000003 00000000"), hex(third));
  EXPECT_EQ(report(kMeterConfigs, "ffffffff 00000000"), hex(first + third));
  // A burst that is not said is as long as a second; the levels of a band that drops say nothing.
  tell(type::kMeterMod, "0001 0005 00000001 0001 0010 00000064 00000000 07000000");
  EXPECT_EQ(report(kMeterConfigs, "00000001 00000000"),
            hex("0018 0005 00000001 0001 0010 00000064 00000064 00000000"));
  tell(type::kMeterMod, "0002 0000 ffffffff");
  EXPECT_EQ(report(kMeterConfigs, "ffffffff 00000000"), Bytes{});
}

TEST_F(GroupReports, CountersAreOfMetersAndBands) {
  // Two packets per second are dropped above, of which the burst is two.
  tell(type::kMeterMod, "0000 0006 00000001 0001 0010 00000002 00000002 00000000");
  bench.time = SimTime::at_ns(250'000'000);
  tell(type::kMeterMod, "0000 0006 00000002" + kDrop);
  Instructions metered = applying({output_to(2)});
  metered.meter = 1;
  flow(metered);
  flow(metered, 50);
  const Bytes frame = PacketText{}.bytes();
  for (int count = 0; count < 5; ++count) bench.receive(1, frame);
  EXPECT_EQ(bench.sent.size(), 2U);
  bench.time = SimTime::at_ns(2'000'000'009);
  const Bytes first =
      joined({hex("00000001 0038 000000000000 00000002"), number(5, 8), number(5 * frame.size(), 8),
              number(2, 4), number(9, 4), number(3, 8), number(3 * frame.size(), 8)});
  const Bytes second = joined({hex("00000002 0038 000000000000 00000000"), number(0, 16), number(1, 4),
                               number(750'000'009, 4), number(0, 16)});
  EXPECT_EQ(report(kMeterCounters, "00000001 00000000"), first);
  EXPECT_EQ(report(kMeterCounters, "ffffffff 00000000"), joined({first, second}));
}

TEST_F(GroupReports, AMeterThatThereIsNoneOfIsRefused) {
  tell(type::kMeterMod, "0000 0005 00000001" + kDrop);
  for (const Type type : {kMeterCounters, kMeterConfigs}) {
    EXPECT_EQ(refused(type, "00000002 00000000"), error::kUnknownMeter);
    EXPECT_EQ(refused(type, "00000000 00000000"), error::kUnknownMeter);
  }
}

TEST_F(GroupReports, ARequestOfAnotherLengthIsRefused) {
  tell(type::kMeterMod, "0000 0005 00000001" + kDrop);
  for (const Type type : {kGroupCounters, kMeterCounters, kMeterConfigs}) {
    EXPECT_EQ(refused(type, ""), error::kBadLength);
    EXPECT_EQ(refused(type, "00000001"), error::kBadLength);
    EXPECT_EQ(refused(type, "00000001 00000000 00000000"), error::kBadLength);
  }
  for (const Type type : {kGroupDescriptions, kGroupFeatures, kMeterFeatures})
    EXPECT_EQ(refused(type, "00000000"), error::kBadLength);
}

TEST_F(GroupReports, Version10HasNeither) {
  Bench of10;
  of10.greet(1);
  for (std::uint8_t type = kGroupCounters; type <= 12; ++type)
    EXPECT_EQ(of10.said(16, joined({number(type, 2), number(0, 2)}), 1),
              (ErrorCode{1, 2}));  // OFPBRC_BAD_STAT
}

TEST_F(GroupReports, ErasedMetersTakeTheirFlowsAlong) {
  tell(type::kMeterMod, "0000 0005 00000001" + kDrop);
  tell(type::kMeterMod, "0000 0005 00000002" + kDrop);
  Instructions metered = applying({output_to(2)});
  metered.meter = 1;
  flow(metered);
  metered.meter = 2;
  flow(metered, 50);
  flow(applying({output_to(2)}), 20);
  tell(type::kMeterMod, "0002 0000 00000001");
  EXPECT_EQ(bench.of.tables().size(), 2U);
  tell(type::kMeterMod, "0002 0000 00000001");  // once more: nothing
  tell(type::kMeterMod, "0002 0000 ffffffff");
  ASSERT_EQ(bench.of.tables().size(), 1U);
  EXPECT_EQ(bench.of.tables().at(0)->flows()[0]->priority, 20);
}

TEST_F(GroupReports, AllErasedGroupsTakeTheirFlowsAlong) {
  tell(type::kGroupMod, "0000 00 00 00000005" + kBucket2);
  tell(type::kGroupMod, "0000 00 00 00000006" + kBucket2);
  flow(applying({of(ActionType::group, 0, 5)}));
  flow(applying({of(ActionType::group, 0, 6)}), 50);
  flow(applying({output_to(2)}), 20);
  tell(type::kGroupMod, "0002 00 00 fffffffc");
  ASSERT_EQ(bench.of.tables().size(), 1U);
  EXPECT_EQ(bench.of.tables().at(0)->flows()[0]->priority, 20);
}

}  // namespace
}  // namespace simcore::openflow

// SPDX-License-Identifier: MIT
#include "simcore/openflow/switch.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "simcore/packet/checksum.h"
#include "tests/simcore/openflow/support.h"

namespace simcore::openflow {
namespace {

std::uint16_t ip_sum(const Bytes& frame, std::size_t at) {
  ChecksumSum sum;
  sum.add(std::span(frame).subspan(at, 20));
  return sum.folded();
}

Bytes group_mod(std::uint16_t command, std::uint8_t type, std::uint32_t number, std::vector<Bucket> buckets) {
  Bytes body;
  Writer to(body);
  to.u16(command);
  to.u8(type);
  to.u8(0);
  to.u32(number);
  Group group;
  group.buckets = std::move(buckets);
  write_buckets(to, group);
  return body;
}

Bucket bucket_to(std::uint32_t port, std::uint16_t weight = 0, std::uint32_t watch = port_no::kAny) {
  Bucket bucket;
  bucket.weight = weight;
  bucket.watch_port = watch;
  bucket.actions = {output_to(port)};
  return bucket;
}

TEST(OpenFlowSwitch, ForwardsByTheFlowOfTheHighestPriority) {
  Bench bench;
  bench.greet();
  FlowModText low{.instructions = applying({output_to(2)}), .priority = 1};
  FlowModText high{.instructions = applying({output_to(3)}), .priority = 2};
  high.match.set(field(FieldId::eth_dst), 0x020000000002);
  bench.tell(type::kFlowMod, low.bytes());
  bench.tell(type::kFlowMod, high.bytes());
  bench.receive(1, tcp_frame());
  Bytes other = tcp_frame();
  other[5] = 9;
  bench.receive(1, other);
  ASSERT_EQ(bench.sent.size(), 2U);
  EXPECT_EQ(bench.sent[0].first, 3U);
  EXPECT_EQ(bench.sent[1].first, 2U);
  EXPECT_TRUE(bench.answers().empty());
}

TEST(OpenFlowSwitch, TheCacheForgetsWhatAModificationChanges) {
  Bench bench;
  bench.greet();
  bench.tell(type::kFlowMod, FlowModText{.instructions = applying({output_to(2)}), .priority = 1}.bytes());
  for (int i = 0; i < 3; ++i) bench.receive(1, tcp_frame());
  EXPECT_EQ(bench.of.pipeline().hits, 2U);
  FlowModText better{.instructions = applying({output_to(4)}), .priority = 9};
  better.match.set(field(FieldId::tcp_dst), 80);
  better.match.set(field(FieldId::ip_proto), 6);
  better.match.set(field(FieldId::eth_type), 0x800);
  bench.tell(type::kFlowMod, better.bytes());
  bench.receive(1, tcp_frame());
  EXPECT_EQ(bench.sent.back().first, 4U);
}

// The flags of the configuration that the switch tells.
std::uint16_t configured(Bench& bench) {
  bench.tell(type::kGetConfigRequest, {});
  return load_be16(bench.answers().at(0).data() + 8);
}

// A datagram over IPv4 to port 80: `fragment` is the field of flags and offset.
Bytes udp_fragment(std::uint16_t fragment) {
  Bytes frame = tcp_frame();
  frame[23] = 17;
  store_be16(frame.data() + 20, fragment);
  return frame;
}

TEST(OpenFlowSwitch, FlowsSeeNoPortsOfFragmentsUnlessTheControllerSaysSo) {
  Bench bench;
  bench.greet();
  FlowModText mod{.instructions = applying({output_to(2)}), .priority = 2};
  mod.match.set(field(FieldId::eth_type), 0x800);
  mod.match.set(field(FieldId::ip_proto), 17);
  mod.match.set(field(FieldId::udp_dst), 80);
  bench.tell(type::kFlowMod, mod.bytes());
  bench.tell(type::kFlowMod, FlowModText{.instructions = applying({output_to(3)}), .priority = 1}.bytes());
  const auto sent_by = [&bench](std::uint16_t fragment) {
    bench.sent.clear();
    bench.receive(1, udp_fragment(fragment));
    return bench.sent.empty() ? 0 : bench.sent[0].first;
  };
  constexpr std::uint16_t kWhole = 0;
  constexpr std::uint16_t kFirst = 0x2000;
  constexpr std::uint16_t kLast = 3;
  EXPECT_EQ(sent_by(kWhole), 2U);  // and is in the cache now
  EXPECT_EQ(sent_by(kFirst), 3U);
  EXPECT_EQ(sent_by(kLast), 3U);
  bench.tell(type::kSetConfig, {0, 3, 0, 0});  // Nicira's: matched as they are
  EXPECT_EQ(sent_by(kFirst), 2U);
  EXPECT_EQ(sent_by(kLast), 3U);
  bench.tell(type::kSetConfig, {0, 1, 0, 0});  // dropped
  EXPECT_EQ(sent_by(kWhole), 2U);
  EXPECT_EQ(sent_by(kFirst), 0U);
  EXPECT_EQ(sent_by(kLast), 0U);
  EXPECT_EQ(bench.of.tables().at(0)->flows().at(0)->packets, 3U);
  EXPECT_EQ(bench.of.tables().at(0)->matched, 8U);  // as Open vSwitch counts them
}

TEST(OpenFlowSwitch, TheConfigurationIsTheSwitchsAndKeepsWhatItCanDo) {
  Bench bench;
  bench.greet();
  EXPECT_EQ(configured(bench), 0);
  bench.tell(type::kSetConfig, {0, 1, 0, 0});
  bench.tell(type::kSetConfig, {0, 2, 0, 0});  // reassembly: not to be had
  EXPECT_EQ(configured(bench), 1);
  bench.tell(type::kSetConfig, {0, 4, 0, 0});
  EXPECT_EQ(bench.error(), error::kConfigFlags);
  bench.session = &bench.of.connect(Session::Kind::controller, [] {});
  bench.greet(1);
  bench.tell(type::kSetConfig, {0, 7, 0, 0}, 1);  // 1.0 has invalid TTLs there
  bench.tell(type::kGetConfigRequest, {}, 1);
  EXPECT_EQ(load_be16(bench.answers().at(0).data() + 8), 7);
}

TEST(OpenFlowSwitch, TheControllersMeterHoldsPacketInsBack) {
  Bench bench;
  bench.greet();
  bench.tell(type::kFlowMod,
             FlowModText{.instructions = applying({output_to(port_no::kController), output_to(2)})}.bytes());
  Bytes meter;
  Writer to(meter);
  to.u16(0);
  to.u16(meter_flag::kPackets | meter_flag::kBurst);
  to.u32(kControllerMeter);
  Meter bands;
  bands.bands = {{.rate = 1, .burst = 2}};
  write_bands(to, bands);
  bench.tell(type::kMeterMod, meter);
  EXPECT_TRUE(bench.answers().empty());
  for (int packet = 0; packet < 5; ++packet) bench.receive(1, tcp_frame());
  EXPECT_EQ(bench.answers().size(), 2U);
  EXPECT_EQ(bench.sent.size(), 5U);
  EXPECT_EQ(bench.dropped.of(DropReason::metered), 3U);
  bench.time = bench.time + Duration::seconds(1);
  bench.receive(1, tcp_frame());
  EXPECT_EQ(bench.answers().size(), 1U);
  Instructions metered = applying({output_to(2)});
  metered.meter = kControllerMeter;
  bench.tell(type::kFlowMod, FlowModText{.instructions = metered}.bytes());
  EXPECT_EQ(bench.error(), error::kInvalidMeter);
}

// Of OpenFlow 1.3: the bits of `mask` of a port become those of `config`.
Bytes port_mod(std::uint32_t port, std::uint32_t config, std::uint32_t mask) {
  Bytes body;
  Writer to(body);
  to.u32(port);
  to.zeros(4);
  std::uint8_t mac[MacAddress::kSize];
  MacAddress::of(port).write_to(mac);
  to.bytes(mac);
  to.zeros(2);
  to.u32(config);
  to.u32(mask);
  to.zeros(8);
  return body;
}

TEST(OpenFlowSwitch, APortThatAControllerTakesDownHasNoLink) {
  Bench bench;
  bench.greet();
  bench.tell(type::kPortMod, port_mod(2, port_config::kDown, port_config::kDown));
  ASSERT_EQ(bench.enabled, (std::vector<std::pair<std::uint32_t, bool>>{{2, false}}));
  Bytes status = bench.answers().at(0);
  EXPECT_EQ(status[1], 12);
  EXPECT_EQ(load_be32(status.data() + 16 + 32), port_config::kDown);
  EXPECT_EQ(load_be32(status.data() + 16 + 36), port_state::kLinkDown);
  bench.tell(type::kPortMod, port_mod(2, port_config::kDown, port_config::kDown));  // it is down already
  EXPECT_EQ(bench.enabled.size(), 1U);
  bench.tell(type::kPortMod, port_mod(2, 0, port_config::kDown));
  EXPECT_EQ(bench.enabled.back(), std::pair(2U, true));
  status = bench.answers().at(0);
  EXPECT_EQ(load_be32(status.data() + 16 + 36), port_state::kLive);
}

// The bit speaks of table misses (1.3.5, 7.2.1); Open vSwitch 3.1 sends what a flow outputs to the controller all the same.
TEST(OpenFlowSwitch, APortThatSendsNoPacketInsStillSendsWhatAFlowOutputsToTheController) {
  Bench bench;
  bench.greet();
  bench.tell(type::kPortMod, port_mod(1, port_config::kNoPacketIn, port_config::kNoPacketIn));
  bench.tell(type::kFlowMod,
             FlowModText{.instructions = applying({output_to(port_no::kController)})}.bytes());
  bench.answers();
  bench.receive(1, tcp_frame());
  const std::vector<Bytes> said = bench.answers();
  ASSERT_EQ(said.size(), 1U);
  EXPECT_EQ(said[0][1], type::kPacketIn);
}

TEST(OpenFlowSwitch, APortThatSendsNoPacketInsSendsNoneForAMiss) {
  Bench bench;
  bench.greet(1);
  Bytes body;
  Writer to(body);
  to.u16(1);
  std::uint8_t mac[MacAddress::kSize];
  MacAddress::of(1).write_to(mac);
  to.bytes(mac);
  to.u32(port_config::kNoPacketIn);
  to.u32(port_config::kNoPacketIn);
  to.zeros(8);
  bench.tell(15, body, 1);
  bench.answers();
  bench.receive(1, tcp_frame());
  EXPECT_TRUE(bench.answers().empty());
  bench.receive(2, tcp_frame());
  EXPECT_EQ(bench.answers().size(), 1U);
}

// A flow with a `learn` that takes its flows along, which have cookie 7 in table 1.
FlowModText taking_along(std::uint16_t priority) {
  auto learn = std::make_shared<Learn>();
  learn->table = 1;
  learn->cookie = 7;
  learn->flags = Learn::kEraseLearned;
  learn->specs.push_back({.target = Learn::Target::match,
                          .source = {&field(FieldId::eth_src), 0, 48},
                          .into = {&field(FieldId::eth_dst), 0, 48},
                          .bits = 48});
  Action learning = of(ActionType::learn);
  learning.learned = learn;
  return {.instructions = applying({learning, output_to(2)}), .priority = priority};
}

TEST(OpenFlowSwitch, WhatALearnHasMadeGoesWithTheLastFlowThatTakesItAlong) {
  Bench bench;
  bench.greet();
  bench.tell(type::kFlowMod, taking_along(1).bytes());
  bench.tell(type::kFlowMod, taking_along(2).bytes());
  bench.tell(type::kFlowMod, FlowModText{.table = 1, .flags = flow_flag::kSendRemoved, .cookie = 7}.bytes());
  bench.tell(type::kFlowMod, FlowModText{.priority = 3, .table = 1, .cookie = 8}.bytes());
  bench.receive(1, tcp_frame());
  EXPECT_EQ(bench.of.tables().size(), 5U);
  FlowModText erase{.priority = 1, .command = 4};
  bench.tell(type::kFlowMod, erase.bytes());
  EXPECT_EQ(bench.of.tables().size(), 4U);
  erase.priority = 2;
  bench.tell(type::kFlowMod, erase.bytes());
  bench.tell(type::kBarrierRequest, {});
  ASSERT_EQ(bench.of.tables().size(), 1U);
  EXPECT_EQ(bench.of.tables().at(1)->flows().at(0)->cookie, 8U);
  const auto answers = bench.answers();
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_EQ(answers[0][1], 11);  // removed, before the barrier is answered
  EXPECT_EQ(answers[1][1], 21);
}

TEST(OpenFlowSwitch, WhatALearnHasMadeStaysWhereAModificationKeepsTheLearn) {
  Bench bench;
  bench.greet();
  bench.tell(type::kFlowMod, taking_along(1).bytes());
  bench.tell(type::kFlowMod, FlowModText{.table = 1, .cookie = 7}.bytes());
  bench.tell(type::kFlowMod, taking_along(1).bytes());
  bench.tell(type::kBarrierRequest, {});
  EXPECT_EQ(bench.of.tables().size(), 2U);
  bench.tell(type::kFlowMod, FlowModText{.instructions = applying({output_to(3)}), .priority = 1}.bytes());
  bench.tell(type::kBarrierRequest, {});
  EXPECT_EQ(bench.of.tables().size(), 1U);
}

TEST(OpenFlowSwitch, WhatALearnHasMadeGoesWhenItsFlowTimesOut) {
  Bench bench;
  bench.greet();
  FlowModText mod = taking_along(1);
  mod.hard = 2;
  bench.tell(type::kFlowMod, mod.bytes());
  bench.receive(1, tcp_frame());
  EXPECT_EQ(bench.of.tables().size(), 2U);
  bench.time = bench.due;
  bench.of.tick();
  EXPECT_EQ(bench.of.tables().size(), 0U);
}

TEST(OpenFlowSwitch, AMissDropsIn13AndGoesToTheControllerIn10) {
  Bench bench;
  bench.greet();
  bench.receive(1, tcp_frame());
  EXPECT_TRUE(bench.answers().empty());
  EXPECT_EQ(bench.dropped.of(DropReason::no_flow), 1U);
  Bench old(4, {.name = "s1", .dpid = 1, .versions = 1U << 1});
  old.greet(1);
  old.receive(1, tcp_frame());
  const auto answers = old.answers();
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0][1], 10);
  EXPECT_EQ(answers[0].size(), 18 + tcp_frame().size());
}

TEST(OpenFlowSwitch, SetFieldKeepsChecksumsRight) {
  Bench bench;
  bench.greet();
  FlowModText mod{.instructions =
                      applying({set_to(FieldId::ipv4_dst, 0x0a0000ff), set_to(FieldId::tcp_dst, 8080),
                                of(ActionType::dec_ip_ttl), output_to(2)})};
  mod.match.set(field(FieldId::eth_type), 0x800);
  mod.match.set(field(FieldId::ip_proto), 6);
  bench.tell(type::kFlowMod, mod.bytes());
  Bytes frame = tcp_frame();
  ChecksumSum sum;
  sum.add_pseudo_header(Ipv4Address::parse("10.0.0.1"), Ipv4Address::parse("10.0.0.2"), 6, 20);
  sum.add(std::span<const std::uint8_t>(frame).subspan(34));
  store_be16(frame.data() + 50, sum.checksum());
  ASSERT_EQ(ip_sum(frame, 14), 0xffff);
  bench.receive(1, frame);
  ASSERT_EQ(bench.sent.size(), 1U);
  const Bytes& out = bench.sent[0].second;
  EXPECT_EQ(out[22], 63);
  EXPECT_EQ(load_be16(out.data() + 36), 8080);
  EXPECT_EQ(ip_sum(out, 14), 0xffff);
  ChecksumSum after;
  after.add_pseudo_header(Ipv4Address::parse("10.0.0.1"), Ipv4Address::parse("10.0.0.255"), 6, 20);
  after.add(std::span<const std::uint8_t>(out).subspan(34));
  EXPECT_EQ(after.folded(), 0xffff);
}

TEST(OpenFlowSwitch, PushesSetsAndPopsATag) {
  Bench bench;
  bench.greet();
  FlowModText push{.instructions = applying(
                       {of(ActionType::push_vlan, 0x8100), set_to(FieldId::vlan_vid, 0x1064), output_to(2)})};
  push.match.set(field(FieldId::in_port), 1);
  FlowModText pop{.instructions = applying({of(ActionType::pop_vlan), output_to(3)})};
  pop.match.set(field(FieldId::vlan_vid), 0x1064);
  bench.tell(type::kFlowMod, push.bytes());
  bench.tell(type::kFlowMod, pop.bytes());
  ASSERT_TRUE(bench.answers().empty());
  bench.receive(1, tcp_frame());
  ASSERT_EQ(bench.sent.size(), 1U);
  const Bytes tagged = bench.sent[0].second;
  EXPECT_EQ(load_be32(tagged.data() + 12), 0x81000064U);
  bench.receive(2, tagged);
  ASSERT_EQ(bench.sent.size(), 2U);
  EXPECT_EQ(bench.sent[1].second, tcp_frame());
}

TEST(OpenFlowSwitch, LabelsComeAndGo) {
  Bench bench;
  bench.greet();
  FlowModText push{.instructions = applying(
                       {of(ActionType::push_mpls, 0x8847), set_to(FieldId::mpls_label, 77), output_to(2)})};
  push.match.set(field(FieldId::eth_type), 0x800);
  FlowModText pop{.instructions = applying({of(ActionType::pop_mpls, 0x800), output_to(3)})};
  pop.match.set(field(FieldId::eth_type), 0x8847);
  pop.match.set(field(FieldId::mpls_label), 77);
  bench.tell(type::kFlowMod, push.bytes());
  bench.tell(type::kFlowMod, pop.bytes());
  bench.receive(1, tcp_frame());
  ASSERT_EQ(bench.sent.size(), 1U);
  EXPECT_EQ(load_be32(bench.sent[0].second.data() + 14), 77U << 12 | 0x100U | 64U);
  bench.receive(2, bench.sent[0].second);
  ASSERT_EQ(bench.sent.size(), 2U);
  EXPECT_EQ(bench.sent[1].second, tcp_frame());
}

TEST(OpenFlowSwitch, LearnsAndForwardsBack) {
  Bench bench;
  bench.greet();
  auto learn = std::make_shared<Learn>();
  learn->table = 1;
  learn->priority = 10;
  learn->idle_timeout = 300;
  learn->specs.push_back({.target = Learn::Target::match,
                          .source = {&field(FieldId::eth_src), 0, 48},
                          .into = {&field(FieldId::eth_dst), 0, 48},
                          .bits = 48});
  learn->specs.push_back(
      {.target = Learn::Target::output, .source = {&field(FieldId::in_port), 0, 32}, .bits = 32});
  Action learning = of(ActionType::learn);
  learning.learned = learn;
  FlowModText first{.instructions = applying({learning}), .priority = 0};
  first.instructions.go_to = 1;
  FlowModText flood{.instructions = applying({output_to(port_no::kFlood)}), .priority = 0, .table = 1};
  bench.tell(type::kFlowMod, first.bytes());
  bench.tell(type::kFlowMod, flood.bytes());
  ASSERT_TRUE(bench.answers().empty());
  bench.receive(1, tcp_frame());
  EXPECT_EQ(bench.sent.size(), 3U);
  Bytes back = tcp_frame();
  std::swap_ranges(back.begin(), back.begin() + 6, back.begin() + 6);
  bench.sent.clear();
  for (int i = 0; i < 4; ++i) bench.receive(4, back);
  ASSERT_EQ(bench.sent.size(), 4U);
  EXPECT_EQ(bench.sent[0].first, 1U);
  EXPECT_EQ(bench.of.tables().size(), 4U);
  EXPECT_GE(bench.of.pipeline().hits, 2U);
  bench.time = SimTime::at_ns(301'000'000'000);
  bench.of.tick();
  EXPECT_EQ(bench.of.tables().size(), 2U);
}

TEST(OpenFlowSwitch, GroupsOfEachType) {
  Bench bench;
  bench.greet();
  bench.tell(type::kGroupMod, group_mod(0, 0, 1, {bucket_to(2), bucket_to(3)}));
  bench.tell(type::kGroupMod, group_mod(0, 2, 2, {bucket_to(4)}));
  bench.tell(type::kGroupMod, group_mod(0, 3, 3, {bucket_to(2, 0, 2), bucket_to(3, 0, 3)}));
  bench.tell(type::kGroupMod, group_mod(0, 1, 4, {bucket_to(2, 1), bucket_to(3, 0)}));
  ASSERT_TRUE(bench.answers().empty());
  const auto ports_of = [&](std::uint32_t group) {
    bench.tell(type::kFlowMod,
               FlowModText{.instructions = applying({of(ActionType::group, 0, group)})}.bytes());
    bench.sent.clear();
    bench.receive(1, tcp_frame());
    std::vector<std::uint32_t> ports;
    for (const auto& [port, frame] : bench.sent) ports.push_back(port);
    return ports;
  };
  EXPECT_EQ(ports_of(1), (std::vector<std::uint32_t>{2, 3}));
  EXPECT_EQ(ports_of(2), (std::vector<std::uint32_t>{4}));
  EXPECT_EQ(ports_of(3), (std::vector<std::uint32_t>{2}));
  EXPECT_EQ(ports_of(4), (std::vector<std::uint32_t>{2}));
  bench.of.set_link(2, false);
  EXPECT_EQ(ports_of(3), (std::vector<std::uint32_t>{3}));
}

TEST(OpenFlowSwitch, AGroupThatWatchesNothingIsLive) {
  Bench bench;
  bench.greet();
  bench.tell(type::kGroupMod, group_mod(0, 0, 1, {bucket_to(2), bucket_to(3)}));
  Bucket watching;
  watching.watch_group = 1;
  watching.actions = {of(ActionType::group, 0, 1)};
  bench.tell(type::kGroupMod, group_mod(0, 3, 2, {watching, bucket_to(4, 0, 4)}));
  bench.tell(type::kFlowMod, FlowModText{.instructions = applying({of(ActionType::group, 0, 2)})}.bytes());
  ASSERT_TRUE(bench.answers().empty());
  bench.receive(1, tcp_frame());
  ASSERT_EQ(bench.sent.size(), 2U);
  EXPECT_EQ(bench.sent[0].first, 2U);
  EXPECT_EQ(bench.sent[1].first, 3U);
}

TEST(OpenFlowSwitch, RefusesWithTheSpecificationsErrors) {
  Bench bench;
  bench.greet();
  const auto refused = [&bench](const FlowModText& mod) {
    bench.tell(type::kFlowMod, mod.bytes());
    return bench.error();
  };
  FlowModText prerequisite;
  prerequisite.match.set(field(FieldId::tcp_dst), 80);
  Bytes raw = prerequisite.bytes();  // write_oxms leaves it out, so it is written here
  raw.resize(40);
  Writer to(raw);
  to.u16(1);
  to.u16(10);
  to.u32(0x80001c02);
  to.u16(80);
  to.zeros(6);
  bench.tell(type::kFlowMod, raw);
  EXPECT_EQ(bench.error(), error::kMatchPrerequisite);
  EXPECT_EQ(refused({.instructions = applying({of(ActionType::group, 0, 5)})}), error::kActionOutGroup);
  EXPECT_EQ(refused({.instructions = applying({output_to(0xffffff01)})}), error::kActionOutPort);
  EXPECT_EQ(refused({.instructions = applying({set_to(FieldId::tcp_dst, 1)})}), error::kActionInconsistent);
  EXPECT_EQ(refused({.table = 254}), error::kPermission);  // Open vSwitch's own, as it has it
  EXPECT_EQ(refused({.table = kAllTables}), error::kFlowTable);
  EXPECT_EQ(refused({.command = 9}), error::kFlowCommand);
  EXPECT_EQ(refused({.flags = 0x100}), error::kFlowFlags);
  Instructions backwards;
  backwards.go_to = 3;
  EXPECT_EQ(refused({.instructions = backwards, .table = 3}), error::kInstructionTable);
  bench.tell(99, {});
  EXPECT_EQ(bench.error(), error::kBadType);
  bench.tell(2, {1, 2, 3});
  EXPECT_EQ(bench.answers().at(0).size(), 11U);
}

TEST(OpenFlowSwitch, ABareConnectionAnswersEchoesAloneUntilItIsGreeted) {
  Bench bench;
  bench.answers();
  EXPECT_EQ(bench.said(type::kFeaturesRequest, {}), error::kBadVersion);
  EXPECT_EQ(bench.said(type::kEchoRequest, {1, 2}), (ErrorCode{998, type::kEchoReply}));
  EXPECT_EQ(bench.said(type::kError, {0, 1, 0, 0}), Bench::kTaken);
  EXPECT_EQ(bench.said(type::kEchoReply, {}), Bench::kTaken);
  EXPECT_FALSE(bench.of.connected());
  bench.greet();
  EXPECT_TRUE(bench.of.connected());
  EXPECT_EQ(bench.said(type::kHello, {}, 1), Bench::kTaken);  // a second one changes nothing
  EXPECT_EQ(bench.said(type::kFeaturesRequest, {}, 1), error::kBadVersion);
  EXPECT_EQ(bench.said(type::kFeaturesRequest, {}, 5), error::kBadVersion);
  EXPECT_EQ(bench.said(type::kFeaturesRequest, {}), (ErrorCode{998, type::kFeaturesReply}));
  EXPECT_EQ(bench.of.counters().errors, 3U);
}

TEST(OpenFlowSwitch, MessagesThatASwitchDoesNotTakeAreOfABadType) {
  Bench bench;
  bench.greet();
  for (const std::uint8_t type :
       {type::kFeaturesReply, type::kGetConfigReply, type::kPacketIn, type::kFlowRemoved, type::kPortStatus,
        type::kMultipartReply, type::kBarrierReply, type::kQueueConfigReply, type::kRoleReply,
        type::kGetAsyncReply})
    EXPECT_EQ(bench.said(type, {}), error::kBadType) << int{type};
  EXPECT_EQ(bench.said(type::kMeterMod + 1, {}), error::kBadType);
  EXPECT_EQ(bench.said(255, {}), error::kBadType);
  bench.session = &bench.of.connect(Session::Kind::controller, [] {});
  bench.greet(1);
  for (const std::uint8_t type : {type10::kStatisticsReply, type10::kBarrierReply, type10::kQueueConfigReply})
    EXPECT_EQ(bench.said(type, {}, 1), error::kBadType) << int{type};
  EXPECT_EQ(bench.said(type::kSetAsync, {}, 1), error::kBadType);  // which 1.0 does not have
  EXPECT_EQ(bench.said(type10::kBarrierRequest, {}, 1), (ErrorCode{998, type10::kBarrierReply}));
}

TEST(OpenFlowSwitch, MessagesThatAreTooShortOrTooLongAreOfABadLength) {
  Bench bench;
  bench.greet();
  for (const std::uint8_t type :
       {type::kFeaturesRequest, type::kGetConfigRequest, type::kBarrierRequest, type::kGetAsyncRequest})
    EXPECT_EQ(bench.said(type, {0}), error::kBadLength) << int{type};
  const std::pair<type::Number, std::size_t> sizes[] = {{type::kSetConfig, 4},
                                                        {type::kPortMod, 32},
                                                        {type::kTableMod, 8},
                                                        {type::kRoleRequest, 16},
                                                        {type::kSetAsync, 24}};
  for (const auto& [type, size] : sizes) {
    EXPECT_EQ(bench.said(type, Bytes(size - 1)), error::kBadLength) << int{type};
    EXPECT_EQ(bench.said(type, Bytes(size + 1)), error::kBadLength) << int{type};
  }
  for (const type::Number type : {type::kPacketOut, type::kFlowMod, type::kGroupMod, type::kMeterMod,
                                  type::kMultipartRequest, type::kExperimenter, type::kQueueConfigRequest})
    EXPECT_EQ(bench.said(type, {0}), error::kBadLength) << int{type};
}

TEST(OpenFlowSwitch, TellsOfAFlowThatTimesOut) {
  Bench bench;
  bench.greet();
  bench.tell(type::kFlowMod,
             FlowModText{.instructions = applying({output_to(2)}), .hard = 2, .flags = 1}.bytes());
  EXPECT_EQ(bench.due, SimTime::at_ns(2'000'000'000));
  bench.time = bench.due;
  bench.of.tick();
  const auto answers = bench.answers();
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0][1], 11);
  EXPECT_EQ(answers[0][18], 1);  // a hard timeout
  EXPECT_EQ(bench.of.tables().size(), 0U);
}

TEST(OpenFlowSwitch, FlowsThatItTellsAreTheFlowsThatItWasTold) {
  Bench bench;
  bench.greet();
  FlowModText mod{.instructions = applying({set_to(FieldId::eth_src, 5), output_to(2, 0)}), .priority = 7};
  mod.match.set(field(FieldId::eth_type), 0x86dd);
  mod.match.set(field(FieldId::ipv6_dst), FieldValue{0xfd00} << 112, FieldValue{0xffff} << 112);
  bench.tell(type::kFlowMod, mod.bytes());
  Bytes request;
  Writer to(request);
  to.u16(1);
  to.zeros(6);
  to.u8(kAllTables);
  to.zeros(3);
  to.u32(port_no::kAny);
  to.u32(kAnyGroup);
  to.zeros(4 + 16);
  write_match(to, Match{});
  bench.tell(18, request);
  const auto answers = bench.answers();
  ASSERT_EQ(answers.size(), 1U);
  const Bytes told = mod.bytes();
  const auto behind_fixed_part = std::span(told).subspan(40);
  const auto stats = std::span(answers[0]).subspan(16 + 48);
  EXPECT_TRUE(std::ranges::equal(stats, behind_fixed_part));
}

// A flow modification of 1.0 that matches everything.
Bytes flow_mod_10(const Bytes& actions, std::uint16_t command = 0, std::uint32_t wildcards = kWildcards10,
                  std::uint16_t priority = 100) {
  Bytes body;
  Writer to(body);
  to.u32(wildcards);
  to.zeros(36 + 8);  // match, cookie
  to.u16(command);
  to.zeros(4);  // timeouts
  to.u16(priority);
  to.u32(kNoBuffer);
  to.u16(0xffff);
  to.u16(0);
  to.bytes(actions);
  return body;
}

const Bytes kOutput3Of10 = {0, 0, 0, 8, 0, 3, 0, 0};

// Open vSwitch's 1.0 has one table to look into, which stands for all.
TEST(OpenFlowSwitch, ModificationsOf10ActOnAllTables) {
  for (const std::uint16_t command : {std::uint16_t{1}, std::uint16_t{2}}) {
    Bench bench;
    bench.greet();
    Instructions first = applying({output_to(2)});
    first.go_to = 1;
    bench.tell(type::kFlowMod, FlowModText{.instructions = first}.bytes());
    bench.tell(type::kFlowMod, FlowModText{.instructions = applying({output_to(4)}), .table = 1}.bytes());
    bench.session = &bench.of.connect(Session::Kind::controller, [] {});
    bench.greet(1);
    bench.tell(type::kFlowMod, flow_mod_10(kOutput3Of10, command), 1);
    EXPECT_TRUE(bench.answers().empty());
    EXPECT_EQ(bench.of.tables().size(), 2U);
    for (const std::uint8_t number : {std::uint8_t{0}, std::uint8_t{1}}) {
      const Flow& flow = *bench.of.tables().at(number)->flows().at(0);
      EXPECT_EQ(flow.instructions.apply->at(0).port, 3U);
      EXPECT_FALSE(flow.instructions.go_to);
    }
  }
}

TEST(OpenFlowSwitch, AModificationOf10ThatFindsAFlowInAnotherTableAddsNone) {
  Bench bench;
  bench.greet();
  bench.tell(type::kFlowMod, FlowModText{.instructions = applying({output_to(4)}), .table = 1}.bytes());
  bench.session = &bench.of.connect(Session::Kind::controller, [] {});
  bench.greet(1);
  bench.tell(type::kFlowMod, flow_mod_10(kOutput3Of10, 2), 1);
  EXPECT_EQ(bench.of.tables().size(), 1U);
  bench.tell(type::kFlowMod, flow_mod_10(kOutput3Of10, 2, kWildcards10, 7), 1);  // none has this priority
  ASSERT_EQ(bench.of.tables().size(), 2U);
  EXPECT_EQ(bench.of.tables().at(0)->flows().at(0)->priority, 7);
}

TEST(OpenFlowSwitch, DeletionsOf10ActOnAllTables) {
  for (const std::uint16_t command : {std::uint16_t{3}, std::uint16_t{4}}) {
    Bench bench;
    bench.greet();
    for (const std::uint8_t table : {std::uint8_t{0}, std::uint8_t{1}, std::uint8_t{7}})
      bench.tell(type::kFlowMod, FlowModText{.table = table}.bytes());
    bench.tell(type::kFlowMod, FlowModText{.priority = 5, .table = 1}.bytes());
    bench.session = &bench.of.connect(Session::Kind::controller, [] {});
    bench.greet(1);
    bench.tell(type::kFlowMod, flow_mod_10({}, command), 1);
    EXPECT_EQ(bench.of.tables().size(), command == 3 ? 0U : 1U);
  }
}

TEST(OpenFlowSwitch, AnExactMatchOf10HasTheHighestPriority) {
  Bench bench;
  bench.greet(1);
  bench.tell(type::kFlowMod, flow_mod_10(kOutput3Of10, 0, 0, 5), 1);
  ASSERT_EQ(bench.of.tables().size(), 1U);
  EXPECT_EQ(bench.of.tables().at(0)->flows().at(0)->priority, 0xffff);
  bench.tell(type::kFlowMod, flow_mod_10({}, 4, 0, 9), 1);
  EXPECT_EQ(bench.of.tables().size(), 0U);
}

TEST(OpenFlowSwitch, TheActionsOf10SetPortsOfUdpToo) {
  Bench bench;
  bench.greet(1);
  const Bytes actions = {0, 10, 0, 8, 0, 99, 0, 0, 0, 0, 0, 8, 0, 2, 0, 0};  // set_tp_dst, output
  bench.tell(type::kFlowMod, flow_mod_10(actions), 1);
  ASSERT_TRUE(bench.answers().empty());
  Bytes frame = tcp_frame();
  frame[23] = 17;
  store_be16(frame.data() + 38, 20);
  store_be16(frame.data() + 40, 0);
  bench.receive(1, frame);
  ASSERT_EQ(bench.sent.size(), 1U);
  EXPECT_EQ(load_be16(bench.sent[0].second.data() + 36), 99);
}

TEST(OpenFlowSwitch, TellsAnEnqueueOf10AsItWasTold) {
  Bench bench;
  bench.greet(1);
  const Bytes enqueue = {0, 11, 0, 16, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5};
  bench.tell(type::kFlowMod, flow_mod_10(enqueue), 1);
  ASSERT_TRUE(bench.answers().empty());
  Bytes request;
  Writer to(request);
  to.u16(1);
  to.u16(0);
  to.u32((1U << 22) - 1);
  to.zeros(36);
  to.u8(0xff);
  to.zeros(1);
  to.u16(0xffff);
  bench.tell(16, request, 1);
  const auto answers = bench.answers();
  ASSERT_EQ(answers.size(), 1U);
  ASSERT_GT(answers[0].size(), enqueue.size());
  EXPECT_TRUE(std::ranges::equal(std::span(answers[0]).last(enqueue.size()), enqueue));
  bench.receive(1, tcp_frame());
  ASSERT_EQ(bench.sent.size(), 1U);
  EXPECT_EQ(bench.sent[0].first, 2U);
}

TEST(OpenFlowSwitch, SlavesMayNotChangeAnything) {
  Bench bench;
  bench.greet();
  Bytes role;
  Writer to(role);
  to.u32(3);
  to.u32(0);
  to.u64(1);
  bench.tell(24, role);
  bench.answers();
  bench.tell(type::kFlowMod, FlowModText{}.bytes());
  EXPECT_EQ(bench.error(), error::kIsSlave);
}

TEST(OpenFlowSwitch, AMeterDropsWhatIsAboveItsRate) {
  Bench bench;
  bench.greet();
  Bytes meter;
  Writer to(meter);
  to.u16(0);
  to.u16(2 | 4);
  to.u32(1);
  to.u16(1);
  to.u16(16);
  to.u32(10);
  to.u32(5);
  to.u32(0);
  bench.tell(29, meter);
  FlowModText mod{.instructions = applying({output_to(2)})};
  mod.instructions.meter = 1;
  bench.tell(type::kFlowMod, mod.bytes());
  ASSERT_TRUE(bench.answers().empty());
  for (int i = 0; i < 8; ++i) bench.receive(1, tcp_frame());
  EXPECT_EQ(bench.sent.size(), 5U);
  EXPECT_EQ(bench.dropped.of(DropReason::metered), 3U);
  bench.time = SimTime::at_ns(200'000'000);  // two more, at ten per second
  for (int i = 0; i < 8; ++i) bench.receive(1, tcp_frame());
  EXPECT_EQ(bench.sent.size(), 7U);
}

TEST(OpenFlowSwitch, ABurstCountsOnlyWithItsFlag) {
  Bench bench;
  bench.greet();
  Bytes meter;
  Writer to(meter);
  to.u16(0);
  to.u16(2);  // packets per second
  to.u32(1);
  to.u16(1);
  to.u16(16);
  to.u32(3);
  to.u32(1'000);
  to.u32(0);
  bench.tell(29, meter);
  FlowModText mod{.instructions = applying({output_to(2)})};
  mod.instructions.meter = 1;
  bench.tell(type::kFlowMod, mod.bytes());
  ASSERT_TRUE(bench.answers().empty());
  for (int i = 0; i < 8; ++i) bench.receive(1, tcp_frame());
  EXPECT_EQ(bench.sent.size(), 3U);
}

TEST(OpenFlowSwitch, StandsAloneWithoutAController) {
  Bench bench(3, {.name = "s1", .dpid = 1, .standalone = true});
  bench.receive(1, tcp_frame());
  EXPECT_EQ(bench.sent.size(), 2U);
  bench.greet();
  bench.receive(1, tcp_frame());
  EXPECT_EQ(bench.sent.size(), 2U);
}

SimTime at_ms(std::int64_t count) { return SimTime::zero() + Duration::ms(count); }

// Makes the switch see each of its own wake-ups up to then.
void run_until(Bench& bench, SimTime end) {
  while (bench.due <= end) {
    bench.time = bench.due;
    bench.of.tick();
  }
  bench.time = end;
}

TEST(OpenFlowSwitch, AModificationHasItsEffectWhenItsTimeIsOver) {
  Bench bench(2, {.name = "s1", .dpid = 1, .setup_rate = 10});
  bench.greet();
  for (std::uint16_t priority = 1; priority <= 3; ++priority)
    bench.tell(type::kFlowMod, FlowModText{.priority = priority}.bytes());
  for (std::size_t flows = 0; flows <= 3; ++flows) {
    EXPECT_EQ(bench.of.tables().size(), flows);
    run_until(bench, at_ms(99 + 100 * static_cast<std::int64_t>(flows)));
    EXPECT_EQ(bench.of.tables().size(), flows);
    run_until(bench, at_ms(100 + 100 * static_cast<std::int64_t>(flows)));
  }
}

TEST(OpenFlowSwitch, ABarrierWaitsForTheTimeOfTheModificationBeforeIt) {
  Bench bench(2, {.name = "s1", .dpid = 1, .setup_rate = 2});
  bench.greet();
  bench.tell(type::kFlowMod, FlowModText{}.bytes());
  bench.tell(type::kBarrierRequest, {});
  run_until(bench, at_ms(499));
  EXPECT_TRUE(bench.answers().empty());
  run_until(bench, at_ms(500));
  const auto answers = bench.answers();
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0][1], type::kBarrierRequest + 1);
  bench.tell(type::kBarrierRequest, {});
  EXPECT_EQ(bench.answers().size(), 1U);
}

TEST(OpenFlowSwitch, ModificationsOfGroupsAndMetersTakeTheirTimeToo) {
  Bench bench(2, {.name = "s1", .dpid = 1, .setup_rate = 10});
  bench.greet();
  bench.tell(type::kGroupMod, group_mod(0, 2, 1, {bucket_to(2)}));
  bench.tell(type::kMeterMod, {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 16, 0, 0, 0, 10, 0, 0, 0, 0, 0, 0, 0, 0});
  bench.tell(type::kFlowMod, FlowModText{}.bytes());
  run_until(bench, at_ms(299));
  EXPECT_EQ(bench.of.tables().size(), 0U);
  run_until(bench, at_ms(300));
  EXPECT_EQ(bench.of.tables().size(), 1U);
  EXPECT_TRUE(bench.answers().empty());
}

TEST(OpenFlowSwitch, ModificationsOfTwoControllersTakeTheirTimeOneAfterTheOther) {
  Bench bench(2, {.name = "s1", .dpid = 1, .setup_rate = 10});
  bench.greet();
  Session* const first = bench.session;
  Session* const second = &bench.of.connect(Session::Kind::controller, [] {});
  bench.session = second;
  bench.greet();
  bench.tell(type::kFlowMod, FlowModText{.priority = 1}.bytes());
  bench.tell(type::kBarrierRequest, {});
  bench.session = first;
  bench.tell(type::kFlowMod, FlowModText{.priority = 2}.bytes());
  bench.tell(type::kBarrierRequest, {});
  first->output().clear();
  run_until(bench, at_ms(100));
  EXPECT_TRUE(bench.answers().empty());
  bench.session = second;
  EXPECT_EQ(bench.answers().size(), 1U);
  run_until(bench, at_ms(200));
  bench.session = first;
  EXPECT_EQ(bench.answers().size(), 1U);
  EXPECT_EQ(bench.of.tables().size(), 2U);
}

TEST(OpenFlowSwitch, WhatAControllerSaidBeforeItWentIsDoneInItsTime) {
  Bench bench(2, {.name = "s1", .dpid = 1, .setup_rate = 10});
  bench.greet();
  for (std::uint16_t priority = 1; priority <= 3; ++priority) {
    bench.tell(type::kFlowMod, FlowModText{.priority = priority}.bytes());
    bench.tell(type::kBarrierRequest, {});
    bench.tell(type::kMultipartRequest, {0, 0, 0, 0, 0, 0, 0, 0});
  }
  bench.of.disconnect(*bench.session);
  EXPECT_FALSE(bench.of.connected());
  for (std::size_t flows = 0; flows <= 3; ++flows) {
    EXPECT_EQ(bench.of.tables().size(), flows);
    run_until(bench, at_ms(99 + 100 * static_cast<std::int64_t>(flows)));
    EXPECT_EQ(bench.of.tables().size(), flows);
    run_until(bench, at_ms(100 + 100 * static_cast<std::int64_t>(flows)));
  }
  EXPECT_EQ(bench.due, SimTime::never());
  EXPECT_EQ(bench.of.counters().messages_dropped, 0U);
  EXPECT_EQ(bench.of.counters().errors, 0U);
}

TEST(OpenFlowSwitch, AControllerThatHasGoneIsNeitherGreetedNorMaster) {
  Bench bench(2, {.name = "s1", .dpid = 1, .standalone = true, .setup_rate = 10});
  bench.of.expect_controller();
  Session& other = *bench.session;
  bench.greet();
  bench.tell(type::kFlowMod, FlowModText{.priority = 1}.bytes());
  bench.tell(type::kRoleRequest,
             {0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9});  // master, of generation 9
  bench.session = &bench.of.connect(Session::Kind::controller, [] {});
  bench.greet();
  bench.of.disconnect(other);
  bench.tell(type::kRoleRequest, {0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1});
  bench.answers();
  run_until(bench, at_ms(500));
  EXPECT_EQ(bench.session->role, Role::master);

  Session& silent = bench.of.connect(Session::Kind::controller, [] {});
  silent.take_in(Bytes{4, type::kHello, 0, 8, 0, 0, 0, 1});  // it goes before that is read
  bench.of.disconnect(*bench.session);
  bench.of.disconnect(silent);
  run_until(bench, at_ms(600));
  EXPECT_FALSE(bench.of.connected());
  run_until(bench, at_ms(20'000));
  Bytes broadcast(64);
  std::fill_n(broadcast.begin(), 6, 0xff);
  bench.receive(1, broadcast);
  EXPECT_EQ(bench.sent.size(), 1U);  // as a bridge
}

TEST(OpenFlowSwitch, OfTooManyControllersThatHaveGoneTheRestOfTheOldestIsDropped) {
  Bench bench(2, {.name = "s1", .dpid = 1, .setup_rate = 1});
  for (std::uint16_t priority = 0; priority <= Switch::kMostLeftBehind; ++priority) {
    bench.greet();
    bench.tell(type::kFlowMod, FlowModText{.priority = priority}.bytes());
    bench.tell(type::kBarrierRequest, {});
    EXPECT_EQ(bench.of.counters().messages_dropped, 0U);
    bench.of.disconnect(*bench.session);
    bench.session = &bench.of.connect(Session::Kind::controller, [] {});
  }
  EXPECT_EQ(bench.of.counters().messages_dropped, 2U);
  run_until(bench, at_ms(60'000));
  EXPECT_EQ(bench.of.tables().size(), Switch::kMostLeftBehind);
}

TEST(OpenFlowSwitch, TheModificationOfASlaveIsRefusedAtOnce) {
  Bench bench(2, {.name = "s1", .dpid = 1, .setup_rate = 10});
  bench.greet();
  bench.session->role = Role::slave;
  bench.tell(type::kFlowMod, FlowModText{}.bytes());
  EXPECT_EQ(bench.error(), error::kIsSlave);
}

}  // namespace
}  // namespace simcore::openflow

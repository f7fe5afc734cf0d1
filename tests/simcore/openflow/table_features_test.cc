// SPDX-License-Identifier: MIT
//
// What tables can do, as section 7.3.5.5 of OpenFlow 1.3.5 lays it out; each part of it is compared with what the switch
// takes.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/simcore/openflow/frames.h"

namespace simcore::openflow {
namespace {

using multipart_type::kTableFeatures;
constexpr std::size_t kHeader = 64;

struct Table {
  Bytes header;
  std::map<std::uint16_t, Bytes> properties;  // without type, length and padding
};

std::vector<Table> features(Bench& bench) {
  bench.tell(type::kMultipartRequest, joined({number(kTableFeatures, 2), number(0, 6)}));
  std::vector<Table> tables;
  const auto answers = [&bench] {
    std::vector<Bytes> all;
    for (int turn = 0; turn < 1'000; ++turn) {
      for (const Bytes& answer : bench.answers()) all.push_back(answer);
      Effort effort(kEffortAtOnce);
      if (!all.empty() && load_be16(all.back().data() + 10) == 0) break;
      bench.of.handle_input(*bench.session, effort);
    }
    return all;
  }();
  for (const Bytes& answer : answers) {
    EXPECT_EQ(answer[1], 19);
    EXPECT_EQ(load_be16(answer.data() + 8), kTableFeatures);
    for (std::size_t at = 16; at < answer.size();) {
      const std::size_t end = at + load_be16(answer.data() + at);
      EXPECT_EQ(end % 8, 0U);
      Table& table = tables.emplace_back();
      const auto bytes = [&answer](std::size_t from, std::size_t to) {
        return Bytes(answer.begin() + static_cast<std::ptrdiff_t>(from),
                     answer.begin() + static_cast<std::ptrdiff_t>(to));
      };
      table.header = bytes(at, at + kHeader);
      for (at += kHeader; at < end;) {
        const std::size_t length = load_be16(answer.data() + at + 2);
        EXPECT_TRUE(
            table.properties.emplace(load_be16(answer.data() + at), bytes(at + 4, at + length)).second);
        at += (length + 7) / 8 * 8;
      }
      EXPECT_EQ(at, end);
    }
  }
  return tables;
}

// The numbers of instructions and actions, each with a length of 4.
std::set<unsigned> numbers(const Bytes& property) {
  std::set<unsigned> all;
  for (std::size_t at = 0; at + 4 <= property.size(); at += 4) {
    EXPECT_EQ(load_be16(property.data() + at + 2), 4);
    all.insert(load_be16(property.data() + at));
  }
  EXPECT_EQ(all.size() * 4, property.size());
  return all;
}

// Headers of OXM.
std::vector<std::uint32_t> headers(const Bytes& property) {
  std::vector<std::uint32_t> all;
  for (std::size_t at = 0; at + 4 <= property.size(); at += 4) all.push_back(load_be32(property.data() + at));
  return all;
}

class TableFeatures : public ::testing::Test {
 protected:
  TableFeatures() : bench(4, {.name = "s1", .dpid = 1, .versions = 1U << 4, .table_size = 1'234}) {
    bench.greet();
  }

  Bench bench;
};

TEST_F(TableFeatures, TellsEachTableOnce) {
  const std::vector<Table> tables = features(bench);
  ASSERT_EQ(tables.size(), 254U);
  for (std::size_t number_of = 0; number_of < tables.size(); ++number_of) {
    const std::string name = "table" + std::to_string(number_of);
    Bytes padded(name.begin(), name.end());
    padded.resize(32);
    // All of the metadata can be matched and written; OFPTC_DEPRECATED_MASK; as many flows as the switch holds.
    EXPECT_EQ(Bytes(tables[number_of].header.begin() + 2, tables[number_of].header.end()),
              joined({number(number_of, 1), number(0, 5), padded,
                      hex("ffffffffffffffff ffffffffffffffff 00000003"), number(1'234, 4)}));
    std::set<unsigned> types;
    for (const auto& [type, property] : tables[number_of].properties) types.insert(type);
    // Those of a miss are left out, as they are the same.
    EXPECT_EQ(types, (std::set<unsigned>{0, 2, 4, 6, 8, 10, 12, 14}));
  }
}

TEST_F(TableFeatures, APacketGoesToLaterTablesOnly) {
  const std::vector<Table> tables = features(bench);
  ASSERT_EQ(tables.size(), 254U);
  for (std::size_t at = 0; at < tables.size(); ++at) {
    Bytes later;
    for (std::size_t next = at + 1; next < 254; ++next) later.push_back(static_cast<std::uint8_t>(next));
    EXPECT_EQ(tables[at].properties.at(2), later);
    const std::set<unsigned> all = {1, 2, 3, 4, 5, 6};
    const std::set<unsigned> last = {2, 3, 4, 5, 6};
    EXPECT_EQ(numbers(tables[at].properties.at(0)), at == 253 ? last : all);
  }
}

TEST_F(TableFeatures, HasTheActionsOf13) {
  const std::set<unsigned> actions = {0, 11, 12, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27};
  for (const Table& table : features(bench)) {
    EXPECT_EQ(numbers(table.properties.at(4)), actions);
    EXPECT_EQ(numbers(table.properties.at(6)), actions);
  }
}

TEST_F(TableFeatures, HasTheFieldsOf13WithTheirLengths) {
  const Table table = features(bench).at(0);
  // Table 12 of the specification: number, bytes of a value. IN_PHY_PORT (1) is told by no switch without such ports.
  const std::map<unsigned, unsigned> kBytes = {
      {0, 4},   {2, 8},  {3, 6},  {4, 6},  {5, 2},  {6, 2},   {7, 1},   {8, 1},  {9, 1},  {10, 1},
      {11, 4},  {12, 4}, {13, 2}, {14, 2}, {15, 2}, {16, 2},  {17, 2},  {18, 2}, {19, 1}, {20, 1},
      {21, 2},  {22, 4}, {23, 4}, {24, 6}, {25, 6}, {26, 16}, {27, 16}, {28, 4}, {29, 1}, {30, 1},
      {31, 16}, {32, 6}, {33, 6}, {34, 4}, {35, 1}, {36, 1},  {37, 3},  {38, 8}, {39, 2}};
  // Those that it says can have a mask; of others Open vSwitch takes masks, too.
  const std::set<unsigned> kMasked = {2, 3, 4, 6, 11, 12, 22, 23, 24, 25, 26, 27, 28, 37, 38, 39};
  for (const std::uint16_t type : {std::uint16_t{8}, std::uint16_t{10}}) {
    std::map<unsigned, unsigned> lengths;
    for (const std::uint32_t header : headers(table.properties.at(type))) {
      if (header >> 16 != 0x8000) continue;  // OFPXMC_OPENFLOW_BASIC
      const unsigned field = header >> 9 & 0x7f;
      const bool masked = (header & 0x100) != 0;
      EXPECT_TRUE(lengths.emplace(field, (header & 0xff) / (masked ? 2 : 1)).second);
      EXPECT_TRUE(type == 10 ? !masked : masked || !kMasked.contains(field)) << field;
    }
    EXPECT_EQ(lengths, kBytes);
  }
}

TEST_F(TableFeatures, TheFieldsThatItTellsAreThoseThatItSets) {
  const Table table = features(bench).at(0);
  EXPECT_EQ(table.properties.at(12), table.properties.at(14));
  std::set<std::uint32_t> told;
  for (const std::uint32_t header : headers(table.properties.at(12))) told.insert(header);
  for (const std::uint32_t header : headers(table.properties.at(10))) {
    SCOPED_TRACE(header);
    // By an action set, which is not compared with a match; a value that every field has.
    const std::size_t length = header & 0xff;
    Bytes action = joined({number(25, 2), number(0, 2), number(header, 4), number(0, length)});
    if (header == 0x80000c02) action[8] = 0x10;  // a VLAN
    action.resize((action.size() + 7) / 8 * 8);
    store_be16(action.data() + 2, static_cast<std::uint16_t>(action.size()));
    Bytes mod = FlowModText{}.bytes();
    mod = joined({mod, number(3, 2), number(8 + action.size(), 2), number(0, 4), action});
    EXPECT_EQ(bench.said(type::kFlowMod, mod),
              told.contains(header) ? Bench::kTaken : error::kActionSetArgument);
  }
}

TEST_F(TableFeatures, CannotBeSet) {
  Bytes table = joined({number(64, 2), number(0, 62)});
  EXPECT_EQ(bench.said(type::kMultipartRequest, joined({number(kTableFeatures, 2), number(0, 6), table})),
            (ErrorCode{13, 5}));  // OFPTFFC_EPERM
  // Those of more messages than one are not even collected.
  EXPECT_EQ(bench.said(type::kMultipartRequest,
                       joined({number(kTableFeatures, 2), number(1, 2), number(0, 4), table})),
            (ErrorCode{1, 13}));  // OFPBRC_MULTIPART_BUFFER_OVERFLOW
  EXPECT_EQ(features(bench).size(), 254U);
}

}  // namespace
}  // namespace simcore::openflow

// SPDX-License-Identifier: MIT
#include "simcore/network/sample_reader.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/simcore/network/pairs.h"

namespace simcore {
namespace {

constexpr std::size_t kPairs = 200;

TEST(SampleReaderTest, it_reads_both_directions_of_named_links_and_named_interfaces_and_leaves_out_the_rest) {
  SimulatedNetwork network(1);
  add_pairs(network, kPairs);
  const SampledNames names{.links = {"l3", "gone", "l7"}, .interfaces = {"b7-eth1", "gone"}};
  Snapshot snapshot;
  EXPECT_FALSE(SampleReader(network, names, snapshot).read_slice());
  ASSERT_EQ(snapshot.links.size(), 4u);
  EXPECT_EQ(snapshot.links[0].name, "l3:a3-eth1>b3-eth1");
  EXPECT_EQ(snapshot.links[3].name, "l7:b7-eth1>a7-eth1");
  ASSERT_EQ(snapshot.interfaces.size(), 1u);
  EXPECT_EQ(snapshot.interfaces[0].name, "b7-eth1");
  EXPECT_TRUE(snapshot.nodes.empty());
}

TEST(SampleReaderTest, many_names_take_several_slices) {
  SimulatedNetwork network(1);
  add_pairs(network, kPairs);
  SampledNames names;
  for (std::size_t i = 0; i < kPairs; ++i) names.links.push_back("l" + std::to_string(i));
  Snapshot snapshot;
  SampleReader reader(network, names, snapshot);
  ASSERT_TRUE(reader.read_slice());
  EXPECT_EQ(snapshot.links.size(), 2 * SampleReader::kSlice);
  EXPECT_FALSE(reader.read_slice());
  EXPECT_EQ(snapshot.links.size(), 2 * kPairs);
}

}  // namespace
}  // namespace simcore

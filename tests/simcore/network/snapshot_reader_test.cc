// SPDX-License-Identifier: MIT
#include "simcore/network/snapshot_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "tests/simcore/network/pairs.h"

namespace simcore {
namespace {

constexpr std::size_t kLinks = 5'000;  // each with two switches and so two interfaces: 30,000 rows

std::size_t rows_of(const Snapshot& snapshot) {
  return snapshot.applications.size() + snapshot.links.size() + snapshot.nodes.size() +
         snapshot.interfaces.size();
}

std::size_t names_of(const std::vector<SnapshotRow>& rows) {
  std::set<std::string> names;
  for (const SnapshotRow& row : rows) names.insert(row.name);
  return names.size();
}

TEST(SnapshotReaderTest, a_slice_of_a_big_network_is_a_few_rows_and_all_slices_are_all_of_it) {
  SimulatedNetwork network(1);
  add_pairs(network, kLinks);
  Snapshot snapshot;
  SnapshotReader reader(network, SnapshotReader::Elements::all, snapshot);
  std::size_t slices = 0;
  for (bool more = true; more; ++slices) {
    const std::size_t before = rows_of(snapshot);
    more = reader.read_slice();
    EXPECT_LE(rows_of(snapshot) - before, SnapshotReader::kSlice);
    EXPECT_LE(snapshot.links.size(), snapshot.links.capacity());
  }
  EXPECT_EQ(slices, (6 * kLinks + SnapshotReader::kSlice - 1) / SnapshotReader::kSlice);
  EXPECT_EQ(names_of(snapshot.links), 2 * kLinks);
  EXPECT_EQ(names_of(snapshot.nodes), 2 * kLinks);
  EXPECT_EQ(names_of(snapshot.interfaces), 2 * kLinks);
}

TEST(SnapshotReaderTest, a_slice_makes_no_row_move) {
  SimulatedNetwork network(1);
  add_pairs(network, 500);
  Snapshot snapshot;
  SnapshotReader reader(network, SnapshotReader::Elements::all, snapshot);
  ASSERT_TRUE(reader.read_slice());
  const SnapshotRow* const first = snapshot.links.data();
  while (reader.read_slice()) continue;
  EXPECT_EQ(snapshot.links.data(), first);
}

TEST(SnapshotReaderTest, without_elements_there_is_one_slice) {
  SimulatedNetwork network(1);
  add_pairs(network, 500);
  Snapshot snapshot;
  EXPECT_FALSE(SnapshotReader(network, SnapshotReader::Elements::none, snapshot).read_slice());
  EXPECT_EQ(rows_of(snapshot), 0u);
  EXPECT_EQ(snapshot.pool.name, "pool");
}

TEST(SnapshotReaderTest, applications_are_read_in_slices_too) {
  SimulatedNetwork network(1);
  constexpr int kHosts = 600;
  for (int i = 0; i < kHosts; ++i) {
    const std::string host = "h" + std::to_string(i);
    network.add_node(NodeKind::host, host);
    network.add_interface(host, {host + "-eth0", MacAddress::parse("02:00:00:00:00:01"),
                                 Ipv4InterfaceAddress::parse("10.0.0.1/24")});
    network.add_application(
        host, ServiceApplication{.kind = ServiceApplication::Kind::tcp_discard, .port = 9, .tcp = {}});
  }
  Snapshot snapshot;
  SnapshotReader reader(network, SnapshotReader::Elements::none, snapshot);
  std::size_t slices = 1;
  while (reader.read_slice()) ++slices;
  EXPECT_EQ(slices, (kHosts + SnapshotReader::kSlice - 1) / SnapshotReader::kSlice);
  EXPECT_EQ(names_of(snapshot.applications), std::size_t{kHosts});
}

TEST(SnapshotReaderTest, what_happens_between_two_slices_is_in_the_rows_read_later) {
  SimulatedNetwork network(1);
  add_pairs(network, SnapshotReader::kSlice);
  Snapshot snapshot;
  SnapshotReader reader(network, SnapshotReader::Elements::all, snapshot);
  ASSERT_TRUE(reader.read_slice());  // the first half of the links' directions
  const std::string last = "b" + std::to_string(SnapshotReader::kSlice - 1) + "-eth1";
  network.nodes().interface(last, "send").send(network.pool().make(60));
  while (reader.read_slice()) continue;
  EXPECT_EQ(snapshot.links.back().figures.front().second, 1);  // accepted_packets
}

}  // namespace
}  // namespace simcore

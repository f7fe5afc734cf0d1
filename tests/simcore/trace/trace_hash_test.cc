// SPDX-License-Identifier: MIT
#include "simcore/trace/trace_hash.h"

#include <gtest/gtest.h>

#include <functional>

#include "simcore/packet/packet_pool.h"

namespace simcore {
namespace {

class TraceHashTest : public testing::Test {
 protected:
  struct Last final : PacketSink {
    void accept(PacketPtr /*packet*/) override {}
  };
  PacketPtr packet() {
    PacketPtr made = pool.make(61);
    std::uint8_t value = 0;
    for (std::uint8_t& byte : made->bytes()) byte = value++;
    made->first_arrival = made->last_arrival = SimTime::at_ns(5);
    return made;
  }
  TraceHash::Digest of(const std::function<void(Packet&)>& change) {
    TraceHash hash(last, {});
    PacketPtr changed = packet();
    change(*changed);
    hash.accept(std::move(changed));
    return hash.digest();
  }

  PacketPool pool;
  Last last;
};

TEST_F(TraceHashTest, equal_packets_give_equal_hashes) {
  EXPECT_EQ(of([](Packet&) {}), of([](Packet&) {}));
}

TEST_F(TraceHashTest, every_part_of_a_packet_counts) {
  const TraceHash::Digest plain = of([](Packet&) {});
  EXPECT_NE(of([](Packet& p) { p.bytes()[60] = 0; }), plain);
  EXPECT_NE(of([](Packet& p) { p.resize(60); }), plain);
  EXPECT_NE(of([](Packet& p) { p.first_arrival = SimTime::at_ns(4); }), plain);
  EXPECT_NE(of([](Packet& p) { p.last_arrival = SimTime::at_ns(6); }), plain);
  EXPECT_NE(of([](Packet& p) { p.virtual_payload = 1; }), plain);
  EXPECT_NE(of([](Packet& p) { p.segments = 2; }), plain);
  EXPECT_NE(of([](Packet& p) { p.checksum_partial = true; }), plain);
}

TEST_F(TraceHashTest, the_order_counts_and_a_hash_can_be_continued) {
  const auto both = [this](std::uint8_t first, std::uint8_t second) {
    TraceHash::Digest digest;
    for (const std::uint8_t value : {first, second}) {
      TraceHash hash(last, digest);
      PacketPtr changed = packet();
      changed->bytes()[0] = value;
      hash.accept(std::move(changed));
      digest = hash.digest();
    }
    return digest;
  };
  EXPECT_EQ(both(1, 2).packets, 2U);
  EXPECT_NE(both(1, 2), both(2, 1));
}

}  // namespace
}  // namespace simcore

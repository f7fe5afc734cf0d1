// SPDX-License-Identifier: MIT
#include "simcore/link/corrupt.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <vector>

#include "simcore/packet/checksum.h"
#include "simcore/packet/ipv4.h"
#include "simcore/packet/train.h"
#include "simcore/units/error.h"
#include "tests/simcore/link/traffic.h"

namespace simcore {
namespace {

// Keeps what arrives.
class Keeper final : public PacketSink {
 public:
  void accept(PacketPtr packet) override { packets.push_back(std::move(packet)); }
  std::vector<PacketPtr> packets;
};

class CorruptTest : public testing::Test {
 protected:
  // The field of a partial checksum holds the sum of the pseudo-header.
  static void start_checksum(Packet& packet) {
    const auto ip = Ipv4Header::parse(packet.bytes().subspan(14), packet.virtual_payload);
    ASSERT_TRUE(ip);
    ChecksumSum sum;
    sum.add_pseudo_header(ip->source(), ip->destination(), ip->protocol(), ip->payload_length());
    packet.checksum_partial = true;
    packet.checksum_start = 34;
    packet.checksum_offset = 6;
    packet.bytes()[40] = static_cast<std::uint8_t>(sum.folded() >> 8);
    packet.bytes()[41] = static_cast<std::uint8_t>(sum.folded());
  }

  Simulation sim{1};
  PacketPool pool;
  Keeper far;
};

TEST_F(CorruptTest, bitErrorsComeAtTheirRate) {
  constexpr double kRate = 1e-4;
  constexpr std::uint64_t kBits = 12'000;
  constexpr int kSegments = 10'000;
  RandomStream random(3, "c");
  ErrorModel model = independent_bit_errors(kRate);
  std::vector<std::uint64_t> flipped;
  int damaged = 0;
  for (int i = 0; i < kSegments; ++i) {
    const std::size_t before = flipped.size();
    model(random, kBits, flipped);
    damaged += flipped.size() > before ? 1 : 0;
    for (std::size_t k = before; k < flipped.size(); ++k) ASSERT_LT(flipped[k], kBits);
  }
  const double errors = kRate * kBits * kSegments;
  EXPECT_NEAR(static_cast<double>(flipped.size()), errors, 5 * std::sqrt(errors));
  const double share = 1 - std::pow(1 - kRate, kBits);
  EXPECT_NEAR(damaged, share * kSegments, 5 * std::sqrt(share * (1 - share) * kSegments));
}

TEST_F(CorruptTest, aPartialChecksumIsFinishedBeforeABitIsFlipped) {
  Corrupt corrupt(sim, pool, "c", one_bit_errors(1.0), far);
  int wrong = 0;
  int in_datagram = 0;
  for (int i = 0; i < 500; ++i) {
    PacketPtr packet = frame(pool, sim.now(), 200);
    start_checksum(*packet);
    PacketPtr original = pool.copy_of(*packet);
    finish_checksum(*original);
    corrupt.accept(std::move(packet));
    const Packet& damaged = *far.packets.back();
    EXPECT_FALSE(damaged.checksum_partial);
    int bits = 0;
    std::size_t where = 0;
    for (std::size_t at = 0; at < damaged.size(); ++at) {
      const int differ = std::popcount(static_cast<unsigned>(damaged.bytes()[at] ^ original->bytes()[at]));
      bits += differ;
      if (differ > 0) where = at;
    }
    EXPECT_EQ(bits, 1);
    if (where < 34) continue;  // in a header below UDP
    ++in_datagram;
    ChecksumSum sum;
    sum.add_pseudo_header(Ipv4Address::from(original->bytes().data() + 26),
                          Ipv4Address::from(original->bytes().data() + 30), 17, 166);
    sum.add(damaged.bytes().subspan(34));
    wrong += sum.folded() != 0xffff ? 1 : 0;
  }
  EXPECT_GT(in_datagram, 300);  // of 500 * 166 / 200
  EXPECT_EQ(wrong, in_datagram);
  EXPECT_EQ(corrupt.corrupted(), 500U);
}

TEST_F(CorruptTest, onlyTheDamagedSegmentsLeaveTheTrain) {
  // One error each 4 segments of 1000 bytes, on average.
  Corrupt corrupt(sim, pool, "c", independent_bit_errors(1.0 / 32'000), far);
  PacketPtr packet = train(pool, sim.now(), sim.now(), 40, 1'000, 1'000);
  const auto bytes = packet->wire_size();
  corrupt.accept(std::move(packet));
  std::uint64_t segments = 0;
  ByteCount arrived = ByteCount::zero();
  for (const PacketPtr& piece : far.packets) {
    segments += piece->segments;
    arrived += piece->wire_size();
  }
  EXPECT_EQ(segments, 40U);
  EXPECT_EQ(arrived, bytes);
  EXPECT_GT(corrupt.corrupted(), 0U);
  EXPECT_LT(corrupt.corrupted(), 30U);
  EXPECT_LE(far.packets.size(), 2 * corrupt.corrupted() + 1);
}

TEST_F(CorruptTest, virtualPayloadIsStoredWhereABitOfItIsFlipped) {
  Corrupt corrupt(sim, pool, "c", one_bit_errors(1.0), far);
  PacketPtr packet = frame(pool, sim.now(), 1'000);
  packet->resize(42);
  packet->virtual_payload = 958;
  corrupt.accept(std::move(packet));
  ASSERT_EQ(far.packets.size(), 1U);
  EXPECT_EQ(far.packets[0]->size(), 1'000U);
  EXPECT_EQ(far.packets[0]->virtual_payload, 0U);
}

TEST_F(CorruptTest, refusesWhatIsNoRate) {
  EXPECT_THROW(independent_bit_errors(1.0), ConfigError);
  EXPECT_THROW(independent_bit_errors(-0.1), ConfigError);
  EXPECT_THROW(one_bit_errors(2), ConfigError);
}

}  // namespace
}  // namespace simcore

// SPDX-License-Identifier: MIT
#include "simcore/tcpip/ipv4_reassembler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "simcore/tcpip/ipv4_fragments.h"
#include "tests/simcore/packet/frames.h"

namespace simcore {
namespace {

using testing::Bytes;
using testing::Ends;
using testing::pattern;
using Verdict = Ipv4Reassembler::Verdict;

class ReassemblerTest : public ::testing::Test {
 protected:
  static Bytes whole(std::size_t payload, std::uint16_t identification = 1, std::uint8_t tos = 0) {
    const Ends ends;
    Ipv4Fields fields = testing::ipv4_fields(ends, ip_protocol::kUdp);
    fields.identification = identification;
    fields.type_of_service = tos;
    return testing::udp_frame(ends, fields, 1'000, 33'434, pattern(payload));
  }
  std::vector<PacketPtr> cut(const Bytes& datagram, std::uint16_t mtu = 1'500) {
    std::vector<PacketPtr> all;
    for (Ipv4Fragments fragments(pool_.copy_of(datagram), mtu, pool_); !fragments.done();) {
      all.push_back(fragments.next());
    }
    return all;
  }
  // Bytes [start, end) of the payload of a datagram.
  PacketPtr piece(std::size_t start, std::size_t end, bool more, std::uint8_t tos = 0) {
    const Ends ends;
    Ipv4Fields fields = testing::ipv4_fields(ends, ip_protocol::kUdp);
    fields.identification = 1;
    fields.type_of_service = tos;
    const Bytes all = pattern(65'535);
    Bytes frame = testing::ipv4_frame(ends, fields, std::span(all).subspan(start, end - start));
    set_ipv4_fragment(std::span(frame).subspan(14), static_cast<std::uint16_t>(20 + end - start),
                      static_cast<std::uint16_t>(start), more);
    return pool_.copy_of(frame);
  }
  Ipv4Reassembler::Result take(PacketPtr fragment) { return all_.take(std::move(fragment), now_, pool_); }

  PacketPool pool_;
  SimTime now_ = SimTime::at_ns(5'000);
  Ipv4Reassembler all_;
};

TEST_F(ReassemblerTest, any_order_gives_the_datagram_back) {
  const Bytes datagram = whole(9'000);
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    auto fragments = cut(datagram, 700);
    std::ranges::shuffle(fragments, random);
    for (std::size_t i = 0; i + 1 < fragments.size(); ++i) {
      ASSERT_EQ(take(std::move(fragments[i])).verdict, Verdict::held);
    }
    const auto result = take(std::move(fragments.back()));
    ASSERT_EQ(result.verdict, Verdict::whole);
    ASSERT_EQ(testing::bytes_of(*result.datagram), datagram);
    EXPECT_EQ(result.datagram->last_arrival, now_);
    EXPECT_EQ(all_.datagrams(), 0U);
    EXPECT_EQ(all_.memory(), ByteCount::zero());
  }
}

TEST_F(ReassemblerTest, datagrams_are_told_apart) {
  const Bytes first = whole(2'000, 1);
  const Bytes second = whole(2'000, 2);
  auto of_first = cut(first);
  auto of_second = cut(second);
  EXPECT_EQ(take(std::move(of_first[0])).verdict, Verdict::held);
  EXPECT_EQ(take(std::move(of_second[1])).verdict, Verdict::held);
  EXPECT_EQ(all_.datagrams(), 2U);
  EXPECT_EQ(testing::bytes_of(*take(std::move(of_second[0])).datagram), second);
  EXPECT_EQ(testing::bytes_of(*take(std::move(of_first[1])).datagram), first);
}

TEST_F(ReassemblerTest, virtual_payload_stays_virtual_at_the_end_and_is_zeros_before_stored_bytes) {
  auto fragments = cut(whole(4'000));
  for (PacketPtr& each : fragments) {
    each->virtual_payload = static_cast<std::uint32_t>(each->size() - 34 - 8);
    each->resize(34 + 8);
  }
  fragments[2]->virtual_payload += 8;
  fragments[2]->resize(34);
  take(std::move(fragments[0]));
  take(std::move(fragments[1]));
  const auto result = take(std::move(fragments[2]));
  ASSERT_EQ(result.verdict, Verdict::whole);
  EXPECT_EQ(result.datagram->size(), 34U + 1'480 + 8);
  EXPECT_EQ(result.datagram->size() + result.datagram->virtual_payload, 34U + 4'008);
  EXPECT_TRUE(std::ranges::all_of(result.datagram->bytes().subspan(34 + 8, 1'472),
                                  [](std::uint8_t byte) { return byte == 0; }));
}

TEST_F(ReassemblerTest, an_overlap_drops_the_datagram) {
  EXPECT_EQ(take(piece(0, 800, true)).verdict, Verdict::held);
  EXPECT_EQ(take(piece(1'600, 2'400, true)).verdict, Verdict::held);
  const auto result = take(piece(792, 1'592, true));
  EXPECT_EQ(result.verdict, Verdict::conflict);
  EXPECT_EQ(result.dropped, 3U);
  EXPECT_EQ(all_.memory(), ByteCount::zero());
  // What comes after begins a datagram of its own, which never becomes whole.
  EXPECT_EQ(take(piece(800, 1'600, false)).verdict, Verdict::held);
}

TEST_F(ReassemblerTest, a_duplicate_is_dropped_alone_even_when_it_is_cut_differently) {
  take(piece(0, 800, true));
  take(piece(800, 1'600, true));
  EXPECT_EQ(take(piece(0, 800, true)).verdict, Verdict::duplicate);
  EXPECT_EQ(take(piece(400, 1'200, true)).verdict, Verdict::duplicate);
  EXPECT_EQ(take(piece(1'600, 1'700, false)).verdict, Verdict::whole);
}

TEST_F(ReassemblerTest, fragments_that_disagree_about_the_end_drop_the_datagram) {
  take(piece(800, 900, false));
  EXPECT_EQ(take(piece(1'600, 2'400, true)).verdict, Verdict::conflict) << "beyond the end";
  take(piece(800, 900, false));
  EXPECT_EQ(take(piece(1'600, 1'700, false)).verdict, Verdict::conflict) << "another end";
  take(piece(800, 1'600, true));
  EXPECT_EQ(take(piece(0, 800, false)).verdict, Verdict::conflict) << "an end before what came";
  EXPECT_EQ(all_.datagrams(), 0U);
}

TEST_F(ReassemblerTest, what_cannot_be_a_fragment_is_malformed) {
  EXPECT_EQ(take(piece(0, 801, true)).verdict, Verdict::malformed) << "not a multiple of eight";
  EXPECT_EQ(take(piece(800, 800, true)).verdict, Verdict::malformed) << "nothing in it";
  EXPECT_EQ(take(piece(65'512, 65'520, false)).verdict, Verdict::malformed) << "65,540 with the header";
  EXPECT_EQ(all_.datagrams(), 0U);
}

TEST_F(ReassemblerTest, the_longest_datagram_fits) {
  const Bytes datagram = whole(65'507);
  PacketPtr last;
  for (PacketPtr& each : cut(datagram)) {
    auto result = take(std::move(each));
    ASSERT_LE(result.verdict, Verdict::whole);
    last = std::move(result.datagram);
  }
  ASSERT_TRUE(last);
  EXPECT_EQ(testing::bytes_of(*last), datagram);
}

TEST_F(ReassemblerTest, congestion_on_one_fragment_marks_the_datagram) {
  constexpr std::uint8_t kEct0 = 2;
  constexpr std::uint8_t kCe = 3;
  take(piece(0, 800, true, kEct0));
  const auto marked = take(piece(800, 900, false, kCe));
  ASSERT_EQ(marked.verdict, Verdict::whole);
  const auto header = Ipv4Header::parse(marked.datagram->bytes().subspan(14));
  EXPECT_EQ(header->type_of_service(), kCe);
  EXPECT_TRUE(header->checksum_correct());
  take(piece(0, 800, true, 0));
  EXPECT_EQ(take(piece(800, 900, false, kCe)).verdict, Verdict::conflict) << "half of it ECN-capable";
}

TEST_F(ReassemblerTest, memory_is_bounded_and_comes_back) {
  Ipv4Reassembler small({.memory = ByteCount::bytes(10'000)});
  std::uint16_t held = 0;
  std::uint16_t full = 0;
  for (std::uint16_t i = 0; i < 100; ++i) {
    auto fragments = cut(whole(2'000, i));
    (small.take(std::move(fragments[0]), now_, pool_).verdict == Verdict::held ? held : full)++;
    ASSERT_LE(small.memory(), ByteCount::bytes(10'000));
  }
  EXPECT_GE(held, 3) << "blocks of 2 kB";
  EXPECT_EQ(held + full, 100);
  EXPECT_EQ(small.expire(now_ + Duration::seconds(30)).size(), held);
  EXPECT_EQ(small.memory(), ByteCount::zero());
}

TEST_F(ReassemblerTest, thirty_seconds_after_its_first_fragment_a_datagram_is_given_up) {
  take(piece(0, 800, true));
  now_ = now_ + Duration::seconds(10);
  take(std::move(cut(whole(2'000, 2))[1]));
  take(piece(800, 1'600, true));
  EXPECT_EQ(all_.deadline(), SimTime::at_ns(5'000) + Duration::seconds(30));
  EXPECT_TRUE(all_.expire(now_ + Duration::seconds(19)).empty());
  auto expired = all_.expire(SimTime::at_ns(5'000) + Duration::seconds(30));
  ASSERT_EQ(expired.size(), 1U);
  EXPECT_EQ(expired[0].dropped, 2U);
  ASSERT_TRUE(expired[0].first);
  EXPECT_EQ(all_.deadline(), SimTime::at_ns(5'000) + Duration::seconds(40));
  expired = all_.expire(all_.deadline());
  ASSERT_EQ(expired.size(), 1U);
  EXPECT_FALSE(expired[0].first) << "its first fragment never came";
  EXPECT_EQ(all_.memory(), ByteCount::zero());
  EXPECT_EQ(all_.deadline(), SimTime::never());
}

TEST_F(ReassemblerTest, an_empty_pool_drops_what_became_whole) {
  auto fragments = cut(whole(4'000));
  PacketPool empty(ByteCount::zero());
  all_.take(std::move(fragments[0]), now_, empty);
  all_.take(std::move(fragments[1]), now_, empty);
  const auto result = all_.take(std::move(fragments[2]), now_, empty);
  EXPECT_EQ(result.verdict, Verdict::no_packet);
  EXPECT_EQ(result.dropped, 3U);
}

}  // namespace
}  // namespace simcore

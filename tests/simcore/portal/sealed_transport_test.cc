// SPDX-License-Identifier: MIT
#include "simcore/portal/sealed_transport.h"

#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <string>

#include "simcore/units/error.h"
#include "tests/simcore/portal/carrier.h"

namespace simcore::peering {
namespace {

using Bytes = Carrier::Bytes;

constexpr RunKey kKey = {1, 2, 3};
constexpr RunKey kOtherKey = {1, 2, 4};

// Both ends of a way that somebody else may read, keep and write to.
struct Way {
  std::deque<Bytes> to_a;
  std::deque<Bytes> to_b;
};

class SealedTransportTest : public ::testing::Test {
 protected:
  void start_a(const RunKey& key = kKey) {
    a = std::make_unique<SealedTransport>(std::make_unique<Carrier>(way.to_a, way.to_b, 1'472), key, 100);
  }
  void start_b(const RunKey& key = kKey) {
    b = std::make_unique<SealedTransport>(std::make_unique<Carrier>(way.to_b, way.to_a, 1'472), key, 100);
  }

  static int send(SealedTransport& from, const std::string& head, const std::string& body = "") {
    const auto bytes = [](const std::string& text) {
      return std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
    };
    const Transport::Datagram datagram = {bytes(head), bytes(body)};
    return from.send(std::span<const Transport::Datagram>(&datagram, 1));
  }

  static std::vector<std::string> received(SealedTransport& by) {
    std::vector<std::string> texts;
    for (const Transport::Received& each : by.receive())
      texts.emplace_back(each.bytes.begin(), each.bytes.end());
    return texts;
  }

  // The two believe each other, after words of both that are lost.
  void shake_hands() {
    for (int i = 0; i < 4; ++i) {
      send(*a, "lost");
      send(*b, "lost");
      received(*a);
      received(*b);
    }
  }

  std::uint64_t dropped(const SealedTransport& by, DropReason reason) {
    return by.counters().dropped.of(reason);
  }

  Way way;
  std::unique_ptr<SealedTransport> a;
  std::unique_ptr<SealedTransport> b;
};

TEST_F(SealedTransportTest, what_goes_in_comes_out_and_nobody_reads_it_on_the_way) {
  start_a();
  start_b();
  shake_hands();
  send(*a, "head of it, ", "and body");
  const Bytes& on_the_way = way.to_b.front();
  EXPECT_EQ(on_the_way.size(), 20u + kSealBytes);
  const std::string text(on_the_way.begin(), on_the_way.end());
  EXPECT_EQ(text.find("head"), std::string::npos);
  EXPECT_EQ(text.find("body"), std::string::npos);
  EXPECT_EQ(received(*b), std::vector<std::string>{"head of it, and body"});
  send(*b, "answer");
  EXPECT_EQ(received(*a), std::vector<std::string>{"answer"});
}

TEST_F(SealedTransportTest, what_is_sent_follows_the_peer_and_nobody_else) {
  constexpr UdpEndpoint kHome = {1, 1'000};
  constexpr UdpEndpoint kElsewhere = {2, 2'000};
  constexpr UdpEndpoint kStranger = {3, 3'000};
  auto carrier = std::make_unique<Carrier>(way.to_b, way.to_a, 1'472);
  Carrier& of_b = *carrier;
  b = std::make_unique<SealedTransport>(std::move(carrier), kKey, 100);
  start_a();
  of_b.comes_from = kHome;
  shake_hands();
  EXPECT_EQ(of_b.goes_to, kHome);

  send(*a, "from elsewhere");
  const Bytes heard = way.to_b.front();
  of_b.comes_from = kElsewhere;
  EXPECT_EQ(received(*b).size(), 1u);
  EXPECT_EQ(of_b.goes_to, kElsewhere);

  of_b.comes_from = kStranger;  // who repeats, invents, or has another key
  way.to_b = {heard, Bytes(heard.size(), 7)};
  EXPECT_TRUE(received(*b).empty());
  start_a(kOtherKey);
  send(*a, "intruder");
  EXPECT_TRUE(received(*b).empty());
  EXPECT_EQ(of_b.goes_to, kElsewhere);
}

TEST_F(SealedTransportTest, without_the_key_nothing_enters) {
  start_a(kOtherKey);
  start_b();
  shake_hands();
  for (int i = 0; i < 10; ++i) {
    send(*a, "intruder");
    EXPECT_TRUE(received(*b).empty());
  }
  EXPECT_GE(dropped(*b, DropReason::forged), 10u);
}

TEST_F(SealedTransportTest, what_comes_twice_enters_once_and_order_does_not_matter) {
  start_a();
  start_b();
  shake_hands();
  for (const char* const text : {"one", "two", "three"}) send(*a, text);
  const std::deque<Bytes> sent = way.to_b;
  way.to_b = {sent[2], sent[0], sent[2], sent[1], sent[0]};
  EXPECT_EQ(received(*b), (std::vector<std::string>{"three", "one", "two"}));
  EXPECT_EQ(dropped(*b, DropReason::replayed), 2u);
}

TEST_F(SealedTransportTest, every_bit_that_changes_makes_a_datagram_worthless) {
  start_a();
  start_b();
  shake_hands();
  send(*a, "unchanged");
  const Bytes good = way.to_b.front();
  way.to_b.clear();
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    Bytes bad = good;
    bad[bit / 8] = static_cast<std::uint8_t>(bad[bit / 8] ^ 1 << bit % 8);
    way.to_b.push_back(bad);
  }
  EXPECT_TRUE(received(*b).empty());
  way.to_b.push_back(good);
  EXPECT_EQ(received(*b), std::vector<std::string>{"unchanged"});
}

TEST_F(SealedTransportTest, keys_are_replaced_also_when_many_datagrams_are_lost_at_that_time) {
  start_a();
  start_b();
  shake_hands();
  for (int i = 0; i < 1'000; ++i) {
    send(*a, std::to_string(i));
    if (i / 100 % 3 == 1) way.to_b.clear();  // a whole key long
    const bool lost = i / 100 % 3 == 1;
    EXPECT_EQ(received(*b).size(), lost ? 0u : 1u) << i;
  }
  EXPECT_GE(b->counters().rekeyed, 5u);
  EXPECT_EQ(dropped(*b, DropReason::forged), 0u);
}

TEST_F(SealedTransportTest, an_end_that_returns_is_believed_and_its_former_words_are_not) {
  start_a();
  start_b();
  send(*a, "hello");
  shake_hands();
  send(*a, "before");
  const std::deque<Bytes> before = way.to_b;
  received(*b);
  start_a();
  shake_hands();
  send(*a, "after");
  EXPECT_EQ(received(*b), std::vector<std::string>{"after"});
  way.to_b = before;
  EXPECT_TRUE(received(*b).empty());
  send(*b, "to the new one");
  EXPECT_EQ(received(*a), std::vector<std::string>{"to the new one"});
}

TEST_F(SealedTransportTest, all_that_was_ever_said_said_again_changes_nothing) {
  start_a();
  start_b();
  std::deque<Bytes> to_b;
  for (int life = 0; life < 3; ++life) {
    for (int i = 0; i < 4; ++i) {
      send(*a, "word");
      send(*b, "word");
      to_b.insert(to_b.end(), way.to_b.begin(), way.to_b.end());
      received(*b);
      received(*a);
    }
    if (life < 2) start_a();
  }
  for (const Bytes& each : to_b) way.to_b.push_back(each);
  EXPECT_TRUE(received(*b).empty());
  received(*a);
  send(*a, "still here");
  EXPECT_EQ(received(*b), std::vector<std::string>{"still here"});
  send(*b, "so am I");
  EXPECT_EQ(received(*a), std::vector<std::string>{"so am I"});
}

// A peer that returned 1,024 times was once forgotten: its first words, said again, were believed, and the keys of then came
// again, with the same numbers of datagrams.
TEST_F(SealedTransportTest, however_often_the_peer_returns_what_was_said_before_is_worthless) {
  start_a();
  start_b();
  std::deque<Bytes> to_b;
  for (int life = 0; life < 1'100; ++life) {
    for (int i = 0; i < 6; ++i) {  // a few more than it takes: b may have drawn another number
      send(*a, "word");
      send(*b, "word");
      if (life < 2) to_b.insert(to_b.end(), way.to_b.begin(), way.to_b.end());
      received(*b);
      received(*a);
    }
    send(*a, "now");
    ASSERT_EQ(received(*b), std::vector<std::string>{"now"}) << life;
    if (life < 1'099) start_a();
  }
  for (const Bytes& each : to_b) way.to_b.push_back(each);
  EXPECT_TRUE(received(*b).empty());
  received(*a);
  send(*b, "still to the present one");
  EXPECT_EQ(received(*a), std::vector<std::string>{"still to the present one"});
  send(*a, "still here");
  EXPECT_EQ(received(*b), std::vector<std::string>{"still here"});
}

TEST_F(SealedTransportTest, any_one_message_of_the_handshake_may_be_lost) {
  for (int lost = 0; lost < 12; ++lost) {
    way = {};
    start_a();
    start_b();
    int said = 0;
    const auto lose = [&](std::deque<Bytes>& to) {
      for (auto each = to.begin(); each != to.end();) each = said++ == lost ? to.erase(each) : each + 1;
    };
    for (int i = 0; i < 6; ++i) {
      send(*a, "x");
      lose(way.to_b);
      received(*b);
      send(*b, "y");
      lose(way.to_a);
      received(*a);
    }
    send(*a, "done");
    EXPECT_EQ(received(*b), std::vector<std::string>{"done"}) << lost;
  }
}

TEST_F(SealedTransportTest, random_mutated_and_replayed_datagrams_do_no_harm) {
  start_a();
  start_b();
  shake_hands();
  // Others with --gtest_shuffle, and again with each --gtest_repeat.
  std::mt19937 random(3 + static_cast<std::uint32_t>(::testing::UnitTest::GetInstance()->random_seed()));
  std::vector<Bytes> heard;
  std::uint64_t entered = 0;
  constexpr int kRounds = 20'000;
  for (int round = 0; round < kRounds; ++round) {
    if (round % 100 == 0) {
      send(*a, "good");
      heard.push_back(way.to_b.back());
    }
    Bytes bytes = heard[random() % heard.size()];
    const auto what = random() % 3;
    if (what == 0) {
      bytes.assign(random() % 200, 0);
      for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
    } else if (what == 1) {  // the counter among it: huge ones, too
      for (int i = 0; i < 4; ++i) bytes[random() % bytes.size()] = static_cast<std::uint8_t>(random());
    }
    way.to_b.push_back(bytes);
    entered += received(*b).size();
  }
  EXPECT_EQ(entered, std::uint64_t{kRounds} / 100);
  const DropCounters counted = b->counters().dropped;
  EXPECT_GE(counted.total(), std::uint64_t{kRounds} * 99 / 100);
  send(*a, "end");
  EXPECT_EQ(received(*b), std::vector<std::string>{"end"});
}

TEST(RunKeyTest, is_64_hexadecimal_digits_and_is_not_repeated_by_an_error) {
  EXPECT_EQ(parse_run_key(std::string(64, 'f'))[31], 0xff);
  for (const std::string& wrong : {std::string("secret"), std::string(63, '0'), std::string(64, 'g')}) {
    try {
      parse_run_key(wrong);
      FAIL();
    } catch (const ConfigError& error) {
      EXPECT_EQ(std::string(error.what()).find(wrong), std::string::npos);
    }
  }
}

TEST(ReplayWindowTest, a_number_is_new_once_and_too_old_ones_never_are) {
  ReplayWindow window;
  EXPECT_TRUE(window.is_new(5));
  window.see(5);
  EXPECT_FALSE(window.is_new(5));
  EXPECT_TRUE(window.is_new(4));
  window.see(std::uint64_t{1} << 40);
  EXPECT_FALSE(window.is_new(4));
  EXPECT_FALSE(window.is_new((std::uint64_t{1} << 40) - ReplayWindow::kSize));
  EXPECT_TRUE(window.is_new((std::uint64_t{1} << 40) - ReplayWindow::kSize + 1));
}

}  // namespace
}  // namespace simcore::peering

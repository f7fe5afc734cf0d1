// SPDX-License-Identifier: MIT
//
// One connection, byte by byte as OpenFlow 1.3.5 (sections 6.3.1, 7.1 and 7.5.1) lays its messages out.
#include "simcore/openflow/session.h"

#include <gtest/gtest.h>

#include <memory>

#include "tests/simcore/openflow/frames.h"

namespace simcore::openflow {
namespace {

constexpr std::uint32_t kOnly10 = 1U << 1;
constexpr std::uint32_t kOnly13 = 1U << 4;
constexpr std::uint32_t kBoth = kOnly10 | kOnly13;

Bytes message(std::uint8_t type, const Bytes& body = {}, std::uint8_t version = 4) {
  return joined({number(version, 1), number(type, 1), number(8 + body.size(), 2), number(7, 4), body});
}
Bytes bitmap(std::uint32_t versions) { return joined({hex("0001 0008"), number(versions, 4)}); }

class SessionTest : public ::testing::Test {
 protected:
  Session& make(std::uint32_t versions, Session::Kind kind = Session::Kind::controller) {
    session = std::make_unique<Session>(kind, versions, [this] { ++works; });
    return *session;
  }
  // What a session of these versions makes of a hello: the wire version that it speaks then; 0: none, and it said why.
  int agreed(std::uint32_t ours, const Bytes& hello) {
    Session& of = make(ours);
    of.take_hello(hello);
    EXPECT_NE(of.greeted(), of.broken());
    if (of.greeted()) return static_cast<int>(of.version());
    const Bytes& out = of.output();
    EXPECT_EQ(out.size() > 12 ? Bytes(out.begin() + 8, out.begin() + 12) : Bytes{}, hex("0000 0000"));
    EXPECT_EQ(out.at(1), type::kError);
    return 0;
  }

  int works = 0;
  std::unique_ptr<Session> session;
};

TEST_F(SessionTest, the_highest_version_of_both_bitmaps_holds) {
  EXPECT_EQ(agreed(kBoth, message(type::kHello, bitmap(kBoth))), 4);
  EXPECT_EQ(agreed(kBoth, message(type::kHello, bitmap(kOnly10 | 1U << 6), 6)), 1);
  EXPECT_EQ(agreed(kBoth, message(type::kHello, bitmap(kOnly13 | 1U << 5 | 1U << 6), 6)), 4);
  EXPECT_EQ(agreed(kBoth, message(type::kHello, bitmap(1U << 2 | 1U << 3), 4)), 0);
  EXPECT_EQ(agreed(kOnly13, message(type::kHello, bitmap(kOnly10), 5)), 0);
}

TEST_F(SessionTest, without_a_bitmap_the_lower_of_the_two_highest_versions_holds_or_none) {
  EXPECT_EQ(agreed(kBoth, message(type::kHello, {}, 4)), 4);
  EXPECT_EQ(agreed(kBoth, message(type::kHello, {}, 6)), 4);
  EXPECT_EQ(agreed(kBoth, message(type::kHello, {}, 1)), 1);
  EXPECT_EQ(agreed(kBoth, message(type::kHello, {}, 3)), 0);  // 1.2, which it does not speak
  EXPECT_EQ(agreed(kOnly13, message(type::kHello, {}, 1)), 0);
  EXPECT_EQ(agreed(kOnly10, message(type::kHello, {}, 4)), 1);
  EXPECT_EQ(agreed(kBoth, message(type::kHello, {}, 0)), 0);
  EXPECT_EQ(agreed(kBoth, message(type::kHello, {}, 255)), 4);
}

TEST_F(SessionTest, elements_of_a_hello_that_it_does_not_know_are_passed_over) {
  const Bytes unknown = hex("0009 0006 abcd 0000");  // padded to eight bytes
  EXPECT_EQ(agreed(kBoth, message(type::kHello, joined({unknown, bitmap(kOnly10)}), 5)), 1);
  EXPECT_EQ(agreed(kBoth, message(type::kHello, joined({hex("0001 0004 00000000"), bitmap(kOnly10)}), 5)), 1);
  for (const char* const broken : {"0001 0003", "0001 0009 0000", "0001 00", "0001 ffff 00000002"})
    EXPECT_EQ(agreed(kBoth, message(type::kHello, hex(broken), 5)), 4) << broken;  // as without a bitmap
}

TEST_F(SessionTest, its_own_hello_has_the_bitmap_that_1_0_does_not_know) {
  make(kBoth).greet();
  EXPECT_EQ(session->output(), hex("04 00 0010 00000001 0001 0008 00000012"));
  make(kOnly10).greet();
  EXPECT_EQ(session->output(), hex("01 00 0008 00000001"));
  EXPECT_EQ(works, 2);
}

TEST_F(SessionTest, messages_come_whole_however_the_bytes_came) {
  Session& of = make(kBoth);
  const Bytes first = message(type::kEchoRequest, hex("01 02 03"));
  const Bytes second = message(type::kBarrierRequest);
  const Bytes all = joined({first, second});
  for (std::size_t at = 0; at < all.size(); ++at) {
    of.take_in(std::span(all).subspan(at, 1));
    EXPECT_EQ(of.has_work(), at + 1 >= first.size()) << at;
  }
  const auto same = [&of](const Bytes& expected) {
    const auto next = of.next_message();
    EXPECT_EQ(Bytes(next.begin(), next.end()), expected);
  };
  same(first);
  of.put_back();
  same(first);
  same(second);
  EXPECT_TRUE(of.next_message().empty());
  EXPECT_FALSE(of.has_work());
  EXPECT_EQ(of.room(), Session::kMostInput);
}

TEST_F(SessionTest, room_comes_again_with_what_is_handled) {
  Session& of = make(kBoth);
  const Bytes large = message(type::kEchoRequest, Bytes(65'527));
  for (int i = 0; i < 20; ++i) {
    while (of.room() >= large.size()) of.take_in(large);
    EXPECT_EQ(of.next_message().size(), large.size());
  }
  while (of.next_message().size() == large.size()) continue;
  EXPECT_EQ(of.room(), Session::kMostInput);
}

TEST_F(SessionTest, a_length_shorter_than_a_header_ends_it_with_an_error) {
  Session& of = make(kBoth);
  of.take_in(joined({hex("04 02 0007 0000002a"), message(type::kEchoRequest)}));
  EXPECT_TRUE(of.next_message().empty());
  EXPECT_TRUE(of.broken());
  EXPECT_EQ(of.output(), hex("04 01 0014 0000002a 0001 0006 04 02 0007 0000002a"));  // BAD_LEN
  EXPECT_TRUE(of.next_message().empty());
  EXPECT_FALSE(of.has_work());
}

TEST_F(SessionTest, an_error_repeats_the_number_and_the_beginning_of_what_it_refuses) {
  Session& of = make(kBoth);
  const Bytes refused = message(type::kFlowMod, Bytes(100, 0xab));
  of.send_error(error::kFlowCommand, refused);
  EXPECT_EQ(of.output(), joined({hex("04 01 004c 00000007 0005 0006"),
                                 Bytes(refused.begin(), refused.begin() + Session::kQuoted)}));
  of.output().clear();
  of.send_error(error::kBadType, hex("04 63"));  // no header
  EXPECT_EQ(of.output(), hex("04 01 000e 00000000 0001 0001 04 63"));
}

TEST_F(SessionTest, nothing_is_handled_while_too_much_waits_to_go_out) {
  Session& of = make(kBoth);
  of.take_in(message(type::kBarrierRequest));
  of.output().resize(Session::kMostOutput);
  EXPECT_FALSE(of.congested());
  of.output().resize(Session::kMostOutput + 1);
  EXPECT_TRUE(of.congested());
  EXPECT_TRUE(of.next_message().empty());
  EXPECT_TRUE(of.has_work());
  of.output().clear();
  EXPECT_EQ(of.next_message().size(), 8U);
}

TEST_F(SessionTest, what_it_wants_unasked_depends_on_its_role_its_kind_and_its_state) {
  Session& of = make(kBoth);
  const auto wants = [this](unsigned reason) { return session->wants({1U << 0, 1U << 1}, reason); };
  EXPECT_FALSE(wants(0));  // not greeted
  of.take_hello(message(type::kHello));
  EXPECT_TRUE(wants(0));
  EXPECT_FALSE(wants(1));
  of.role = Role::master;
  EXPECT_TRUE(wants(0));
  of.role = Role::slave;
  EXPECT_FALSE(wants(0));
  EXPECT_TRUE(wants(1));
  of.break_off();
  EXPECT_FALSE(wants(1));
  make(kBoth, Session::Kind::service).take_hello(message(type::kHello));
  EXPECT_FALSE(wants(0));
  session->miss_send_len = 1;
  EXPECT_TRUE(wants(0));
}

TEST_F(SessionTest, when_the_other_side_has_gone_what_it_said_is_there_and_nothing_is_answered) {
  Session& of = make(kBoth);
  of.take_in(message(type::kBarrierRequest));
  of.greet();
  of.leave();
  EXPECT_TRUE(of.output().empty());
  const int before = works;
  of.send(type::kBarrierReply, 1, [](Writer&) {});
  of.nudge();
  EXPECT_TRUE(of.output().empty());
  EXPECT_EQ(works, before);
  EXPECT_EQ(of.next_message().size(), 8U);
}

}  // namespace
}  // namespace simcore::openflow

// SPDX-License-Identifier: MIT
#include "simcore/node/iperf3_messages.h"

#include <gtest/gtest.h>

namespace simcore {
namespace {

std::optional<Iperf3Parameters> parameters(const char* text) {
  return Iperf3Parameters::of(*Json::parse(text));
}

TEST(Iperf3Parameters, what_iperf3_sends_is_understood) {
  const auto p = parameters(
      R"({"tcp":true,"omit":2,"time":10,"num":0,"blockcount":0,"parallel":3,"reverse":true,"len":131072,)"
      R"("bandwidth":1000000,"pacing_timer":1000,"client_version":"3.12"})");
  ASSERT_TRUE(p);
  EXPECT_FALSE(p->udp);
  EXPECT_TRUE(p->reverse);
  EXPECT_EQ(p->streams, 3);
  EXPECT_EQ(p->rate, 1'000'000);
  EXPECT_EQ(p->time, Duration::seconds(10));
  EXPECT_EQ(p->omit, Duration::seconds(2));
}

TEST(Iperf3Parameters, a_number_one_stands_for_true) {
  EXPECT_TRUE(parameters(R"({"udp":true,"len":1448,"udp_counters_64bit":1})")->wide_counters);
}

TEST(Iperf3Parameters, what_cannot_be_served_is_refused) {
  for (const char* text :
       {"{}", "[]", "7", R"({"sctp":true})", R"({"tcp":true,"udp":true})", R"({"tcp":"yes"})",
        R"({"tcp":true,"parallel":0})", R"({"tcp":true,"parallel":129})", R"({"tcp":true,"time":-1})",
        R"({"tcp":true,"time":1e3})", R"({"tcp":true,"len":0})",
        R"({"tcp":true,"reverse":true,"bidirectional":true})", R"({"udp":true,"len":15})",
        R"({"udp":true,"len":65508})", R"({"udp":true,"len":1448,"reverse":true,"bandwidth":0})"}) {
    EXPECT_FALSE(parameters(text)) << text;
  }
}

TEST(Iperf3Message, a_message_is_its_length_and_its_text) {
  const std::string frame = iperf3_frame(*Json::parse(R"({"a":1})"));
  EXPECT_EQ(frame, std::string("\0\0\0\7", 4) + R"({"a":1})");
  Iperf3MessageReader reader;
  for (int round = 0; round < 2; ++round) {
    for (std::size_t i = 0; i < frame.size(); ++i) {
      const auto outcome = reader.take(static_cast<std::uint8_t>(frame[i]));
      EXPECT_EQ(outcome, i + 1 == frame.size() ? Iperf3MessageReader::Outcome::message
                                               : Iperf3MessageReader::Outcome::more);
    }
    EXPECT_EQ(reader.message().find("a")->integer(), 1);
  }
}

TEST(Iperf3Message, a_length_of_zero_or_above_the_bound_is_refused_at_once) {
  for (const std::string_view length : {std::string_view("\0\0\0\0", 4), std::string_view("\0\1\0\1", 4)}) {
    Iperf3MessageReader reader;
    auto outcome = Iperf3MessageReader::Outcome::more;
    for (const char byte : length) outcome = reader.take(static_cast<std::uint8_t>(byte));
    EXPECT_EQ(outcome, Iperf3MessageReader::Outcome::refused);
  }
}

TEST(Iperf3Results, every_stream_has_what_a_client_asks_for) {
  const Json results = iperf3_results({{.id = 1,
                                        .bytes = 10,
                                        .retransmits = 2,
                                        .jitter_ns = 5e5,
                                        .errors = 1,
                                        .omitted_errors = 0,
                                        .packets = 4,
                                        .omitted_packets = 0}},
                                      false, true, Duration::ms(1'500));
  EXPECT_EQ(results.find("sender_has_retransmits")->integer(), 1);
  ASSERT_EQ(results.find("streams")->array()->size(), 1U);
  const Json& stream = results.find("streams")->array()->front();
  EXPECT_EQ(stream.find("id")->integer(), 1);
  EXPECT_EQ(stream.find("bytes")->integer(), 10);
  EXPECT_EQ(stream.find("retransmits")->integer(), 2);
  EXPECT_EQ(stream.find("jitter")->number(), 0.0005);
  EXPECT_EQ(stream.find("packets")->integer(), 4);
  EXPECT_EQ(stream.find("end_time")->number(), 1.5);
}

}  // namespace
}  // namespace simcore

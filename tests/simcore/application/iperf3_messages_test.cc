// SPDX-License-Identifier: MIT
#include "simcore/application/iperf3_messages.h"

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

TEST(Iperf3Parameters, a_rate_allows_whole_blocks_and_the_first_at_once) {
  const auto p = parameters(R"({"tcp":true,"len":1000,"bandwidth":8000})");  // a block each second
  EXPECT_EQ(p->allowed_after(Duration::zero()), 1'000);
  EXPECT_EQ(p->allowed_after(Duration::seconds(1)), 1'000);
  EXPECT_EQ(p->allowed_after(Duration::ms(1'001)), 2'000);
  EXPECT_EQ(p->allowed_after(Duration::seconds(20)), 20'000);
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

// What iperf 3.12 says of a stream that it received: -1 retransmissions, written without a sign.
TEST(Iperf3Results, of_a_real_server_are_read) {
  const auto streams = iperf3_streams(*Json::parse(
      R"({"cpu_util_total":1.6,"sender_has_retransmits":18446744073709551615,"streams":[)"
      R"({"id":1,"bytes":4997580,"retransmits":18446744073709551615,"jitter":0.00014,"errors":3,"packets":3423},)"
      R"({"id":3,"bytes":7,"retransmits":5,"jitter":0,"errors":0,"packets":0}]})"));
  ASSERT_TRUE(streams);
  ASSERT_EQ(streams->size(), 2U);
  EXPECT_EQ(streams->at(0).bytes, 4'997'580);
  EXPECT_FALSE(streams->at(0).retransmits);
  EXPECT_NEAR(streams->at(0).jitter_ns, 140'000, 1);
  EXPECT_EQ(streams->at(0).errors, 3);
  EXPECT_EQ(streams->at(1).retransmits, 5);
}

TEST(Iperf3Results, that_are_malformed_are_refused) {
  for (const char* text :
       {"{}", R"({"streams":7})", R"({"streams":[{"id":1,"bytes":-1}]})", R"({"streams":[{"id":"x"}]})"}) {
    EXPECT_FALSE(iperf3_streams(*Json::parse(text))) << text;
  }
}

TEST(Iperf3Parameters, that_a_client_writes_are_those_that_a_server_reads) {
  const Iperf3Parameters written{.udp = true,
                                 .reverse = true,
                                 .streams = 3,
                                 .block = 1'000,
                                 .rate = 5'000'000,
                                 .time = Duration::seconds(7),
                                 .omit = Duration::zero(),
                                 .wide_counters = true};
  const auto read = Iperf3Parameters::of(written.to_json());
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->udp && read->reverse && read->wide_counters);
  EXPECT_EQ(read->streams, 3);
  EXPECT_EQ(read->block, 1'000);
  EXPECT_EQ(read->rate, 5'000'000);
  EXPECT_EQ(read->time, Duration::seconds(7));
}

}  // namespace
}  // namespace simcore

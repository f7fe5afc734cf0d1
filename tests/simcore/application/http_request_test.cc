// SPDX-License-Identifier: MIT
#include "simcore/application/http_request.h"

#include <gtest/gtest.h>

namespace simcore {
namespace {

using Outcome = HttpRequestReader::Outcome;

struct Read {
  Outcome outcome;
  std::size_t left;
  HttpRequestReader reader;
};

Read read(std::string_view text) {
  std::span<const std::uint8_t> bytes(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  Read result{Outcome::more, 0, {}};
  result.outcome = result.reader.take(bytes);
  result.left = bytes.size();
  return result;
}
int refusal(std::string_view text) {
  const Read result = read(text);
  return result.outcome == Outcome::refused ? result.reader.status() : 0;
}

TEST(HttpRequest, a_request_is_read_to_the_end_of_its_head) {
  const Read get = read("GET /file?x=1 HTTP/1.1\r\nHost: a\r\nAccept: */*\r\n\r\nGET");
  ASSERT_EQ(get.outcome, Outcome::request);
  EXPECT_EQ(get.left, 3U);
  EXPECT_EQ(get.reader.request().method, "GET");
  EXPECT_EQ(get.reader.request().target, "/file");
  EXPECT_TRUE(get.reader.request().keep_alive);
}

TEST(HttpRequest, bytes_may_come_one_by_one) {
  HttpRequestReader reader;
  const std::string text = "\r\nHEAD / HTTP/1.1\nHost: a\n\n";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<std::uint8_t>(text[i]);
    std::span<const std::uint8_t> bytes(&byte, 1);
    EXPECT_EQ(reader.take(bytes), i + 1 == text.size() ? Outcome::request : Outcome::more);
  }
  EXPECT_EQ(reader.request().method, "HEAD");
}

TEST(HttpRequest, the_connection_field_and_the_version_say_whether_it_stays) {
  const auto keeps = [](std::string_view text) { return read(text).reader.request().keep_alive; };
  EXPECT_FALSE(keeps("GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, CLOSE\r\n\r\n"));
  EXPECT_FALSE(keeps("GET / HTTP/1.0\r\n\r\n"));
  EXPECT_TRUE(keeps("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"));
}

TEST(HttpRequest, what_is_malformed_is_refused_with_400) {
  for (const char* text :
       {"GET /\r\n\r\n", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n", "GET file HTTP/1.1\r\nHost: a\r\n\r\n",
        "G@T / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1\r\nHost: a\r\n\r\n",
        "GET / http/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n",
        "GET / HTTP/1.1\r\nHost : a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nnothing\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\x01\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1x\r\n\r\n",
        "\x16\x03\x01\n\n"}) {
    EXPECT_EQ(refusal(text), 400) << text;
  }
}

TEST(HttpRequest, what_is_not_served_is_refused_by_its_status) {
  EXPECT_EQ(refusal("GET / HTTP/2.0\r\nHost: a\r\n\r\n"), 505);
  EXPECT_EQ(refusal("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"), 501);
  EXPECT_EQ(refusal("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello"), 413);
  EXPECT_EQ(refusal("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n"), 0);
}

TEST(HttpRequest, a_head_above_the_bound_is_refused_and_no_more_is_taken) {
  const std::string endless(2 * HttpRequestReader::kLargestHead, 'a');
  const Read result = read(endless);
  EXPECT_EQ(result.outcome, Outcome::refused);
  EXPECT_EQ(result.reader.status(), 431);
  EXPECT_EQ(result.left, HttpRequestReader::kLargestHead);
}

}  // namespace
}  // namespace simcore

// SPDX-License-Identifier: MIT
#include "simcore/application/http_server.h"

#include "simcore/units/error.h"
#include "tests/simcore/stack/host_pair.h"

namespace simcore {
namespace {

using testing::Conversation;

class HttpServerTest : public testing::HostPair {
 protected:
  static constexpr std::int64_t kSize = 300'000;

  HttpServerTest() { server_tcp_.listen(80, http_, TcpOptions::linux_like()); }
  std::string ask(std::string text) {
    Conversation client(std::move(text));
    client_tcp_.connect(at_server_, 80, client, TcpOptions::linux_like());
    run(Duration::seconds(100));
    EXPECT_TRUE(client.closed);
    EXPECT_EQ(client.error, TcpError::none);
    return client.received;
  }
  static std::string body() {
    std::string bytes(kSize, '\0');
    HttpServer::write_body(0, {reinterpret_cast<std::uint8_t*>(bytes.data()), bytes.size()});
    return bytes;
  }

  HttpServer http_{{.path = "/file", .size = kSize}};
  TcpSockets client_tcp_{simulation_, client_};
  TcpSockets server_tcp_{simulation_, server_};
};

constexpr std::string_view kGet = "GET /file HTTP/1.1\r\nHost: a\r\n\r\n";
constexpr std::string_view kLastGet = "GET /file HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

TEST_F(HttpServerTest, a_file_comes_whole_and_byte_by_byte_as_it_is_defined) {
  const std::string answer = ask(std::string(kLastGet));
  const auto head_end = answer.find("\r\n\r\n");
  ASSERT_NE(head_end, std::string::npos);
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 OK\r\n"));
  EXPECT_NE(answer.find("\r\nContent-Length: 300000\r\n"), std::string::npos);
  EXPECT_TRUE(answer.substr(head_end + 4) == body());
  EXPECT_EQ(static_cast<std::uint8_t>(answer[head_end + 4 + 0x1234]), 0x12 ^ 0x34);
}

TEST_F(HttpServerTest, requests_in_a_row_are_answered_in_order_over_one_connection) {
  const std::string answer = ask(std::string(kGet) + "HEAD /file HTTP/1.1\r\nHost: a\r\n\r\n" +
                                 "GET /none HTTP/1.1\r\nHost: a\r\n\r\n" +
                                 "PUT /file HTTP/1.1\r\nHost: a\r\n\r\n" + std::string(kLastGet));
  const auto head = answer.find("HTTP/1.1 200 OK", 10);
  const auto missing = answer.find("HTTP/1.1 404 Not Found");
  const auto not_allowed = answer.find("HTTP/1.1 405 Method Not Allowed");
  ASSERT_NE(not_allowed, std::string::npos);
  EXPECT_LT(head, missing);
  EXPECT_LT(missing - head, 300U);  // HEAD has no body
  EXPECT_LT(missing, not_allowed);
  EXPECT_NE(answer.find("Allow: GET, HEAD", not_allowed), std::string::npos);
  EXPECT_TRUE(answer.ends_with(body()));
  EXPECT_EQ(http_.counters().requests, 5);
  EXPECT_EQ(http_.counters().connections, 1);
  EXPECT_EQ(http_.counters().body_bytes, 2 * kSize);
}

TEST_F(HttpServerTest, a_malformed_request_is_answered_once_and_the_connection_closed) {
  const std::string answer = ask("nonsense\r\n\r\n" + std::string(kGet));
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 400 Bad Request\r\n"));
  EXPECT_NE(answer.find("Connection: close"), std::string::npos);
  EXPECT_EQ(answer.find("200 OK"), std::string::npos);
  EXPECT_EQ(http_.counters().refused, 1);
  EXPECT_EQ(server_tcp_.connections(), 0U);
}

TEST_F(HttpServerTest, a_client_that_goes_away_leaves_nothing_behind) {
  Conversation client{std::string(kGet)};
  client_tcp_.connect(at_server_, 80, client, TcpOptions::linux_like());
  run(Duration::ms(25));
  ASSERT_NE(client.socket, nullptr);
  client.socket->abort();
  run(Duration::seconds(1));
  EXPECT_EQ(server_tcp_.connections(), 0U);
  EXPECT_EQ(http_.counters().broken_connections, 1);
}

TEST_F(HttpServerTest, a_path_or_size_that_cannot_be_is_refused) {
  EXPECT_THROW(HttpServer({.path = "file", .size = 1}), ConfigError);
  EXPECT_THROW(HttpServer({.path = "/a b", .size = 1}), ConfigError);
  EXPECT_THROW(HttpServer({.path = "/", .size = -1}), ConfigError);
}

}  // namespace
}  // namespace simcore

// SPDX-License-Identifier: MIT
#include "simcore/application/applications.h"

#include <map>

#include "simcore/units/error.h"
#include "tests/simcore/stack/host_pair.h"

namespace simcore {
namespace {

class ApplicationsTest : public testing::HostPair {
 protected:
  static ServiceApplication service(ServiceApplication::Kind kind, std::uint16_t port) {
    return {.kind = kind, .port = port, .tcp = TcpOptions::linux_like()};
  }
  static std::int64_t figure(const Applications& of, const std::string& row, std::string_view name) {
    for (const Applications::Row& each : of.rows()) {
      if (each.name != row) continue;
      for (const auto& [key, value] : each.figures) {
        if (key == name) return value;
      }
    }
    ADD_FAILURE() << "there is no " << row << " " << name;
    return -1;
  }

  Applications at_client_{simulation_, client_};
  Applications on_server_{simulation_, server_};
};

TEST_F(ApplicationsTest, clients_and_servers_find_each_other_and_tell_what_they_counted) {
  using Kind = ServiceApplication::Kind;
  on_server_.add(service(Kind::tcp_discard, 9));
  on_server_.add(service(Kind::udp_sink, 9));
  on_server_.add(RequestServerApplication{.port = 10, .sizes = {10, 20}, .tcp = TcpOptions::rfc()});
  at_client_.add(
      BulkApplication{.destination = at_server_, .port = 9, .bytes = 1'000'000, .tcp = TcpOptions::rfc()});
  at_client_.add(RequestClient::Config{
      .destination = at_server_, .port = 10, .sizes = {10, 20}, .count = 3, .tcp = TcpOptions::rfc()});
  at_client_.add(UdpSource::Config{.destination = at_server_,
                                   .port = 9,
                                   .rate = DataRate::mbps(1),
                                   .payload = 1'250,
                                   .stop = SimTime::at_ns(1'000'000'000)});
  at_client_.add(Ping::Config{.destination = at_server_, .count = 2});
  run(Duration::seconds(100));
  EXPECT_EQ(figure(on_server_, "server:tcp_discard:9", "received_bytes"), 1'000'000);
  EXPECT_EQ(figure(on_server_, "server:udp_sink:9", "received_datagrams"), 100);
  EXPECT_EQ(figure(on_server_, "server:request_server:10", "answered"), 3);
  EXPECT_EQ(figure(at_client_, "client:tcp_bulk:0", "finished"), 1);
  EXPECT_EQ(figure(at_client_, "client:request_client:1", "answered"), 3);
  EXPECT_EQ(figure(at_client_, "client:udp_source:2", "sent_bytes"), 125'000);
  EXPECT_EQ(figure(at_client_, "client:ping:3", "received"), 2);
}

TEST_F(ApplicationsTest, a_host_tells_the_state_and_the_window_of_its_connections) {
  on_server_.add(service(ServiceApplication::Kind::tcp_discard, 9));
  at_client_.add(BulkApplication{.destination = at_server_, .port = 9, .tcp = TcpOptions::rfc()});
  EXPECT_TRUE(at_client_.connections().empty());  // nothing has run
  run(Duration::seconds(1));
  const std::vector<Applications::Row> rows = at_client_.connections();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].name.rfind("client:", 0), 0u) << rows[0].name;
  EXPECT_NE(rows[0].name.find(">" + at_server_.to_string() + ":9"), std::string::npos) << rows[0].name;
  EXPECT_EQ(rows[0].labels.front().second, "ESTABLISHED");
  std::map<std::string_view, std::int64_t> figures(rows[0].figures.begin(), rows[0].figures.end());
  EXPECT_GT(figures["cwnd_bytes"], 0);
  EXPECT_LE(figures["in_flight_bytes"], figures["cwnd_bytes"]);
  EXPECT_GT(figures["acknowledged_bytes"], 0);
  EXPECT_EQ(figures["delivered_bytes"], figures["acknowledged_bytes"]);  // nothing was lost: no hole
  EXPECT_GT(figures["srtt_ns"], 0);
  ASSERT_EQ(on_server_.connections().size(), 1u);
}

TEST_F(ApplicationsTest, what_nobody_has_timed_is_no_figure) {
  const auto has = [this](const std::string& row, std::string_view name) {
    for (const Applications::Row& each : at_client_.rows()) {
      for (const auto& [key, value] : each.figures) {
        if (each.name == row && key == name) return true;
      }
    }
    return false;
  };
  at_client_.add(Ping::Config{.destination = at_server_, .count = 1, .start = SimTime::at_ns(1'000'000'000)});
  on_server_.add(RequestServerApplication{.port = 10, .sizes = {10, 20}, .tcp = TcpOptions::rfc()});
  at_client_.add(RequestClient::Config{.destination = at_server_,
                                       .port = 10,
                                       .sizes = {10, 20},
                                       .count = 1,
                                       .start = SimTime::at_ns(1'000'000'000),
                                       .tcp = TcpOptions::rfc()});
  for (const bool timed : {false, true}) {
    EXPECT_TRUE(has("client:ping:0", "received"));
    for (const std::string_view name : {"least_rtt_ns", "mean_rtt_ns", "greatest_rtt_ns"})
      EXPECT_EQ(has("client:ping:0", name), timed) << name;
    for (const std::string_view name : {"mean_ns", "greatest_ns"})
      EXPECT_EQ(has("client:request_client:1", name), timed) << name;
    run(Duration::seconds(5));
  }
}

TEST_F(ApplicationsTest, a_bulk_transfer_is_finished_when_both_sides_have_closed) {
  on_server_.add(service(ServiceApplication::Kind::tcp_discard, 9));
  at_client_.add(
      BulkApplication{.destination = at_server_, .port = 9, .bytes = 1'000, .tcp = TcpOptions::rfc()});
  EXPECT_EQ(figure(at_client_, "client:tcp_bulk:0", "finished"), 0);
  run(Duration::seconds(5));  // far less than its TCP stays in TIME_WAIT
  EXPECT_EQ(figure(at_client_, "client:tcp_bulk:0", "finished"), 1);
  EXPECT_EQ(figure(at_client_, "client:tcp_bulk:0", "failed"), 0);
}

TEST_F(ApplicationsTest, two_at_one_port_are_refused) {
  using Kind = ServiceApplication::Kind;
  on_server_.add(service(Kind::iperf3_server, 5'201));
  EXPECT_THROW(on_server_.add(service(Kind::tcp_echo, 5'201)), ConfigError);
  EXPECT_THROW(on_server_.add(service(Kind::udp_echo, 5'201)), ConfigError);
  HttpServerApplication http;
  http.port = 5'201;
  EXPECT_THROW(on_server_.add(http), ConfigError);
}

}  // namespace
}  // namespace simcore

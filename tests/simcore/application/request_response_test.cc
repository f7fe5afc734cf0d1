// SPDX-License-Identifier: MIT
#include "simcore/application/request_response.h"

#include "simcore/units/error.h"
#include "tests/simcore/stack/host_pair.h"

namespace simcore {
namespace {

class RequestResponseTest : public testing::HostPair {
 protected:
  RequestClient::Config config() const {
    return {.destination = at_server_,
            .port = 1'234,
            .sizes = {100, 1'000},
            .count = 10,
            .tcp = TcpOptions::linux_like()};
  }
  TcpSockets client_tcp_{simulation_, client_};
  TcpSockets server_tcp_{simulation_, server_};
};

TEST_F(RequestResponseTest, a_small_exchange_takes_one_round_trip) {
  RequestServer server({100, 1'000});
  server_tcp_.listen(1'234, server, TcpOptions::linux_like());
  RequestClient client(simulation_, client_tcp_, "client", config());
  run(Duration::seconds(100));
  EXPECT_EQ(client.answered(), 10);
  EXPECT_EQ(server.answered(), 10);
  EXPECT_FALSE(client.failed());
  // 10 ms of delays; 166 and 1066 bytes of frames at 100 Mbit/s, and at most two acknowledgements of 66 bytes before
  // them.
  const Duration least = Duration::ns(10'000'000 + (166 + 1'066) * 80);
  EXPECT_GE(client.mean(), least);
  EXPECT_LE(client.greatest(), least + Duration::ns(2 * 66 * 80));
  EXPECT_EQ(server_tcp_.connections(), 0U);
}

TEST_F(RequestResponseTest, thinking_spreads_the_requests) {
  RequestServer server({100, 1'000});
  server_tcp_.listen(1'234, server, TcpOptions::linux_like());
  RequestClient::Config slow = config();
  slow.count = 1'000'000;
  slow.mean_think = Duration::ms(90);
  RequestClient client(simulation_, client_tcp_, "client", slow);
  run(Duration::seconds(200));
  // One in about 100 ms: 2000, with a standard error near 0.9 * sqrt(2000) = 40.
  EXPECT_NEAR(static_cast<double>(client.answered()), 2'000, 5 * 40);
}

TEST_F(RequestResponseTest, constant_thinking_takes_the_same_time_each_time) {
  RequestServer server({100, 1'000});
  server_tcp_.listen(1'234, server, TcpOptions::linux_like());
  RequestClient::Config steady = config();
  steady.count = 1'000'000;
  steady.mean_think = Duration::ms(90);
  steady.think_distribution = RequestClient::Think::constant;
  RequestClient client(simulation_, client_tcp_, "client", steady);
  run(Duration::seconds(200));
  // 10 ms to connect; then 90 ms of thinking and 10.099 to 10.109 ms for the exchange: 199.99 s / 100.1 ms = 1997.9
  EXPECT_EQ(client.answered(), 1'997);
}

TEST_F(RequestResponseTest, a_client_without_a_server_has_failed) {
  RequestClient client(simulation_, client_tcp_, "client", config());
  run(Duration::seconds(1));
  EXPECT_TRUE(client.failed());
  EXPECT_EQ(client.answered(), 0);
}

TEST_F(RequestResponseTest, empty_requests_are_refused) {
  EXPECT_THROW(RequestServer({0, 1}), ConfigError);
  RequestClient::Config wrong = config();
  wrong.count = 0;
  EXPECT_THROW(RequestClient(simulation_, client_tcp_, "client", wrong), ConfigError);
}

}  // namespace
}  // namespace simcore

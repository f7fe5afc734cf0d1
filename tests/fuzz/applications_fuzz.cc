// SPDX-License-Identifier: MIT
//
// What real clients say to applications: JSON, the head of an HTTP request, and an iperf3 client's control connection,
// streams and datagrams, against a simulated host across a simulated link. The first byte chooses which.
//
//   of iperf3, step by step:   | 0 | bytes of the control connection | 1 | bytes of a stream | 2 | a datagram | 3 | time |
//   each but the time as a length and so many bytes
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "simcore/application/http_request.h"
#include "simcore/application/http_server.h"
#include "simcore/application/iperf3_server.h"
#include "simcore/application/json.h"
#include "simcore/link/link.h"
#include "simcore/stack/host.h"
#include "simcore/stack/udp_datagrams.h"
#include "tests/fuzz/input.h"

namespace simcore {
namespace {

// Whatever is taken must come back as the same value from its own text.
void read_json(std::span<const std::uint8_t> bytes) {
  const auto value = Json::parse({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (value && Json::parse(value->to_string()) != value) std::abort();
}

// However the bytes are cut, the same requests are read.
void read_requests(std::span<const std::uint8_t> bytes) {
  using Outcome = HttpRequestReader::Outcome;
  HttpRequestReader whole;
  HttpRequestReader cut;
  while (!bytes.empty()) {
    std::span<const std::uint8_t> rest = bytes;
    const Outcome outcome = whole.take(rest);
    Outcome last = Outcome::more;
    for (std::size_t i = 0; i < bytes.size() - rest.size(); ++i) {
      if (last != Outcome::more) std::abort();
      std::span<const std::uint8_t> byte = bytes.subspan(i, 1);
      last = cut.take(byte);
    }
    if (last != outcome || whole.status() != cut.status()) std::abort();
    if (whole.request().target != cut.request().target) std::abort();
    if (outcome != Outcome::request) return;
    bytes = rest;
  }
}

class Talker final : public TcpUser {
 public:
  void tcp_changed(TcpSocket& tcp) override {
    socket = &tcp;
    flush();
    tcp.discard(tcp.connection().readable());
    if (tcp.connection().at_end_of_stream()) tcp.close();
  }
  void tcp_closed(TcpSocket&) override { socket = nullptr; }
  void say(std::span<const std::uint8_t> bytes) {
    unsent_.append(bytes.begin(), bytes.end());
    if (socket != nullptr) flush();
  }

  TcpSocket* socket = nullptr;

 private:
  void flush() {
    const std::span bytes(reinterpret_cast<const std::uint8_t*>(unsent_.data()), unsent_.size());
    unsent_.erase(0, static_cast<std::size_t>(socket->write(bytes)));
  }

  std::string unsent_;
};

class Lab {
 public:
  Lab() {
    at_client_.attach(forth_);
    at_server_.attach(back_);
    server_tcp_.listen(80, http_, TcpOptions::linux_like());
    server_tcp_.listen(5'201, iperf3_, TcpOptions::linux_like());
    server_.udp().bind(5'201, iperf3_);
  }

  void talk_http(std::span<const std::uint8_t> bytes) {
    Talker talker;
    talker.socket = client_tcp_.connect(remote_, 80, talker, TcpOptions::linux_like());
    talker.say(bytes);
    pass(Duration::ms(100));
    if (talker.socket != nullptr) talker.socket->abort();
    pass(Duration::seconds(61));  // TIME-WAIT takes 60
    if (server_tcp_.connections() != 0) std::abort();
  }

  void talk_iperf3(fuzz::Input& input) {
    Talker control;
    Talker stream;
    control.socket = client_tcp_.connect(remote_, 5'201, control, TcpOptions::linux_like());
    pass(Duration::ms(10));
    stream.socket = client_tcp_.connect(remote_, 5'201, stream, TcpOptions::linux_like());
    while (!input.empty()) {
      switch (input.u8() % 4) {
        case 0:
          control.say(input.take(input.u8()));
          break;
        case 1:
          stream.say(input.take(input.u8()));
          break;
        case 2:
          send_datagram(input.take(input.u8()));
          break;
        case 3:
          pass(Duration::ms(input.u8()));
          break;
      }
      pass(Duration::ms(5));
    }
    for (Talker* const talker : {&control, &stream}) {
      if (talker->socket != nullptr) talker->socket->abort();
    }
    pass(Duration::seconds(61));
    if (server_tcp_.connections() != 0) std::abort();
  }

 private:
  static constexpr std::uint64_t kMostEvents = 1'000'000;  // of one call: more is a loop

  static Link::Config link() {
    Link::Config config;
    config.rate = DataRate::mbps(100);
    config.propagation_delay = Duration::ms(1);
    return config;
  }
  void pass(Duration time) {
    const SimTime end = simulation_.now() + time;
    const std::uint64_t before = simulation_.events_fired();
    while (simulation_.fire_next(end)) {
      if (simulation_.events_fired() - before > kMostEvents) std::abort();
    }
    simulation_.advance_to(end);
  }
  void send_datagram(std::span<const std::uint8_t> payload) {
    const UdpEnds ends{.local = Ipv4Address::parse("10.0.0.1"),
                       .remote = remote_,
                       .local_port = 6'000,
                       .remote_port = 5'201};
    client_.send(make_udp_frame(ends, payload, 0, 1, pool_));
  }

  Simulation simulation_{1};
  PacketPool pool_;
  Host client_{simulation_, pool_, "client"};
  Host server_{simulation_, pool_, "server"};
  Interface& at_client_ = client_.add_interface(
      {"client-eth0", MacAddress::parse("02:00:00:00:00:01"), Ipv4InterfaceAddress::parse("10.0.0.1/24")});
  Interface& at_server_ = server_.add_interface(
      {"server-eth0", MacAddress::parse("02:00:00:00:00:02"), Ipv4InterfaceAddress::parse("10.0.0.2/24")});
  Link forth_{simulation_, pool_, "forth", link(), at_server_};
  Link back_{simulation_, pool_, "back", link(), at_client_};
  HttpServer http_{{.path = "/file", .size = 100'000}};
  Iperf3Server iperf3_{simulation_, server_};
  TcpSockets client_tcp_{simulation_, client_};
  TcpSockets server_tcp_{simulation_, server_};
  const Ipv4Address remote_ = Ipv4Address::parse("10.0.0.2");
};

}  // namespace
}  // namespace simcore

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace simcore;
  fuzz::Input input(data, size);
  switch (input.u8() % 4) {
    case 0:
      read_json(input.rest());
      break;
    case 1:
      read_requests(input.rest());
      break;
    case 2:
      Lab().talk_http(input.rest());
      break;
    case 3:
      Lab().talk_iperf3(input);
      break;
  }
  return 0;
}

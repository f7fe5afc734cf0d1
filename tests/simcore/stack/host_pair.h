// SPDX-License-Identifier: MIT
//
// For tests of applications:
//
//   client 10.0.0.1, 2001:db8::1 ---- link, 100 Mbit/s, 5 ms ---- server 10.0.0.2, 2001:db8::2
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>

#include "simcore/link/link.h"
#include "simcore/stack/host.h"
#include "simcore/stack/tcp_sockets.h"

namespace simcore::testing {

class HostPair : public ::testing::Test {
 protected:
  static Link::Config link() {
    Link::Config config;
    config.rate = DataRate::mbps(100);
    config.propagation_delay = Duration::ms(5);
    return config;
  }
  HostPair() {
    client_interface_.attach(forth_);
    server_interface_.attach(back_);
  }
  void run(Duration time) { simulation_.run_until(simulation_.now() + time); }

  Simulation simulation_{1};
  PacketPool pool_;
  Host client_{simulation_, pool_, "client"};
  Host server_{simulation_, pool_, "server"};
  Interface& client_interface_ = client_.add_interface({"client-eth0", MacAddress::parse("02:00:00:00:00:01"),
                                                        Ipv4InterfaceAddress::parse("10.0.0.1/24"), 1'500,
                                                        Ipv6InterfaceAddress::parse("2001:db8::1/64")});
  Interface& server_interface_ = server_.add_interface({"server-eth0", MacAddress::parse("02:00:00:00:00:02"),
                                                        Ipv4InterfaceAddress::parse("10.0.0.2/24"), 1'500,
                                                        Ipv6InterfaceAddress::parse("2001:db8::2/64")});
  Link forth_{simulation_, pool_, "forth", link(), server_interface_};
  Link back_{simulation_, pool_, "back", link(), client_interface_};
  const Ipv4Address at_server_ = Ipv4Address::parse("10.0.0.2");
};

// Writes text, keeps what comes back, and closes when the peer has.
class Conversation final : public TcpUser {
 public:
  explicit Conversation(std::string text) : unsent_(std::move(text)) {}

  void tcp_changed(TcpSocket& tcp) override {
    socket = &tcp;
    const std::span bytes(reinterpret_cast<const std::uint8_t*>(unsent_.data()), unsent_.size());
    unsent_.erase(0, static_cast<std::size_t>(tcp.write(bytes)));
    while (tcp.connection().readable() > 0) {
      std::array<std::uint8_t, 4'096> piece;
      const auto got = static_cast<std::size_t>(tcp.read(piece));
      received.append(piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(got));
    }
    if (tcp.connection().at_end_of_stream()) tcp.close();
  }
  void tcp_closed(TcpSocket& closing) override {
    socket = nullptr;
    closed = true;
    error = closing.connection().error();
  }
  void say(std::string_view text) {
    socket->write({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  }

  TcpSocket* socket = nullptr;
  std::string received;
  bool closed = false;
  TcpError error = TcpError::none;

 private:
  std::string unsent_;
};

}  // namespace simcore::testing

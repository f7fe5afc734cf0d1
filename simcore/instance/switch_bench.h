// SPDX-License-Identifier: MIT
//
// SwitchBench: a network of OpenFlow switches in virtual time, whose hosts and whose connections to controllers are in the
// caller's hands: what a host sends and what a controller says come from there, and time stands still as soon as a switch
// has something to say or a frame has come to a host.
//
//   SwitchBench bench(seed);
//   bench.network().add_openflow_switch("s1", setup);            ... interfaces
//   bench.add_host("h1");
//   bench.add_link("h1-s1", "h1", "s1-eth1", direction, direction);
//   const auto number = bench.connect("s1", openflow::Session::Kind::controller);
//   bench.run(end);  bench.said(number);  bench.hear(number, bytes);  bench.send("h1", frame);  bench.received();
//
// Every function that takes a name throws ConfigError when there is none of that name.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "simcore/link/port.h"
#include "simcore/network/link_model.h"
#include "simcore/network/simulated_network.h"

namespace simcore {

class SwitchBench {
 public:
  // A frame that has come to a host.
  struct Received {
    std::string host;
    SimTime at;
    std::vector<std::uint8_t> frame;
  };

  explicit SwitchBench(std::uint64_t seed, ByteCount pool_limit = PacketPool::kUsualLimit)
      : network_(seed, pool_limit) {}
  SwitchBench(const SwitchBench&) = delete;
  SwitchBench& operator=(const SwitchBench&) = delete;

  // Its switches are added there.
  SimulatedNetwork& network() { return network_; }
  // An end of a link that sends what send() says, and keeps what comes. Throws ConfigError when the name is taken.
  void add_host(const std::string& name);
  // `a`, `b`: a host, or an interface of a switch.
  void add_link(const std::string& name, const std::string& a, const std::string& b, const LinkModel& a_to_b,
                const LinkModel& b_to_a);
  void set_link_up(const std::string& name, bool up) { network_.set_link_up(name, up); }

  // A connection, by whose number the other functions know it; the switch has greeted. Of the kind `service`: somebody looks
  // at the switch or changes it, who is no controller.
  std::uint64_t connect(const std::string& of, openflow::Session::Kind kind);
  // Bytes of the other side: handled as far as time allows. Throws ConfigError when they are more than fit.
  void hear(std::uint64_t connection, std::span<const std::uint8_t> bytes);
  // What the switch has said since the last call, and whose connections have something.
  std::vector<std::uint8_t> said(std::uint64_t connection);
  std::vector<std::uint64_t> speaking() const;
  bool broken(std::uint64_t connection) const;  // the switch wants it to be closed
  void disconnect(std::uint64_t connection);

  void send(const std::string& host, std::span<const std::uint8_t> frame);
  // What has come since the last call, in order.
  std::vector<Received> received();

  // Up to an instant, or until after an event a switch has something to say or a frame has come. Throws ConfigError when the
  // instant has passed, or no link joins an interface.
  void run(SimTime end);
  SimTime now() const { return network_.simulation().now(); }

 private:
  class HostEnd final : public Port {
   public:
    HostEnd(SwitchBench& bench, std::string name) : bench_(bench), name_(std::move(name)) {}
    void accept(PacketPtr packet) override;
    void give(PacketPtr packet) { emit(std::move(packet)); }

   private:
    SwitchBench& bench_;
    std::string name_;
  };
  struct Connection {
    openflow::Switch* of;
    openflow::Session* session = nullptr;
  };

  Links::End end_of(const std::string& name, const std::string& attempt);
  Connection& connection(std::uint64_t number);
  const Connection& connection(std::uint64_t number) const;
  void start();
  void serve();

  SimulatedNetwork network_;
  std::map<std::string, std::unique_ptr<HostEnd>> hosts_;
  std::map<std::uint64_t, std::unique_ptr<Connection>> connections_;
  std::set<std::uint64_t> marked_;  // connections that have something to send, or more to do
  std::vector<Received> received_;
  std::uint64_t last_ = 0;
  bool started_ = false;
};

}  // namespace simcore

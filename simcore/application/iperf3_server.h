// SPDX-License-Identifier: MIT
//
// Iperf3Server: the peer of a real `iperf3 -c`: TCP and UDP, either direction or both at once, several streams.
//
// One test at a time, as iperf3 itself; who comes meanwhile is told ACCESS_DENIED. What it sends is virtual payload.
// A test that does not go on for kPatience is given up, so a client that vanished does not block the next one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "simcore/application/iperf3_messages.h"
#include "simcore/kernel/simulation.h"
#include "simcore/stack/tcp_sockets.h"
#include "simcore/stack/udp_datagrams.h"
#include "simcore/stack/udp_flow.h"
#include "simcore/stack/udp_ports.h"

namespace simcore {

class Host;

class Iperf3Server final : public TcpListener, public TcpUser, public UdpListener {
 public:
  static constexpr Duration kPatience = Duration::seconds(30);
  static constexpr Duration kTick = Duration::ms(1);    // between bursts of a stream with a rate
  static constexpr int kBurst = 1'000;                  // datagrams of a stream in a tick
  static constexpr std::size_t kMostConnections = 512;  // of all tests; above, a connection is closed

  struct Counters {
    std::int64_t tests = 0;           // that ended well
    std::int64_t failed_tests = 0;    // that did not
    std::int64_t denied = 0;          // connections turned away
    std::int64_t received_bytes = 0;  // payload of streams
    std::int64_t sent_bytes = 0;
  };

  // Both must outlive it. The owner listens with it at one TCP and one UDP port of the same number.
  Iperf3Server(Simulation& simulation, Host& host) : simulation_(simulation), host_(host) {}

  TcpUser& tcp_accept(TcpSocket& socket) override;
  void tcp_changed(TcpSocket& socket) override;
  void tcp_closed(TcpSocket& socket) override;
  void receive(PacketPtr packet, const IpHeader& datagram, const UdpHeader& header,
               Interface& arrival) override;

  std::string place() const;
  const Counters& counters() const { return counters_; }

 private:
  enum class Role : std::uint8_t {
    unknown,  // its cookie has not all come
    control,
    stream,
    leaving,  // it is closing; what still comes is thrown away
  };
  enum class Phase : std::uint8_t { idle, parameters, streams, running, results, done };

  struct Connection {
    Role role = Role::unknown;
    std::string cookie;
    std::size_t stream = 0;  // index
  };
  struct Stream {
    std::int64_t id;
    bool sends;                   // we do
    TcpSocket* socket = nullptr;  // of TCP; null when it is gone
    std::optional<UdpEnds> ends;  // of UDP
    UdpFlow flow;
    std::int64_t bytes = 0;
    std::int64_t datagrams = 0;                 // sent
    std::optional<std::int64_t> retransmits{};  // of TCP that we send, once it ended
    Iperf3StreamResult omitted{};               // what the counters were when the omitted time ended
  };

  void read_cookie(TcpSocket& socket, Connection& connection);
  void take_cookie(TcpSocket& socket, Connection& connection);
  void read_control(TcpSocket& socket);
  void take_state(std::uint8_t state);
  void take_message(const Json& message);
  void read_stream(TcpSocket& socket, Stream& stream);

  void enter(Phase phase);
  void say(Iperf3State state);
  void say(const std::string& bytes);
  void add_stream(TcpSocket* socket, std::optional<UdpEnds> ends);
  std::size_t streams_wanted() const;
  void start_test();
  void end_streams();
  void end_test(bool well);
  void refuse_parameters();
  void leave(TcpSocket& socket);

  void pump(Stream& stream);
  void pump_all();
  std::int64_t allowance(const Stream& stream) const;
  void send_datagram(Stream& stream);
  void reply_to_connect(const UdpEnds& ends);
  Iperf3StreamResult result_of(const Stream& stream) const;
  void end_omission();
  void give_up() { end_test(false); }

  Simulation& simulation_;
  Host& host_;
  std::unordered_map<const TcpSocket*, Connection> connections_;
  Counters counters_;

  // The test under way.
  Phase phase_ = Phase::idle;
  TcpSocket* control_ = nullptr;
  std::string cookie_;
  Iperf3MessageReader reader_;
  Iperf3Parameters parameters_;
  std::vector<Stream> streams_;
  SimTime started_ = SimTime::zero();
  Duration lasted_ = Duration::zero();

  EventFor<Iperf3Server, &Iperf3Server::pump_all, "iperf3 sends"> tick_{*this};
  EventFor<Iperf3Server, &Iperf3Server::end_omission, "iperf3 begins to count"> omission_{*this};
  EventFor<Iperf3Server, &Iperf3Server::give_up, "iperf3 waits no longer"> patience_{*this};
};

}  // namespace simcore

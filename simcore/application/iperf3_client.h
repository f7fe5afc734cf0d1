// SPDX-License-Identifier: MIT
//
// Iperf3Client: one test with a real `iperf3 -s`, or with an Iperf3Server: TCP or UDP, toward the server or, with
// `reverse`, from it, several streams. The conversation is that of iperf3_messages.h.
//
// What it sends is virtual payload. Of a conversation that does not go on for kPatience it counts a failed test, as of one
// that the server refuses.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "simcore/application/iperf3_messages.h"
#include "simcore/kernel/random.h"
#include "simcore/kernel/simulation.h"
#include "simcore/packet/ip_address.h"
#include "simcore/stack/tcp_sockets.h"
#include "simcore/stack/udp_datagrams.h"
#include "simcore/stack/udp_flow.h"
#include "simcore/stack/udp_ports.h"

namespace simcore {

class Host;

class Iperf3Client final : public TcpUser, public UdpListener {
 public:
  static constexpr Duration kPatience = Duration::seconds(30);
  static constexpr Duration kTick = Duration::ms(1);  // between bursts of a stream with a rate
  static constexpr int kBurst = 1'000;                // datagrams of a stream in a tick

  struct Config {
    IpAddress destination;
    std::uint16_t port = 5'201;
    bool udp = false;
    bool reverse = false;
    std::int64_t streams = 1;
    DataRate rate = DataRate::bps(0);       // of each stream; 0: as fast as TCP takes it
    std::int64_t block = 0;                 // bytes; 0: 128 kB, and of UDP a datagram of 1,460
    Duration time = Duration::seconds(10);  // whole seconds
    SimTime start = SimTime::zero();
    TcpOptions tcp = TcpOptions::linux_like();
  };

  // What the two ends counted. Bytes and datagrams are those of all streams, and the receiver's what it told.
  struct Results {
    std::int64_t sent_bytes = 0;
    std::int64_t received_bytes = 0;
    std::int64_t retransmitted_segments = 0;  // of TCP
    std::int64_t datagrams = 0;               // of UDP, and the next two
    std::int64_t lost_datagrams = 0;
    Duration jitter = Duration::zero();  // the greatest of any stream
    Duration lasted = Duration::zero();
  };

  // Throws ConfigError when a value is out of range. `name` names the random stream; all must outlive it.
  Iperf3Client(Simulation& simulation, Host& host, TcpSockets& sockets, const std::string& name,
               const Config& config);
  ~Iperf3Client();

  void tcp_changed(TcpSocket& socket) override;
  void tcp_closed(TcpSocket& socket) override;
  void receive(PacketPtr packet, const IpHeader& datagram, const UdpHeader& header,
               Interface& arrival) override;

  std::string place() const;
  bool finished() const { return phase_ == Phase::finished; }
  bool failed() const { return phase_ == Phase::failed; }
  const Results& results() const { return results_; }

 private:
  enum class Phase : std::uint8_t {
    waiting,
    parameters,
    streams,
    running,
    ended,
    results,
    display,
    finished,
    failed
  };

  struct Stream {
    std::int64_t id;
    TcpSocket* socket = nullptr;       // of TCP; null when it is gone
    std::optional<UdpEnds> ends = {};  // of UDP
    bool greeted = false;              // its cookie is written, or its first datagram answered
    UdpFlow flow = {};
    std::int64_t bytes = 0;
    std::int64_t datagrams = 0;
    std::int64_t retransmits = 0;
  };

  void begin();
  void read_control(TcpSocket& socket);
  void take_state(Iperf3State state);
  void take_results(const Json& message);
  void open_streams();
  void open_datagram_stream();
  void start_test();
  void end_test();
  void enter(Phase phase);
  void fail();
  void leave();

  void say(std::string_view bytes);
  void send_frame(PacketPtr frame);
  void pump(Stream& stream);
  void pump_all();
  std::int64_t allowance(const Stream& stream) const;
  Json own_results() const;
  // The server's data may overtake its word that the test is running.
  bool counts_arrivals() const {
    return config_.reverse && (phase_ == Phase::streams || phase_ == Phase::running);
  }
  bool over() const { return phase_ >= Phase::finished; }

  Simulation& simulation_;
  Host& host_;
  TcpSockets& sockets_;
  Config config_;
  Iperf3Parameters parameters_;
  std::string cookie_;
  Phase phase_ = Phase::waiting;
  TcpSocket* control_ = nullptr;
  bool cookie_said_ = false;
  Iperf3MessageReader reader_;
  std::vector<Stream> streams_;
  SimTime started_ = SimTime::zero();
  Results results_;

  EventFor<Iperf3Client, &Iperf3Client::begin, "starts iperf3"> start_{*this};
  EventFor<Iperf3Client, &Iperf3Client::pump_all, "iperf3 sends"> tick_{*this};
  EventFor<Iperf3Client, &Iperf3Client::end_test, "iperf3 ends"> end_{*this};
  EventFor<Iperf3Client, &Iperf3Client::fail, "iperf3 waits no longer"> patience_{*this};
};

}  // namespace simcore

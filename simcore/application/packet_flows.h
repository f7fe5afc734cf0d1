// SPDX-License-Identifier: MIT
//
// PacketFlows: equal TCP flows with endless data from one host to another, which rest and go on together: what a fluid of
// TCP is when it has packets (simcore/network/background_forms.h).
//
// Flows that rest take back what they have written and not sent. What is under way comes to its end, what was lost is sent
// again, and connections that are not open yet are opened. Flows that go on have a window that was learned elsewhere, and no
// acknowledgements to clock them: for a round trip each writes its window evenly, in parts, and from then on as fast as TCP
// takes it. The parts of the flows alternate.
#pragma once

#include <cstdint>
#include <deque>

#include "simcore/kernel/simulation.h"
#include "simcore/packet/ip_address.h"
#include "simcore/stack/tcp_sockets.h"
#include "simcore/tcp/tcp_options.h"
#include "simcore/units/time.h"

namespace simcore {

class PacketFlows {
 public:
  static constexpr std::int64_t kMostFlows = 10'000;

  struct Config {
    IpAddress destination;
    std::uint16_t port;
    std::int64_t flows;  // 1 to kMostFlows
    TcpOptions tcp;
  };

  // Throws ConfigError when a value is out of range. Both must outlive it.
  PacketFlows(Simulation& simulation, TcpSockets& sockets, const Config& config);
  PacketFlows(const PacketFlows&) = delete;
  PacketFlows& operator=(const PacketFlows&) = delete;

  // The connections are opened, evenly over this time, and send. One that ends is opened again after a second.
  void begin(Duration over);
  void rest();
  // With this window (segments), over a round trip.
  void go_on(double window, Duration round_trip);

  bool resting() const { return resting_; }
  double window() const;  // segments: the mean of those that are open; 1 where none is
  // Of all together, on the wire: with the headers of Ethernet, IP and TCP.
  std::int64_t acknowledged_bytes() const;
  std::int64_t segments_sent() const;  // with those that were sent again
  std::int64_t open() const;           // connections
  std::int64_t size() const { return std::ssize(flows_); }

 private:
  class Flow final : public TcpUser {
   public:
    explicit Flow(PacketFlows& all) : all_(all) {}

    // Both after `wait`.
    void begin(Duration wait);
    void go_on(std::int64_t window, Duration round_trip, Duration wait);
    void rest();

    void tcp_changed(TcpSocket& socket) override;
    void tcp_closed(TcpSocket& socket) override;

    const TcpConnection* connection() const { return socket_ == nullptr ? nullptr : &socket_->connection(); }
    std::int64_t acknowledged() const;  // payload
    std::int64_t segments_sent() const;

   private:
    void turn();
    void write();
    bool established() const;

    PacketFlows& all_;
    TcpSocket* socket_ = nullptr;
    std::int64_t allowed_ = 0;  // bytes that it may write now
    std::int64_t part_ = 0;     // that it may write more at each turn
    std::int64_t parts_ = 0;    // turns to come
    Duration between_ = Duration::zero();
    std::int64_t earlier_acknowledged_ = 0;  // by connections that are over
    std::int64_t earlier_segments_ = 0;
    EventFor<Flow, &Flow::turn, "lets a background flow write"> next_{*this};
  };

  Simulation& simulation_;
  TcpSockets& sockets_;
  Config config_;
  bool resting_ = true;
  std::deque<Flow> flows_;
};

}  // namespace simcore

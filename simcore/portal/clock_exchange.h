// SPDX-License-Identifier: MIT
//
// ClockExchange: the messages by which two peering portals compare their clocks, over the socket that carries
// their batches. ClockSync makes an estimate of them.
//
//   here   request() ---------.                             .--> take(): one more exchange
//   peer                      `--> take(): answers at once --'
//
// Each message also tells whether its sender knows the receiver's clock, and how many segments it has sent.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "simcore/portal/clock_sync.h"
#include "simcore/portal/peering_wire.h"
#include "simcore/sys/udp_socket.h"
#include "simcore/units/time.h"

namespace simcore::peering {

class ClockExchange {
 public:
  // `socket` must outlive this. `token` is the run's.
  ClockExchange(UdpSocket& socket, std::uint64_t token, std::function<SimTime()> wall_now);

  // Asks the peer for its clock, and tells it that `segments_sent` were sent to it so far.
  void request(std::uint64_t segments_sent);

  // How long to wait after a request until the next.
  Duration pace() const;

  // Takes a synchronization datagram that came at `arrived`, and answers if it asks. False, and nothing
  // changes, when it is malformed or contradicts itself.
  bool take(std::span<const std::uint8_t> datagram, SimTime arrived, std::uint64_t segments_sent);

  // Both sides know the other's clock.
  bool synchronized() const { return clock_.synchronized() && peer_synchronized_; }

  const ClockSync& clock() const { return clock_; }
  std::uint64_t peer_sent_segments() const { return peer_sent_segments_; }  // as far as the peer has told

 private:
  void send(SyncMessage message, DatagramKind kind, std::uint64_t segments_sent);

  UdpSocket& socket_;
  std::uint64_t token_;
  std::function<SimTime()> wall_now_;
  ClockSync clock_;
  bool peer_synchronized_ = false;
  std::uint64_t peer_sent_segments_ = 0;
};

}  // namespace simcore::peering

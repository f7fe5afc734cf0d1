// SPDX-License-Identifier: MIT
//
// ClockExchange: the messages by which two peering portals compare their clocks, over the transport that carries
// their batches. ClockSync makes an estimate of them.
//
//   here   request() ---------.                             .--> take(): one more exchange
//   peer                      `--> take(): answers at once --'
//
// Each message also tells whether its sender knows the receiver's clock, and how much it has sent. Where both read the same
// clock, or are taken to, a message tells where its sender's zero is on it, and the first one is enough.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>

#include "simcore/portal/clock_sync.h"
#include "simcore/portal/peering_transport.h"
#include "simcore/portal/peering_wire.h"
#include "simcore/units/time.h"

namespace simcore::peering {

class ClockExchange {
 public:
  struct Config {
    std::uint64_t token = 0;    // the run's
    std::uint64_t session = 0;  // this instance's
    std::function<SimTime()> wall_now;
    // Of the clock that both read at SimTime zero, 0 while that is not known. Asked only where zeros are told.
    std::function<std::int64_t()> clock_zero_ns;
    bool told = false;  // zeros are told also where the transport does not share the clock
  };

  using Sent = std::array<LaneSent, kLanes>;  // so far, to the peer

  // `transport` must outlive this.
  ClockExchange(Transport& transport, Config config);

  // Asks the peer for its clock, and tells it what was sent to it so far.
  void request(const Sent& sent);

  // How long to wait after a request until the next.
  Duration pace() const;

  // Takes a synchronization message that came at `arrived`, and answers if it asks. False, and nothing changes, when it
  // contradicts itself.
  bool take(const SyncMessage& message, SimTime arrived, const Sent& sent);

  // The peer is another one: what is known of its clock is forgotten.
  void forget_peer();

  // Both sides know the other's clock.
  bool synchronized() const { return clock_.synchronized() && peer_synchronized_; }

  const ClockSync& clock() const { return clock_; }

 private:
  bool told() const { return config_.told || transport_.shares_clock(); }
  void send(SyncMessage message, DatagramKind kind, const Sent& sent);

  Transport& transport_;
  Config config_;
  ClockSync clock_;
  bool peer_synchronized_ = false;
};

}  // namespace simcore::peering

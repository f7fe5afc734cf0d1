// SPDX-License-Identifier: MIT
//
// PeeringChannel: the end of one cut link in this instance. A port like any other:
//
//   Link (propagation delay zero) --accept()--> channel ==> peer         stamped with its departure
//   peer ==> channel --[ until departure + incoming_delay ]--emit()-->   the attached sink
//
// The real transit is hidden inside the link's delay. A packet whose release lies in the past is released at
// once and counted late. Nothing overtakes: a packet comes out no earlier than the one before it of its lane.
#pragma once

#include <array>
#include <cstdint>

#include "simcore/kernel/simulation.h"
#include "simcore/link/delay_line.h"
#include "simcore/link/port.h"
#include "simcore/portal/peering_wire.h"
#include "simcore/realtime/lateness.h"
#include "simcore/units/time.h"

namespace simcore {

class PeeringPortal;

class PeeringChannel final : public Port {
 public:
  // Segments, and their wire bytes without overhead.
  struct Counters {
    std::uint64_t accepted_packets = 0;  // from this instance, for the peer
    std::uint64_t accepted_bytes = 0;
    std::uint64_t received_packets = 0;  // from the peer: delivered + in flight
    std::uint64_t received_bytes = 0;
    std::uint64_t delivered_packets = 0;
    std::uint64_t late_packets = 0;  // received after their release
  };

  // Made by PeeringPortal::channel().
  PeeringChannel(Simulation& simulation, PeeringPortal& portal, std::uint32_t id, Duration incoming_delay)
      : simulation_(simulation), portal_(portal), id_(id), incoming_delay_(incoming_delay) {}

  // Sends `packet` to the peer: its first segment departs now.
  void accept(PacketPtr packet) override;

  // What departs from now on takes that long. Precondition: it is not negative.
  void change_delay(Duration incoming_delay);

  // For the portal: `packet` came from the peer, its arrival instants being those of its departure there.
  void receive(PacketPtr packet, std::size_t lane);

  std::uint32_t id() const { return id_; }
  Duration incoming_delay() const { return incoming_delay_; }
  const Counters& counters() const { return counters_; }
  std::uint64_t in_flight() const { return lines_[0].segments() + lines_[1].segments(); }  // not yet released
  std::int64_t held_bytes() const { return lines_[0].held_bytes() + lines_[1].held_bytes(); }  // of the pool
  // By how much packets missed their release; those that were in time are not in it.
  const Lateness& lateness() const { return lateness_; }

 private:
  class Exit final : public PacketSink {
   public:
    explicit Exit(PeeringChannel& channel) : channel_(channel) {}
    void accept(PacketPtr packet) override;

   private:
    PeeringChannel& channel_;
  };

  Simulation& simulation_;
  PeeringPortal& portal_;
  std::uint32_t id_;
  Duration incoming_delay_;
  Duration former_delay_ = incoming_delay_;
  SimTime changed_ = SimTime::zero();  // who departed before then has the former delay
  Counters counters_;
  Lateness lateness_;
  Exit exit_{*this};
  std::array<DelayLine, peering::kLanes> lines_{{{simulation_, exit_}, {simulation_, exit_}}};
};

}  // namespace simcore

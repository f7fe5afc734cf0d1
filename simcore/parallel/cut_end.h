// SPDX-License-Identifier: MIT
//
// CutEnd: the end of a link whose other end is in another partition of the simulation. A port like any other:
//
//   ModelledLink, ahead --accept()--> outbox ==> the other partition's inbox
//   inbox ==> [ until it comes out ] --emit()--> the attached sink
//
// A packet is told to the other partition when it is known when it comes out of the link, which is the link's delay ahead
// or more. So an event of the other partition, that of the delay line here, delivers it, as in a simulation of one part.
#pragma once

#include <cstdint>

#include "simcore/kernel/simulation.h"
#include "simcore/link/delay_line.h"
#include "simcore/link/link.h"
#include "simcore/link/port.h"
#include "simcore/parallel/parcel.h"

namespace simcore {

class CutEnd final : public Port {
 public:
  // `link`: its number; `rank`: of what arrives by it. Simulation and outbox must outlive it.
  CutEnd(Simulation& simulation, std::uint32_t link, std::uint64_t rank, Outbox& outbox)
      : link_(link), outbox_(outbox), line_(simulation, exit_) {
    line_.set_rank(rank);
  }

  // Its first_arrival is when it comes out.
  void accept(PacketPtr packet) override { outbox_.put(link_, *packet); }

  // From the other partition. Precondition: it does not come out in the past.
  void receive(PacketPtr packet);
  // One that the pool had no room for.
  void lose(std::uint16_t segments) { emitted_.dropped.add(DropReason::pool_exhausted, segments); }

  // Only what was delivered, and dropped here.
  const Link::Counters& emitted() const { return emitted_; }

 private:
  class Exit final : public PacketSink {
   public:
    explicit Exit(CutEnd& end) : end_(end) {}
    void accept(PacketPtr packet) override;

   private:
    CutEnd& end_;
  };

  std::uint32_t link_;
  Outbox& outbox_;
  Link::Counters emitted_;
  Exit exit_{*this};
  DelayLine line_;
};

}  // namespace simcore

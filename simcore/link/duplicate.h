// SPDX-License-Identifier: MIT
//
// Duplicate: an element in front of a link that sends segments twice.
//
//   accept() --> [ again? ] --> sink.accept(), once or twice
//
// The copy follows its original, at the same instant, and is not asked again. Every segment of a train is decided on
// its own.
#pragma once

#include <cstdint>
#include <string_view>

#include "simcore/kernel/simulation.h"
#include "simcore/link/delay_line.h"
#include "simcore/link/drop_counters.h"
#include "simcore/packet/packet.h"
#include "simcore/packet/packet_pool.h"

namespace simcore {

class Duplicate final : public PacketSink {
 public:
  // `name` names its random stream. Simulation, pool and sink must outlive it. Throws ConfigError unless
  // `probability` is one.
  Duplicate(Simulation& simulation, PacketPool& pool, std::string_view name, double probability,
            PacketSink& sink);

  void accept(PacketPtr packet) override;

  // From now on another probability. Throws ConfigError, and then nothing has changed.
  void change(double probability);

  std::uint64_t accepted() const {
    return accepted_;
  }  // segments; what goes on is accepted + duplicated - dropped
  std::uint64_t duplicated() const { return duplicated_; }  // segments that were sent twice
  const DropCounters& dropped() const { return dropped_; }  // of originals and copies

 private:
  void pass(PacketPtr piece, SimTime now);

  PacketPool& pool_;
  RandomStream random_;
  double probability_;
  PacketSink& sink_;
  DelayLine later_;  // pieces of trains, until their first segment is here
  std::uint64_t accepted_ = 0;
  std::uint64_t duplicated_ = 0;
  DropCounters dropped_;
};

}  // namespace simcore

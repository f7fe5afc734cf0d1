// SPDX-License-Identifier: MIT
//
// VariableDelay: an element behind a link that delays each segment by a model.
//
//   accept() --> [ arrival + a delay drawn for the segment ] --> sink.accept()
//
// Segments overtake each other when a later one draws a shorter delay, as in netem; `in_order` holds them back
// instead. Segments of a train that draw the same delay stay together.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "simcore/kernel/simulation.h"
#include "simcore/link/delay_line.h"
#include "simcore/link/delay_model.h"
#include "simcore/link/drop_counters.h"
#include "simcore/wire/packet.h"
#include "simcore/wire/packet_pool.h"

namespace simcore {

class VariableDelay final : public PacketSink {
 public:
  // `name` names its random stream. Simulation, pool and sink must outlive it.
  VariableDelay(Simulation& simulation, PacketPool& pool, std::string_view name, DelayModel model,
                bool in_order, PacketSink& sink)
      : pool_(pool),
        random_(simulation.stream(name)),
        model_(std::move(model)),
        in_order_(in_order),
        line_(simulation, sink) {}

  void accept(PacketPtr packet) override;

  // From now on another model; what is in flight keeps its delay.
  void change(DelayModel model) { model_ = std::move(model); }

  std::uint64_t accepted() const { return accepted_; }  // segments: passed on, in flight and dropped
  std::uint64_t in_flight() const { return line_.segments(); }
  const DropCounters& dropped() const { return dropped_; }

 private:
  PacketPool& pool_;
  RandomStream random_;
  DelayModel model_;
  bool in_order_;
  DelayLine line_;
  std::uint64_t accepted_ = 0;
  DropCounters dropped_;
};

}  // namespace simcore

// SPDX-License-Identifier: MIT
//
// VariableDelay: an element behind a link that delays each segment by a model.
//
//   accept() --> [ arrival + a delay drawn for the segment ] --> sink.accept()
//
// Segments overtake each other when a later one draws a shorter delay, as in netem; `in_order` holds them back
// instead. Segments of a train that draw the same delay stay together.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>

#include "simcore/kernel/simulation.h"
#include "simcore/link/delay_line.h"
#include "simcore/link/delay_model.h"
#include "simcore/link/drop_counters.h"
#include "simcore/link/link_view.h"
#include "simcore/packet/packet.h"
#include "simcore/packet/packet_pool.h"

namespace simcore {

class VariableDelay final : public PacketSink {
 public:
  // `name` names its random stream. Simulation, pool and sink must outlive it.
  VariableDelay(Simulation& simulation, PacketPool& pool, std::string_view name, DelayModel model,
                bool in_order, PacketSink& sink)
      : pool_(pool),
        name_(name),
        random_(simulation.stream(name)),
        model_(std::move(model)),
        in_order_(in_order),
        line_(simulation, sink) {
    line_.name(name_);
  }

  void accept(PacketPtr packet) override;

  // From now on what comes out goes to `sink`, which must outlive it.
  void lead_to(PacketSink& sink) { line_.lead_to(sink); }

  // Frees at most `most` of the packets that it holds, the last ones, uncounted: nobody is to get them any more. Says how
  // many.
  std::size_t shed(std::size_t most) { return line_.take_back(std::min(most, line_.packets())).size(); }

  static constexpr std::size_t kMostChanges = 1'024;  // that wait for segments which are on their way

  // Another model, for all but the next `after` segments, which are on their way here already. What has come keeps its
  // delay, and nobody to whom the new model applies overtakes anybody to whom the old one did. Precondition: as for
  // check_change(), and `after` is not less than at the last change, less what has come since.
  void change(DelayModel model, bool in_order, std::uint64_t after = 0);

  // Throws ConfigError when kMostChanges wait already, so that change() with this `after` could not be made.
  void check_change(std::uint64_t after = 0) const;

  // Appends what is here.
  void look(LinkView& view) const;

  std::uint64_t accepted() const { return accepted_; }  // segments: passed on, in flight and dropped
  std::uint64_t in_flight() const { return line_.segments(); }
  const DropCounters& dropped() const { return dropped_; }

 private:
  struct Change {
    std::uint64_t from;  // number of the first segment, from 0
    DelayModel model;
    bool in_order;
  };
  struct Fate {
    Duration delay;
    std::uint64_t change;  // number of the model that drew it

    bool operator==(const Fate&) const = default;
  };

  Fate next_fate(const SegmentView& segment);
  void give(PacketPtr piece, const Fate& fate);

  PacketPool& pool_;
  std::string name_;
  RandomStream random_;
  DelayModel model_;
  bool in_order_;
  std::deque<Change> changes_;            // to come, in order
  std::uint64_t drawn_ = 0;               // segments for which a delay was drawn
  std::uint64_t change_ = 0;              // number of the model that draws
  std::uint64_t given_change_ = 0;        // of the model that drew for whom was given last
  SimTime latest_ = SimTime::zero();      // release
  SimTime not_before_ = SimTime::zero();  // the latest release by earlier models
  DelayLine line_;
  std::uint64_t accepted_ = 0;
  DropCounters dropped_;
};

}  // namespace simcore

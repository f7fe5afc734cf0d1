// SPDX-License-Identifier: MIT
#include "simcore/link/duplicate.h"

#include <utility>

#include "simcore/link/probability.h"
#include "simcore/link/segment_runs.h"

namespace simcore {

Duplicate::Duplicate(Simulation& simulation, PacketPool& pool, std::string_view name, double probability,
                     PacketSink& sink)
    : pool_(pool), random_(simulation.stream(name)), sink_(sink), later_(simulation, sink) {
  change(probability);
}

void Duplicate::change(double probability) {
  require_probability("duplication", "duplicate", probability);
  probability_ = probability;
}

void Duplicate::accept(PacketPtr packet) {
  const SimTime now = packet->first_arrival;
  accepted_ += packet->segments;
  const auto again = [this](const SegmentView&) { return random_.bernoulli(probability_); };
  const auto give = [this, now](PacketPtr piece, bool twice) {
    PacketPtr copy;
    if (twice) {
      duplicated_ += piece->segments;
      copy = pool_.copy_of(*piece);
      if (!copy) dropped_.add(DropReason::pool_exhausted, piece->segments);
    }
    pass(std::move(piece), now);
    if (copy) pass(std::move(copy), now);
  };
  const std::uint16_t lost = for_each_run(std::move(packet), pool_, again, give);
  if (lost > 0) dropped_.add(DropReason::pool_exhausted, lost);
}

void Duplicate::pass(PacketPtr piece, SimTime now) {
  if (piece->first_arrival <= now) return sink_.accept(std::move(piece));
  const SimTime arrival = piece->first_arrival;
  later_.insert(std::move(piece), arrival);
}

}  // namespace simcore

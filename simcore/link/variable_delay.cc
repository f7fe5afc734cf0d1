// SPDX-License-Identifier: MIT
#include "simcore/link/variable_delay.h"

#include "simcore/link/segment_runs.h"

namespace simcore {

void VariableDelay::accept(PacketPtr packet) {
  accepted_ += packet->segments;
  const auto delay_of = [this] { return model_(random_); };
  const auto give = [this](PacketPtr piece, Duration delay) {
    const SimTime release = piece->first_arrival + delay;
    piece->last_arrival = piece->last_arrival + delay;
    if (in_order_) {
      line_.push(std::move(piece), release);
    } else {
      line_.insert(std::move(piece), release);
    }
  };
  const std::uint16_t lost = for_each_run(std::move(packet), pool_, delay_of, give);
  if (lost > 0) dropped_.add(DropReason::pool_exhausted, lost);
}

}  // namespace simcore

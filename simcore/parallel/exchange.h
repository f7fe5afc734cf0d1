// SPDX-License-Identifier: MIT
//
// Exchange: how the partitions of a simulation meet at the end of each window: everyone gives its parcels and says what its
// earliest event is, waits for the others, and gets theirs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "simcore/parallel/parcel.h"
#include "simcore/units/time.h"

namespace simcore {

class Exchange {
 public:
  virtual ~Exchange() = default;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  // What all know after a round; valid until the caller's next one. `next` is the same for all.
  struct Round {
    std::vector<SimTime> next;  // of each partition the earliest event, parcels under way to it included
    std::vector<std::span<const std::uint8_t>> arrived;  // from each partition, its parcels for the caller
    bool stop = false;                                   // somebody wants to end
  };

  // `own`: the caller's partition. `outboxes`, one for each partition, are empty afterwards. Everyone calls it equally
  // often.
  virtual void meet(std::size_t own, SimTime next, bool stop, std::vector<Outbox>& outboxes,
                    Round& round) = 0;

 protected:
  Exchange() = default;
};

}  // namespace simcore

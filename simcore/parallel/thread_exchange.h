// SPDX-License-Identifier: MIT
//
// ThreadExchange: the exchange of partitions that are threads of one process.
//
// What a partition gives in one round is read by the others until they come to the next, so it has two places and uses them
// in turn; one barrier is enough. Buffers change hands and are used again: in steady state nothing is allocated.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "simcore/parallel/exchange.h"

namespace simcore {

class ThreadExchange final : public Exchange {
 public:
  explicit ThreadExchange(std::size_t partitions);

  void meet(std::size_t own, SimTime next, bool stop, std::vector<Outbox>& outboxes, Round& round) override;

 private:
  struct Place {
    SimTime next = SimTime::never();
    bool stop = false;
    std::vector<Outbox> outboxes;
  };
  struct alignas(128) Places {  // a line of cache of their own, and the one that is fetched with it
    std::array<Place, 2> places;
    std::size_t round = 0;
  };

  void wait_for_all();

  std::vector<Places> of_;  // each partition
  int spins_;               // before a thread sleeps
  alignas(128) std::atomic<std::size_t> missing_;
  alignas(128) std::atomic<std::uint32_t> generation_{0};
};

}  // namespace simcore

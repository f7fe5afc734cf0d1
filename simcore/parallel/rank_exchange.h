// SPDX-License-Identifier: MIT
//
// RankExchange: the exchange of partitions that are processes of one MPI job, on one machine or several. A round is one
// MPI_Allgather, by which everyone learns who has what for whom, and the messages that are not empty.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "simcore/parallel/exchange.h"
#include "simcore/parallel/ranks.h"

namespace simcore {

class RankExchange final : public Exchange {
 public:
  // Must outlive it.
  explicit RankExchange(const Ranks& ranks);

  void meet(std::size_t own, SimTime next, bool stop, std::vector<Outbox>& outboxes, Round& round) override;

 private:
  // What a rank tells all: its earliest event, whether it stops, and for each other how many bytes it has and when the first
  // of them comes out.
  std::size_t words() const { return 2 + 2 * ranks_.size(); }

  const Ranks& ranks_;
  std::vector<std::int64_t> own_words_;
  std::vector<std::int64_t> all_words_;
  std::vector<std::vector<std::uint8_t>> arrived_;  // by rank; their memory is used again
};

}  // namespace simcore

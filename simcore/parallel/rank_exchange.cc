// SPDX-License-Identifier: MIT
#include "simcore/parallel/rank_exchange.h"

#include <algorithm>

namespace simcore {

RankExchange::RankExchange(const Ranks& ranks)
    : ranks_(ranks), own_words_(words()), all_words_(words() * ranks.size()), arrived_(ranks.size()) {}

void RankExchange::meet(std::size_t own, SimTime next, bool stop, std::vector<Outbox>& outboxes,
                        Round& round) {
  const std::size_t size = ranks_.size();
  own_words_[0] = next.count_ns();
  own_words_[1] = stop ? 1 : 0;
  for (std::size_t to = 0; to < size; ++to) {
    own_words_[2 + 2 * to] = static_cast<std::int64_t>(outboxes[to].bytes.size());
    own_words_[3 + 2 * to] = outboxes[to].earliest.count_ns();
  }
  const std::size_t bytes = words() * sizeof own_words_[0];
  ranks_.functions().share(own_words_.data(), all_words_.data(), static_cast<int>(bytes));

  round.stop = false;
  round.next.assign(size, SimTime::never());
  round.arrived.assign(size, {});
  std::vector<const void*> out(size);
  std::vector<int> out_bytes(size);
  std::vector<void*> in(size);
  std::vector<int> in_bytes(size);
  for (std::size_t from = 0; from < size; ++from) {
    const std::int64_t* const told = all_words_.data() + from * words();
    round.next[from] = std::min(round.next[from], SimTime::at_ns(told[0]));
    round.stop = round.stop || told[1] != 0;
    for (std::size_t to = 0; to < size; ++to) {
      round.next[to] = std::min(round.next[to], SimTime::at_ns(told[3 + 2 * to]));
    }
    arrived_[from].resize(static_cast<std::size_t>(told[2 + 2 * own]));
    round.arrived[from] = arrived_[from];
    in[from] = arrived_[from].data();
    in_bytes[from] = static_cast<int>(arrived_[from].size());
    out[from] = outboxes[from].bytes.data();
    out_bytes[from] = static_cast<int>(outboxes[from].bytes.size());
  }
  ranks_.functions().trade(out.data(), out_bytes.data(), in.data(), in_bytes.data());
  for (Outbox& each : outboxes) each.clear();
}

}  // namespace simcore

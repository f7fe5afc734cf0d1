// SPDX-License-Identifier: MIT
#include "simcore/link/loss.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "simcore/packet/train.h"
#include "simcore/units/error.h"

namespace simcore {

namespace {

void require_probability(const char* what, double value) {
  if (!(value >= 0 && value <= 1)) {
    throw ConfigError(std::string("make loss model: ") + what + " is " + std::to_string(value) +
                      "; a probability lies between 0 and 1");
  }
}

}  // namespace

LossModel independent_loss(double probability) {
  require_probability("loss", probability);
  return [probability](RandomStream& random, const SegmentView&) { return random.bernoulli(probability); };
}

LossModel gilbert_elliott_loss(const GilbertElliott& channel) {
  require_probability("change to bad", channel.to_bad);
  require_probability("change to good", channel.to_good);
  require_probability("loss when good", channel.loss_when_good);
  require_probability("loss when bad", channel.loss_when_bad);
  return [channel, bad = false](RandomStream& random, const SegmentView&) mutable {
    if (random.bernoulli(bad ? channel.to_good : channel.to_bad)) bad = !bad;
    return random.bernoulli(bad ? channel.loss_when_bad : channel.loss_when_good);
  };
}

LossModel scripted_loss(std::vector<std::uint64_t> numbers) {
  if (std::adjacent_find(numbers.begin(), numbers.end(), std::greater_equal<>()) != numbers.end()) {
    throw ConfigError("make loss model: the numbers of the lost segments must increase");
  }
  return [numbers = std::move(numbers), next = std::size_t{0}, segment = std::uint64_t{0}](
             RandomStream&, const SegmentView&) mutable {
    const bool lost = next < numbers.size() && numbers[next] == segment;
    if (lost) ++next;
    ++segment;
    return lost;
  };
}

Loss::Loss(Simulation& simulation, PacketPool& pool, std::string_view name, LossModel model, PacketSink& sink)
    : pool_(pool),
      random_(simulation.stream(name)),
      model_(std::move(model)),
      sink_(sink),
      later_(simulation, sink) {}

void Loss::accept(PacketPtr packet) {
  const SimTime now = packet->first_arrival;
  accepted_ += packet->segments;
  bool lost = model_(random_, {*packet, 0});
  while (packet) {
    // The segments in front that have the same fate.
    std::uint16_t run = 1;
    bool next_lost = lost;
    for (; run < packet->segments; ++run) {
      next_lost = model_(random_, {*packet, run});
      if (next_lost != lost) break;
    }
    PacketPtr piece;
    if (run == packet->segments) {
      piece = std::exchange(packet, nullptr);
    } else {
      piece = split_front(*packet, run, pool_);
      if (!piece) return dropped_.add(DropReason::pool_exhausted, packet->segments);
    }
    if (lost) {
      dropped_.add(DropReason::impaired, run);
    } else if (piece->first_arrival > now) {
      const SimTime arrival = piece->first_arrival;
      later_.insert(std::move(piece), arrival);
    } else {
      sink_.accept(std::move(piece));
    }
    lost = next_lost;
  }
}

}  // namespace simcore

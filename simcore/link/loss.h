// SPDX-License-Identifier: MIT
//
// Loss: an element in front of a link, or behind it, that loses segments by a model.
//
//   accept() --> [ lost? ] --> sink.accept()
//
// Every segment of a train is decided on its own; a train that loses some goes on in pieces. Each element
// draws from its own random stream, so what one loses changes nothing elsewhere.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "simcore/kernel/simulation.h"
#include "simcore/link/delay_line.h"
#include "simcore/link/drop_counters.h"
#include "simcore/link/segment_view.h"
#include "simcore/packet/packet.h"
#include "simcore/packet/packet_pool.h"

namespace simcore {

template <class Model>
class OptionFamily;

// Says of the next segment whether it is lost.
using LossModel = std::function<bool(RandomStream&, const SegmentView&)>;

// Each segment with this probability, independently. Throws ConfigError unless 0 <= probability <= 1.
LossModel independent_loss(double probability);

// Gilbert and Elliott: a channel that is good or bad, and loses accordingly. Before each segment it turns
// bad, or good again, with the probabilities given. Losses come in bursts of 1 / to_good segments on average.
struct GilbertElliott {
  double to_bad;
  double to_good;
  double loss_when_good = 0.0;
  double loss_when_bad = 1.0;
};
// Throws ConfigError unless all are probabilities.
LossModel gilbert_elliott_loss(const GilbertElliott& channel);

// Exactly the segments with these numbers, counted from 0. Throws ConfigError unless the numbers increase.
LossModel scripted_loss(std::vector<std::uint64_t> numbers);

// All of these, by their names.
const OptionFamily<LossModel>& loss_models();

class Loss final : public PacketSink {
 public:
  // `name` names its random stream. Simulation, pool and sink must outlive it.
  Loss(Simulation& simulation, PacketPool& pool, std::string_view name, LossModel model, PacketSink& sink);

  void accept(PacketPtr packet) override;

  // From now on another model; what has passed is not touched.
  void change(LossModel model) { model_ = std::move(model); }

  std::uint64_t accepted() const { return accepted_; }  // segments: those passed on and those dropped
  const DropCounters& dropped() const { return dropped_; }

 private:
  PacketPool& pool_;
  RandomStream random_;
  LossModel model_;
  PacketSink& sink_;
  DelayLine later_;  // pieces of trains, until their first segment is here
  std::uint64_t accepted_ = 0;
  DropCounters dropped_;
};

}  // namespace simcore

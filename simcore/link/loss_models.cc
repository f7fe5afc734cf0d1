// SPDX-License-Identifier: MIT
#include <string>

#include "simcore/link/loss.h"
#include "simcore/options/option_table.h"
#include "simcore/units/error.h"

namespace simcore {

namespace {

struct Independent {
  double probability = 0;
};
struct Periodic {
  std::uint64_t every = 1;
  std::uint64_t burst = 1;
};
struct Scripted {
  std::vector<std::uint64_t> segments = {};
};

const OptionTable<Independent>& independent() {
  static const OptionTable<Independent> table("independent", "each packet on its own", {},
                                              {{"probability",
                                                &Independent::probability,
                                                {.help = "of each packet", .unit = "%", .required = true}}});
  return table;
}

const OptionTable<GilbertElliott>& gilbert_elliott() {
  using G = GilbertElliott;
  static const OptionTable<G> table(
      "gilbert_elliott", "bursts: a channel that is good or bad (Gilbert 1960, Elliott 1963)",
      {.to_bad = 0, .to_good = 0},
      {
          {"to_bad",
           &G::to_bad,
           {.help = "share of the packets before which it turns bad", .unit = "%", .required = true}},
          {"to_good",
           &G::to_good,
           {.help = "share of the packets before which it turns good again", .unit = "%", .required = true}},
          {"loss_when_good", &G::loss_when_good, {.help = "share that a good channel loses", .unit = "%"}},
          {"loss_when_bad", &G::loss_when_bad, {.help = "share that a bad channel loses", .unit = "%"}},
      });
  return table;
}

const OptionTable<Periodic>& periodic() {
  static const OptionTable<Periodic> table(
      "periodic", "the last packets of every so many, without chance", {},
      {
          {"every",
           &Periodic::every,
           {.help = "of so many packets some are lost", .least = 1, .most = 1e12, .required = true}},
          {"burst", &Periodic::burst, {.help = "so many in a row", .least = 1, .most = 1e12}},
      });
  return table;
}

LossModel periodic_loss(const Periodic& values) {
  if (values.burst > values.every) {
    throw ConfigError("make loss model: burst " + std::to_string(values.burst) + " is more than every " +
                      std::to_string(values.every) + "; lose all of them, or fewer");
  }
  return [values, segment = std::uint64_t{0}](RandomStream&, const SegmentView&) mutable {
    const bool lost = segment >= values.every - values.burst;
    segment = (segment + 1) % values.every;
    return lost;
  };
}

const OptionTable<Scripted>& scripted() {
  static const OptionTable<Scripted> table(
      "scripted", "exactly the segments that you list, counted from 0", {},
      {{"segments",
        &Scripted::segments,
        {.help = "the numbers of the packets that are lost, from 0, increasing", .required = true}}});
  return table;
}

}  // namespace

const OptionFamily<LossModel>& loss_models() {
  static const OptionFamily<LossModel> family(
      "loss", "model",
      {
          model<LossModel>(independent(),
                           [](const Independent& values) {
                             return values.probability == 0 ? LossModel{}
                                                            : independent_loss(values.probability);
                           }),
          model<LossModel>(gilbert_elliott(), gilbert_elliott_loss),
          model<LossModel>(periodic(), periodic_loss),
          model<LossModel>(scripted(), [](const Scripted& values) { return scripted_loss(values.segments); }),
      });
  return family;
}

}  // namespace simcore

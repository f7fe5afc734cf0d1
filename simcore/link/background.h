// SPDX-License-Identifier: MIT
//
// Background: traffic that shares a link's queue with packets without being packets. It is a fluid: a rate that holds for a
// while, then another one.
//
//   BackgroundSource --piece--> [ FluidQueue ] <--admit-- packets
//                    <--what the queue showed--
//
// A source costs something each time its rate changes, and nothing for what it sends: n equal flows are one source.
//
// A model is a struct of parameters, a table of options, and a function that makes the source; each has a file of its own,
// and background_models.cc lists those that people can ask for.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "simcore/kernel/random.h"
#include "simcore/units/data.h"
#include "simcore/units/time.h"

namespace simcore {

template <class Model>
class OptionFamily;

// What a source sends from now on.
struct FluidPiece {
  std::int64_t bits_per_second = 0;       // >= 0, at most kMostFluidRate
  SimTime until = SimTime::never();       // later than now: then the source is asked again
  ByteCount at_once = ByteCount::zero();  // comes now, all of it, besides
};

// What the queue showed the source during the piece that ends now.
struct FluidFeedback {
  Duration waiting = Duration::zero();  // what comes now waits so long for the transmitter
  double lost = 0.0;                    // share of the piece that found no room; 0 for one without traffic
};

constexpr std::int64_t kMostFluidRate = 10'000'000'000'000;  // bit/s: 10 Tbit/s

class BackgroundSource {
 public:
  BackgroundSource() = default;
  BackgroundSource(const BackgroundSource&) = delete;
  BackgroundSource& operator=(const BackgroundSource&) = delete;
  virtual ~BackgroundSource() = default;

  // Called when the background begins, and then whenever a piece ends, in the order of time. All chance is that of the
  // stream with which the source was made.
  virtual FluidPiece next(SimTime now, const FluidFeedback& seen) = 0;
};

// Makes a source with a random stream of its own. Null: no background. Throws ConfigError when a parameter is out of its
// range.
using BackgroundModel = std::function<std::unique_ptr<BackgroundSource>(const RandomStream&)>;

// All of them, by their names.
const OptionFamily<BackgroundModel>& background_models();

}  // namespace simcore

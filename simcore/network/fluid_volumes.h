// SPDX-License-Identifier: MIT
//
// FluidVolumes: how much fluid comes in each of the steps to come. The first is the one that begins now.
#pragma once

#include <cstddef>
#include <vector>

namespace simcore {

class FluidVolumes {
 public:
  // Steps of which it knows; what would come later comes in the last of them.
  static constexpr std::size_t kMostSteps = 65'536;

  // Of the step that begins now.
  double now() const { return volumes_[first_]; }
  // Of all steps together.
  double all() const;

  // Takes out what comes in the step that begins now.
  double take_now();

  // The step that began is over. Says what came in it.
  double next();

  // `volume` comes evenly from one instant to another, in steps from now. What would have come before now comes in the
  // first step. Precondition: from <= to.
  void spread(double volume, double from, double to);

  // What would come later than `from` comes later or earlier, in its order and no earlier than `from`: the instant `from`
  // becomes `to`, and the time beyond it `stretch` times as long.
  void retime(double from, double to, double stretch);

  // Each step becomes `steps` of them, which may be less than one.
  void regrid(double steps);

 private:
  void begin_with_now();
  void add(double volume, std::size_t step);
  // Takes out what comes, the first step first.
  std::vector<double> take();

  std::vector<double> volumes_ = std::vector<double>(16, 0.0);  // a ring; as many as a power of two
  std::size_t first_ = 0;
};

}  // namespace simcore

// SPDX-License-Identifier: MIT
//
// FidelityGovernor: which classes of background flows are fluid, so that an instance keeps pace with the clock: a policy,
// without a clock. Somebody tells it every kPeriod how busy the instance was and how much the classes carry, and does what
// it says.
//
//   at the beginning                the classes that carry least are packets, as far as half of the time is enough
//   busy (70 %, or 40 % and late)   the classes that carry most become fluid, until half of the time should be idle
//   quiet (below 45 %, a while)     those that carry least become packets, as far as 40 % of the time should stay idle
//   differs by more than allowed    a class as a fluid carries too much or too little: it is packets, and stays so
//
// A return that proves wrong doubles the while, from 1 s to 32 s. What packets cost is known for a segment and a link: 1.5 us
// at first, then at most what the instance has been seen to need, and what it saved when packets became fluid.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "simcore/network/background_forms.h"
#include "simcore/units/time.h"

namespace simcore {

class FidelityGovernor {
 public:
  static constexpr Duration kPeriod = Duration::ms(20);

  // Of the period that is over.
  struct Load {
    double busy = 0.0;                 // share of the time
    Duration late = Duration::zero();  // 99.9 % of the events at most
  };
  struct Class {
    FlowForm form = FlowForm::packets;
    double work = 0.0;  // segments times links, per second: now, or at the beginning at most
    std::optional<double> allowed = std::nullopt;  // none: it never changes
    std::optional<double> difference = std::nullopt;
  };

  // What each class is from now on, in the order of `classes`, which is always the same.
  std::vector<FlowForm> begin(SimTime now, std::span<const Class> classes);
  std::vector<FlowForm> decide(SimTime now, const Load& load, std::span<const Class> classes);

 private:
  // What became fluid together, until it is seen what that saved.
  struct Relief {
    SimTime since;
    double busy;  // before
    double work;
  };

  void learn(SimTime now, std::span<const Class> classes);
  void relieve(SimTime now, double busy, std::span<const Class> classes, std::vector<FlowForm>& forms);
  // Makes packets of those that carry least, as long as the instance should not become busier than `most`; says whether of any.
  bool give_packets(double busy, double most, std::span<const Class> classes, std::vector<FlowForm>& forms);
  bool changes(std::size_t place, const Class& of) const { return of.allowed && !barred_[place]; }

  std::vector<bool> barred_;
  double cost_ = 1.5e-6;      // s, of a segment on a link
  double lately_ = 0.0;       // how busy
  double work_lately_ = 0.0;  // of packets
  std::optional<Relief> relief_;
  SimTime quiet_from_ = SimTime::zero();
  std::optional<SimTime> given_back_;  // the latest return, as long as it may prove wrong
  Duration patience_ = Duration::seconds(1);
};

}  // namespace simcore

// SPDX-License-Identifier: MIT
//
// BackgroundForms: classes of TCP flows that are packets or fluid, and change from one to the other while they run.
//
//   packets --> fluid    the connections rest, and the fluid goes on with the mean of their windows
//   fluid --> packets    the fluid rests, and each connection goes on with its window, over a round trip
//
// What is under way in the old form comes to its end. Who rests costs nothing.
//
// Classes that share a link are a group, and change together: a fluid and packets of the same TCP do not get the same there.
//
// How much a class carries is measured for each form by those who look now and then, from 20 round trips and 200 ms after a
// change on, if it comes to a second each. The difference is what the fluid carries more than the packets, as a share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "simcore/application/packet_flows.h"
#include "simcore/kernel/simulation.h"
#include "simcore/network/fluid_flows.h"
#include "simcore/units/time.h"

namespace simcore {

enum class FlowForm : std::uint8_t { packets, fluid };

const char* name_of(FlowForm form);

class BackgroundForms {
 public:
  struct Figures {
    FlowForm form;
    std::optional<double> allowed;
    std::int64_t changes;             // from one form to the other
    Duration as_fluid;                // for how long it has been one
    std::int64_t acknowledged_bytes;  // as packets
    std::int64_t segments_sent;       // as packets
  };

  // Both must outlive it.
  BackgroundForms(Simulation& simulation, FluidFlows& fluids) : simulation_(simulation), fluids_(fluids) {}

  // The class `fluid` of the fluids is also `packets`, and begins as packets. `allowed`: by what share it may carry more or
  // less as a fluid; none: it never becomes one by itself. Before begin().
  void add(const std::string& name, std::size_t fluid, PacketFlows& packets, std::optional<double> allowed);
  void begin();

  // These flows are about to go: their class is a fluid for ever.
  void forget(const PacketFlows& packets);

  // The places of those that change together.
  using Group = std::vector<std::size_t>;
  const std::vector<Group>& groups() const { return groups_; }
  static constexpr std::int64_t kLeastFlows = 5;  // with fewer, a fluid of them loses too little
  std::int64_t flows(const Group& group) const;

  // In the order in which they were added, without those that were forgotten.
  std::size_t size() const { return classes_.size(); }
  const std::string& name(std::size_t place) const { return classes_[place].name; }
  std::optional<std::size_t> find(std::string_view name) const;
  std::optional<std::size_t> of_fluid(std::size_t fluid) const;
  // Segments times links per second: as a fluid now, and at most. As packets: links.
  double fluid_work(std::size_t place) const {
    return fluids_.segments(classes_[place].fluid) * links(place);
  }
  double most_work(std::size_t place) const {
    return fluids_.most_segments(classes_[place].fluid) * links(place);
  }
  double links(std::size_t place) const { return static_cast<double>(fluids_.hops(classes_[place].fluid)); }

  void set(std::size_t place, FlowForm form);
  void look();
  // Of all classes of a group together.
  std::optional<double> difference(const Group& group) const;
  std::optional<double> difference(std::size_t place) const {
    return groups_.empty() ? std::nullopt : difference(groups_[classes_[place].group]);
  }
  Figures figures(std::size_t place) const;

 private:
  // What was carried in one form, as far as it is measured.
  struct Carried {
    double bytes = 0.0;
    Duration time = Duration::zero();
  };
  struct Class {
    std::string name;
    std::size_t fluid;  // of fluids_
    PacketFlows* packets;
    std::optional<double> allowed;
    std::size_t group = 0;  // of groups_
    FlowForm form = FlowForm::packets;
    SimTime since = SimTime::zero();
    std::int64_t changes = 0;
    Duration was_fluid = Duration::zero();  // before `since`
    SimTime looked = SimTime::zero();
    std::int64_t bytes_then = 0;
    Carried as_packets = {};
    Carried as_fluid = {};
  };

  void group();
  std::int64_t bytes(const Class& of) const;
  void look(Class& of);

  Simulation& simulation_;
  FluidFlows& fluids_;
  std::vector<Class> classes_;  // in the order of their fluids
  std::vector<Group> groups_;   // once it has begun
};

}  // namespace simcore

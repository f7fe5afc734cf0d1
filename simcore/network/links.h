// SPDX-License-Identifier: MIT
//
// Links: the links of one simulation, by name. Each joins two ports, and is two directions of its own:
//
//   a --> [ capture ] --> [ ModelledLink a_to_b ] --> [ capture ] --> b
//   a <-- [ capture ] <-- [ ModelledLink b_to_a ] <-- [ capture ] <-- b
//
// A cut link is one that ends at a peering channel: the direction toward the peer is a ModelledLink without delay here,
// and its delay is applied by the peer, measured from the departure; the direction from the peer only has its delay
// here. So whoever changes a cut link tells both instances.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "simcore/link/port.h"
#include "simcore/network/link_model.h"
#include "simcore/network/snapshot.h"
#include "simcore/network/taps.h"
#include "simcore/portal/peering_channel.h"

namespace simcore {

class Links {
 public:
  // An end as a link sees it.
  struct End {
    Port* port;
    std::string name;
    bool peer = false;                               // a channel: the link beyond it is the other instance's
    bool portal = false;                             // an emulation portal, or what stands for one
    PortalRecorder::WallClock wall_clock = nullptr;  // of what comes in there; null: now
    PeeringChannel* channel = nullptr;               // which delays what a peer sends; null: nobody here does
  };

  // All must outlive the links.
  Links(Simulation& simulation, PacketPool& pool, Taps& taps)
      : simulation_(simulation), pool_(pool), taps_(taps) {}

  // Throws ConfigError when an end is joined already, or a value is out of its range.
  void add(const std::string& name, const End& a, const End& b, const LinkModel& a_to_b,
           const LinkModel& b_to_a);

  // Changes the directions for which a model is given, both at this instant; see ModelledLink. Of a cut link it changes
  // what is here: what departs from now on has the new delay. Throws ConfigError, and then nothing has changed: there is
  // no such link, a value is out of its range, or parts of a model contradict each other.
  void change(const std::string& name, const std::optional<LinkModel>& a_to_b,
              const std::optional<LinkModel>& b_to_a);

  std::size_t directions() const { return directions_.size(); }

  // Appends the row of a direction, unless it comes from a peer. Precondition: direction < directions().
  void read_into(Snapshot& snapshot, std::size_t direction) const;

  // Of the extra delays of what peers send.
  DropCounters dropped_from_peers() const;

 private:
  struct Direction {
    std::string name;  // of the link
    bool forward;      // from a to b
    End from;
    std::string to;
    bool toward_peer;  // which delays
    PacketSink* sink;
    std::unique_ptr<ModelledLink> link;    // null: it comes from a peer
    std::unique_ptr<VariableDelay> delay;  // of what comes from a peer; null: only its channel's
  };
  struct Change {
    Direction* direction;
    LinkModel model;
    std::optional<ModelledLink::Change> prepared;  // none: it comes from a peer
  };

  void lead(const std::string& name, bool forward, const End& from, const End& to, const LinkModel& model);
  Direction& direction(const std::string& name, bool forward);
  static Change prepare(Direction& direction, const LinkModel& model);
  void apply(Change change);
  void delay_from_peer(Direction& direction, const LinkModel& model);
  static std::uint64_t in_flight_to(const Direction& direction);
  PacketSink& watching_what_comes_from(const End& end, PacketSink& sink);
  PacketSink& watching_what_goes_to(const End& end);

  Simulation& simulation_;
  PacketPool& pool_;
  Taps& taps_;
  std::vector<Direction> directions_;
};

}  // namespace simcore

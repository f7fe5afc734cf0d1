// SPDX-License-Identifier: MIT
//
// Links: the links of one simulation, by name. Each joins two ports, and is two directions of its own:
//
//   a --> [ capture ] --> [ ModelledLink a_to_b ] --> [ capture ] --> b
//   a <-- [ capture ] <-- [ ModelledLink b_to_a ] <-- [ capture ] <-- b
//
// A cut link is one that ends at a peering channel: the direction toward the peer is a ModelledLink without delay here,
// and its delay is applied by the peer, measured from the departure; the direction from the peer only has its delay
// here.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "simcore/instance/link_model.h"
#include "simcore/instance/snapshot.h"
#include "simcore/instance/taps.h"
#include "simcore/link/port.h"

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
  };

  // All must outlive the links.
  Links(Simulation& simulation, PacketPool& pool, Taps& taps)
      : simulation_(simulation), pool_(pool), taps_(taps) {}

  // Throws ConfigError when an end is joined already, or a value is out of its range.
  void add(const std::string& name, const End& a, const End& b, const LinkModel& a_to_b,
           const LinkModel& b_to_a);

  // Changes the directions for which a model is given; see ModelledLink. Throws ConfigError, and then nothing has
  // changed: there is no such link, it is a cut link (its delay is the peer's matter), or a value is out of its range.
  void change(const std::string& name, const std::optional<LinkModel>& a_to_b,
              const std::optional<LinkModel>& b_to_a);

  // Each direction that is a ModelledLink here.
  std::vector<SnapshotRow> rows() const;

  // Of the extra delays of what peers send.
  DropCounters dropped_from_peers() const;

 private:
  struct Direction {
    std::string name;  // of the link
    bool forward;      // from a to b
    bool cut;
    End from;
    std::string to;
    std::unique_ptr<ModelledLink> link;
  };

  void lead(const std::string& name, bool forward, const End& from, const End& to, const LinkModel& model);
  Direction& direction(const std::string& name, bool forward);
  void change(Direction& direction, const LinkModel& model);
  PacketSink& watching_what_comes_from(const End& end, PacketSink& sink);
  PacketSink& watching_what_goes_to(const End& end);

  Simulation& simulation_;
  PacketPool& pool_;
  Taps& taps_;
  std::vector<Direction> directions_;
  std::vector<std::unique_ptr<VariableDelay>> receiving_;  // extra delays of what peers send
};

}  // namespace simcore

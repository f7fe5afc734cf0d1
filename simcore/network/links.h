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
//
// A link that is cut between partitions of one simulation (simcore/parallel) is like that, but the direction toward the
// other partition has its delay here, and gives packets ahead; see ModelledLink::give_ahead.
//
// Links are numbered in the order of the description. What arrives at one instant arrives in the order of these numbers,
// there before back.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "simcore/link/link_view.h"
#include "simcore/link/nowhere.h"
#include "simcore/link/port.h"
#include "simcore/network/link_counts.h"
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
    bool ahead = false;                              // the peer is a partition, and takes packets ahead
    const Link::Counters* emitted = nullptr;         // of such a peer: what it has sent and has come
  };

  // All must outlive the links.
  Links(Simulation& simulation, PacketPool& pool, Taps& taps)
      : simulation_(simulation), pool_(pool), taps_(taps) {}

  // The two ranks of link `number`; see Event::set_rank.
  static std::uint64_t rank(std::uint64_t number, bool forward) { return 2 * number + (forward ? 0 : 1); }

  // `number`: which no other link of the description has; none: the next. Throws ConfigError when an end is joined already,
  // or a value is out of its range.
  void add(const std::string& name, const End& a, const End& b, const LinkModel& a_to_b,
           const LinkModel& b_to_a, std::optional<std::uint64_t> number = std::nullopt);

  // The same in two steps, where the network runs: what can fail, and what cannot. A link that is not joined carries
  // nothing, and may be forgotten. Precondition of join(): both ends are free.
  class Prepared;
  Prepared prepare(const std::string& name, const End& a, const End& b, const LinkModel& a_to_b,
                   const LinkModel& b_to_a, std::optional<std::uint64_t> number = std::nullopt);
  void join(Prepared link);

  // The ends of a link. Throws ConfigError, which begins with `attempt`, when there is none of that name.
  std::pair<End, End> ends(const std::string& name, const std::string& attempt) const;

  // Takes a link out: its ends are free. What is on its way is dropped as `removed`. Appends the rows of what it counted.
  // Until shed() says that nothing is left, the memory of its packets is still in use; each call frees about `most` of
  // them. Precondition: there is one of that name.
  void remove(const std::string& name, std::vector<SnapshotRow>& counted);
  bool shed(std::size_t most);

  // Lets fluid pass the direction that begins at that interface, and says which it is: as long as its link is there. Throws
  // ConfigError, which begins with `attempt`, when no link of this simulation begins there, or it cannot; see
  // ModelledLink::carry_fluid.
  ModelledLink& carry_fluid(const std::string& interface, const std::string& attempt);
  // The same direction, through which no fluid needs to pass.
  ModelledLink& leaving(const std::string& interface, const std::string& attempt) const;

  // Both directions; see ModelledLink::set_up. Of a cut link what is here: what it sends, and what it gets from the peer.
  // It is down in any case while one of its ends is closed.
  // Throws ConfigError when there is none of that name.
  void set_up(const std::string& name, bool up);

  // An end takes the link that it has or gets down, or lets it be up again: a device without a carrier, a port that a
  // controller has closed. The other end sees the link down. Whoever closed a port opens it before it goes.
  void set_open(Port& port, bool open);

  // Changes the directions for which a model is given, both at this instant; see ModelledLink. Of a cut link it changes
  // what is here: what departs from now on has the new delay. Throws ConfigError, and then nothing has changed: there is
  // no such link, a value is out of its range, or parts of a model contradict each other.
  void change(const std::string& name, const std::optional<LinkModel>& a_to_b,
              const std::optional<LinkModel>& b_to_a);

  // Throws what change() would throw now.
  void check_change(const std::string& name, const std::optional<LinkModel>& a_to_b,
                    const std::optional<LinkModel>& b_to_a) const;

  // Tells of the directions of a link that are here. Precondition: there is one of that name.
  template <class Tell>
  void for_each_direction(const std::string& name, Tell tell) const {
    for (const std::size_t place : {by_name_.at(name), by_name_.at(name) + 1}) {
      if (directions_[place]->link) tell(*directions_[place]->link);
    }
  }

  // Places for directions; some may be free.
  std::size_t directions() const { return directions_.size(); }

  // Appends the row of a direction, unless it comes from a peer, or the place is free. Precondition: direction <
  // directions().
  void read_into(Snapshot& snapshot, std::size_t direction) const;
  void read_into(LinkCounts& counts, std::size_t direction) const;

  // What is in a direction now; see LinkView. Null: it comes from a peer, or the place is free. Precondition: direction <
  // directions().
  struct Contents {
    std::string_view link;  // as long as the link is there
    bool forward;
    LinkView view;
  };
  std::optional<Contents> look(std::size_t direction, std::size_t most) const;
  // Of both directions of a link. Throws ConfigError when there is none of that name.
  std::vector<Contents> look(const std::string& name, std::size_t most) const;

  // Which link joins the port: a place for tap(), until that link is removed. None: no link does.
  std::optional<std::size_t> place_of(const Port& port) const;
  // The captures at an interface are others now: what passes between it and its link goes through those that there are.
  // Precondition: the link at `place` joins it.
  void tap(std::size_t place, const Port& port);

  // Another one after a link was added or removed: the rows are of other directions then.
  std::uint64_t generation() const { return generation_; }

  // Appends the rows of both directions of a link, as above; nothing when there is none of that name.
  void read_into(Snapshot& snapshot, const std::string& name) const;

  // Appends what has arrived of a direction that comes from another partition; its row is there, and lacks this.
  void read_arrived_into(std::vector<SnapshotRow>& arrived, std::size_t direction) const;

  // Of the extra delays of what peers send.
  DropCounters dropped_from_peers() const;

 private:
  struct Direction {
    std::string name;  // of the link
    bool forward;      // from a to b
    End from;
    std::string to;
    bool toward_peer;                      // which delays
    PacketSink* sink;                      // the far end, with what watches it from the beginning
    PacketSink* exit;                      // the same, behind a capture that runs there
    std::unique_ptr<ModelledLink> link;    // null: it comes from a peer
    std::unique_ptr<VariableDelay> delay;  // of what comes from a peer; null: only its channel's
    std::unique_ptr<Nowhere>
        nowhere;       // of what comes from a peer, before the link is joined and while it is down
    bool up = true;    // as set_up() says, and its ends let it
    bool seen = true;  // by `from`: the link without its own doing
  };
  struct Change {
    Direction* direction;
    LinkModel model;
    std::optional<ModelledLink::Change> prepared;  // none: it comes from a peer
  };

  std::unique_ptr<Direction> make(const std::string& name, bool forward, const End& from, const End& to,
                                  const LinkModel& model, std::uint64_t number);
  void attach(Direction& direction);
  // After a change of what the link at `place` is told to be, or of its ends.
  void follow(std::size_t place);
  Direction& direction(const std::string& name, bool forward, const std::string& attempt) const;
  Direction& direction_from(const std::string& interface, const std::string& attempt) const;
  static Change prepare(Direction& direction, const LinkModel& model);
  void apply(Change change);
  void delay_from_peer(Direction& direction, const LinkModel& model);
  static std::uint64_t in_flight_to(const Direction& direction);
  static DropCounters dropped_from_peer(const Direction& direction);
  PacketSink& watching_what_comes_from(const End& end, PacketSink& sink);
  PacketSink& watching_what_goes_to(const End& end);

  Simulation& simulation_;
  PacketPool& pool_;
  Taps& taps_;
  // The two of a link stand side by side, there before back; both null: a free place.
  std::vector<std::unique_ptr<Direction>> directions_;
  std::set<const Port*> closed_;
  std::vector<bool> told_up_;                        // by set_up(), of each link: half as many
  std::vector<std::size_t> free_;                    // of those places, the first
  std::map<std::string, std::size_t> by_name_;       // where the first stands
  std::vector<std::unique_ptr<Direction>> retired_;  // taken out, with packets that are yet to be freed
  DropCounters removed_from_peers_;                  // by directions that are gone
  std::uint64_t generation_ = LinkCounts::kNothingKnown + 1;
  std::uint64_t next_number_ = 0;  // higher than all that were given
};

class Links::Prepared {
 private:
  friend class Links;
  std::unique_ptr<Direction> there;
  std::unique_ptr<Direction> back;
};

}  // namespace simcore

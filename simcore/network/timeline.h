// SPDX-License-Identifier: MIT
//
// Timeline: changes of a network that happen at instants of simulated time, as events among the others: options of links,
// links up and down, routes.
//
//   Timeline timeline(network);
//   timeline.add("failover", {{SimTime::at_ns(5'000'000), Timeline::LinkStatus{"r1-r2", false}, note}});
//
// What is added and what has fired has a name, that of its timeline, which is free again when all of it has fired or was
// cancelled. What cannot be made when its instant comes, as when its link is not there any more, is not made and says so
// in the log. Changes of one instant happen in the order in which they were added.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "simcore/kernel/simulation.h"
#include "simcore/network/link_model.h"
#include "simcore/network/simulated_network.h"

namespace simcore {

class Timeline {
 public:
  static constexpr std::size_t kMostPending = 10'000;
  static constexpr std::size_t kMostLogged = 65'536;  // the oldest give way

  // As the functions of SimulatedNetwork.
  struct LinkChange {
    std::string link;
    std::optional<LinkModel> a_to_b;
    std::optional<LinkModel> b_to_a;
  };
  struct LinkStatus {
    std::string link;
    bool up;
  };
  struct RoutesChange {
    SimulatedNetwork::RoutesOf routes;
  };
  struct Entry {
    SimTime at;
    std::variant<LinkChange, LinkStatus, RoutesChange> change;
    std::string note;  // what a record says of it
  };
  struct Fired {
    std::uint64_t number;  // of all that have fired, from 0
    std::string timeline;
    std::size_t entry;  // its number in what was added, from 0
    SimTime at;
    SimTime fired;      // by the wall clock; without one it is `at`
    std::string error;  // empty: it was made
  };
  // The changes of one name, in the order in which they fire.
  class Line {
   public:
    Line(std::string name, std::vector<Entry> entries);

    std::size_t left() const { return entries_.size() - next_; }

   private:
    friend class Timeline;

    SimTime due() const { return entries_[next_].second.at; }

    std::string name_;
    std::vector<std::pair<std::size_t, Entry>> entries_;  // with their numbers
    std::size_t next_ = 0;
  };

  // `network` must outlive it. `wall_now`: the wall clock as simulated time; null in virtual time.
  explicit Timeline(SimulatedNetwork& network, std::function<SimTime()> wall_now = nullptr)
      : network_(network), wall_now_(std::move(wall_now)) {}

  // Throws ConfigError when a change could not be made now. For add(), whose entries may be many, before it.
  void check(const Entry& entry) const;

  // Throws ConfigError, and then nothing has changed: it is empty, an instant lies in the past, one of that name has not
  // come to its end, or more than kMostPending would be pending. Takes the same time however many they are.
  void add(std::unique_ptr<Line> line);

  // Takes out what has not fired of that name. Throws ConfigError when there is none.
  std::unique_ptr<Line> cancel(const std::string& name);

  // What has fired from that number on, at most `most`.
  std::vector<Fired> fired(std::uint64_t from, std::size_t most) const;

  std::size_t pending() const;

 private:
  void fire();
  void perform(const std::string& timeline, std::size_t number, const Entry& entry);
  void wait();

  SimulatedNetwork& network_;
  std::function<SimTime()> wall_now_;
  std::vector<std::unique_ptr<Line>>
      lines_;  // that have something left, in the order in which they were added
  std::deque<Fired> log_;
  std::uint64_t fired_ = 0;
  EventFor<Timeline, &Timeline::fire, "a change of the timeline"> due_{*this};
};

}  // namespace simcore

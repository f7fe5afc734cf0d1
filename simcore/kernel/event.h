// SPDX-License-Identifier: MIT
//
// Event: something that will happen to an element at one instant of simulated time.
//
// Invariants
//   1. An event is in the queue of its simulation at most once, for one instant.
//   2. The element owns the event; the queue only points to it. Destroying a pending event cancels it.
//   3. Events of one instant fire in the order of their ranks, and those without a rank after them, in the order in which
//      they were scheduled.
//   4. Scheduling a pending event moves it. Nothing is allocated per event: the queue's storage grows with the largest
//      number of events that were pending together, and that is bounded by the elements, not by packets in flight.
#pragma once

#include <algorithm>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "simcore/units/time.h"

namespace simcore {

class EventQueue;

class Event {
 public:
  // Registers itself in a queue by address, so it can be neither copied nor moved.
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  static constexpr std::uint64_t kRanks = std::uint64_t{1} << 32;

  bool pending() const { return time_ != kNever; }

  // For people who look at what is to come: what it is, in a few words, and the name of the element to which it happens;
  // empty where it has none.
  virtual std::string_view what() const { return "an event"; }
  virtual std::string where() const { return {}; }

  // Fetches from memory what fire() will use, and does nothing else. While many events are pending, the queue calls it for
  // those that come next, with another one fired between two steps: first 0, then 1, then 2. So a step may look at what the
  // one before has fetched. An event that was scheduled late misses some.
  static constexpr int kFetchSteps = 3;
  virtual void fetch(int /*step*/) const {}

  // From now on this event has a rank, which no other event of its queue has. What arrives through a link has one, so that
  // the order of an instant is the same however a network is partitioned. Preconditions: rank < kRanks, not pending().
  void set_rank(std::uint64_t rank) {
    assert(rank < kRanks && !pending());
    order_ = rank;
  }

 protected:
  Event() = default;
  virtual ~Event();

  // Called once, at the instant for which the event was scheduled; it is no longer pending then and may be
  // scheduled again from within.
  virtual void fire() = 0;

 private:
  friend class EventQueue;
  friend class Simulation;

  static constexpr std::uint64_t kNotQueued = std::numeric_limits<std::uint64_t>::max();
  static constexpr std::uint64_t kInFront = kNotQueued - 1;
  static constexpr SimTime kNever = SimTime::at_ns(-1);

  EventQueue* queue_ = nullptr;
  std::uint64_t place_ = kNotQueued;  // where the queue keeps it
  SimTime time_ = kNever;             // kNever: it is not pending, though the queue may keep it still
  std::uint64_t order_ =
      kRanks;  // within its instant: its rank, or kRanks and above by the order of scheduling
};

// What an event is, in a few words, as an argument of a template.
template <std::size_t Size>
struct EventText {
  consteval EventText(const char (&text)[Size]) { std::copy_n(text, Size, said); }  // NOLINT: a text is one

  char said[Size] = {};
};

// An event that calls a member function of its owner: `EventFor<Ping, &Ping::send, "sends a ping"> next_{*this};`
// An owner that has `std::string place() const` says where, and one that has `void fetch(int step) const` fetches.
template <class Owner, void (Owner::*Method)(), EventText What = "an event">
class EventFor final : public Event {
 public:
  explicit EventFor(Owner& owner) : owner_(owner) {}

  std::string_view what() const override { return {What.said, sizeof(What.said) - 1}; }
  std::string where() const override {
    if constexpr (requires(const Owner& owner) {
                    { owner.place() } -> std::convertible_to<std::string>;
                  }) {
      return owner_.place();
    } else {
      return {};
    }
  }

  void fetch(int step) const override {
    if constexpr (requires(const Owner& owner) { owner.fetch(step); }) owner_.fetch(step);
  }

 private:
  void fire() override { (owner_.*Method)(); }

  Owner& owner_;
};

}  // namespace simcore

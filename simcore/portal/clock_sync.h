// SPDX-License-Identifier: MIT
//
// ClockSync: what the peer's clock shows now, estimated from two-way exchanges. Pure:
// instants in, instants out.
//
//     here   request_sent --.                        .--> reply_received
//                            `--> request_received --'
//     peer                        reply_sent
//
// An exchange gives offset = ((request_received - request_sent) + (reply_sent - reply_received)) / 2, wrong
// by at most half its round trip (RFC 5905, section 8; David Mills). Whoever read late made the round trip
// longer, so in each of kSections equal parts of the last kWindow exchanges the one with the smallest round
// trip is kept, and a line through those, weighted by how far each round trip lies above the least, gives
// offset and drift. The clocks compared are SimTimes, so the offset includes that the two simulations began
// at different instants.
//
// What cannot be seen: a path that is slower in one direction than in the other. It shifts the offset by half
// the difference, at most asymmetry_bound() = half the least round trip.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "simcore/units/time.h"

namespace simcore {

class ClockSync {
 public:
  struct Exchange {
    SimTime request_sent;      // here
    SimTime request_received;  // peer's clock
    SimTime reply_sent;        // peer's clock
    SimTime reply_received;    // here
  };

  static constexpr std::size_t kFirstEstimate = 8;  // exchanges before there is one
  static constexpr std::size_t kWindow = 512;
  static constexpr std::size_t kSections = 16;

  ClockSync();

  // Takes an exchange in. False, and nothing changes, when it contradicts itself: it took less
  // time here than there.
  bool add(const Exchange& exchange);

  // The peer's clock is this one and `offset`, exactly and for ever: both read the same. No exchange is needed.
  void set_exact(Duration offset);

  bool synchronized() const { return exact_ || exchanges_ >= kFirstEstimate; }
  std::uint64_t exchanges() const { return exchanges_; }

  // The instant of this clock at which the peer's clock shows `peer`. Precondition: synchronized().
  SimTime to_local(SimTime peer) const;

  // The peer's clock minus this one at the last exchange, and how fast that grows.
  // Zero before synchronized().
  Duration offset() const { return offset_; }
  double drift_ppm() const { return drift_ * 1e6; }

  // Of the exchanges in the window; Duration::zero() before the first.
  Duration least_round_trip() const { return least_round_trip_; }
  Duration asymmetry_bound() const { return least_round_trip_ / 2; }

 private:
  struct Sample {
    SimTime middle = SimTime::zero();  // of the exchange, on this clock
    Duration offset = Duration::zero();
    Duration round_trip = Duration::zero();
  };

  const Sample& sample(std::size_t age) const;
  void estimate();
  void fit(const std::vector<Sample>& best);

  std::vector<Sample> window_;  // a ring
  std::vector<Sample> best_;    // of each section; kept to save its storage
  std::uint64_t exchanges_ = 0;

  SimTime reference_ = SimTime::zero();  // where offset_ holds
  Duration offset_ = Duration::zero();
  double drift_ = 0.0;
  Duration least_round_trip_ = Duration::zero();
  bool exact_ = false;
};

}  // namespace simcore

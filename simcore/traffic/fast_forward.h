// SPDX-License-Identifier: MIT
//
// FastForward: leaves out time in which all transfers are steady, with a stated error.
//
//   packets  |--- measured ---|--- margin ---|                    the simulation's clock: it never jumps
//   passed   |--- measured ---|~~~ left out ~~~|--- margin ---|   what is told: the clock, and what was left out before
//
// The clock goes on as if nothing were left out, so no timer, queue, window or round trip notices. Instead each transfer
// has so many bytes less to send, what is due from outside comes so much earlier, and instants are told so much later.
//
// When: since the latest beginning or end of a transfer time is cut into slices as long as the longest round trip, at first;
// when there are 128, each two become one. The older half of them is forgotten, as what came before the steady state. Time is
// left out if they are 64 of the longest round trip or more, and in the other half each transfer
//
//   * had no timeout, and its congestion window either has not moved and was never reduced, or was reduced twice or more in
//     each half, so that whole cycles are in it;
//   * has a rate whose interval (batch means, 99.9 %) is within half of the error asked for, and halves that differ by no more.
//
// So much is left out: until something is due from outside, or until the first transfer would have sent its last byte,
// less a margin of four slices; less than was measured is not worth it. Nothing is left out that would make a transfer's
// bound larger than the error asked for of the time that it lasts.
//
// Wormhole leaves out steady states of packet simulations, too.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "simcore/kernel/simulation.h"
#include "simcore/network/standstill.h"
#include "simcore/traffic/transfer_ends.h"
#include "simcore/traffic/transfer_watcher.h"
#include "simcore/units/time.h"

namespace simcore {

class FastForward final : public TransferWatcher {
 public:
  static constexpr double kLeastError = 1e-4;
  static constexpr double kMostError = 0.2;

  // Why at the end of a slice nothing was left out.
  enum class Held : std::uint8_t { starting, window, timeout, uncertain, drift, near };
  static constexpr std::size_t kReasons = 6;

  struct Outcome {
    std::uint64_t skips = 0;
    Duration left_out = Duration::zero();
    std::int64_t forwarded_bytes = 0;
    std::array<std::uint64_t, kReasons> held{};  // by Held: how often
  };

  // The transfers are those of `ends`, the server and the client of each at the same place; all have been added, and none has
  // begun. `error` is a share of completion times; nothing is left out beyond `end`. Both must outlive it. Throws
  // ConfigError: an error out of its range, or a server without its client.
  FastForward(Simulation& simulation, TransferEnds& ends, double error, SimTime end);
  FastForward(const FastForward&) = delete;
  FastForward& operator=(const FastForward&) = delete;

  // What has passed: simulated, or left out.
  SimTime now() const { return simulation_.now() + outcome_.left_out; }

  // Until so much has passed. What is left out goes on beyond that, to `end` at most. However long the pieces are, the
  // result is the same. Throws ConfigError: time stands still.
  void run_for(Duration duration, Standstill& standstill);

  const Outcome& outcome() const { return outcome_; }
  // How much a transfer may have finished earlier or later for what was left out: each time the half width of its rate's
  // interval, as a share, of that time, and the longest round trip, as it goes on at another instant of its cycle.
  Duration bound(std::size_t transfer) const { return flows_[transfer].bound; }

  Duration left_out() const override { return outcome_.left_out; }
  void transfer_began(std::size_t number) override;
  void transfer_ended(std::size_t number) override;

 private:
  // Of a transfer at the end of a slice; counts are since its beginning.
  struct Point {
    SimTime at;             // when bytes came last: what had come by then is not rounded to whole trains
    std::int64_t received;  // by packets
    std::uint64_t reductions;
    std::uint64_t timeouts;
    std::int64_t cwnd;
  };
  struct Flow {
    std::vector<Point> points;  // one more than slices
    double rate = 0;            // bytes per nanosecond
    double half_width = 0;      // of the rate's interval, as a share of it
    Duration bound = Duration::zero();
  };

  void end_slice();
  void begin_anew();
  // False: a transfer has none to note, so that all begins anew.
  bool note_points();
  void merge_slices();
  Duration longest_round_trip() const;
  std::optional<Held> leave_out();
  std::optional<Held> measure(Flow& flow) const;
  // Something comes from outside.
  Duration until_next();

  Simulation& simulation_;
  TransferEnds& ends_;
  double error_;
  SimTime end_;
  std::vector<Flow> flows_;
  std::vector<std::size_t> active_;   // in order of their numbers
  std::vector<std::size_t> waiting_;  // for an instant, the latest first; the last ones may have begun
  bool changed_ = true;
  Duration slice_;
  SimTime slice_end_;
  std::size_t slices_ = 0;
  Outcome outcome_;
};

// As reports name it.
std::string name_of(FastForward::Held held);

}  // namespace simcore

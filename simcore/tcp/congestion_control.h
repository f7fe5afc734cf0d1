// SPDX-License-Identifier: MIT
//
// CongestionControl: how the congestion window moves. One interface; each algorithm is a small class that names its
// source. What is common to all, that is, which segments are lost and what is sent again, is not its business.
//
// All quantities are bytes. An algorithm changes the window that it is handed and keeps no copy.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>

#include "simcore/tcp/delivery_rate.h"
#include "simcore/tcp/tcp_options.h"
#include "simcore/units/time.h"

namespace simcore {

struct CongestionWindow {
  std::int64_t cwnd;
  std::int64_t ssthresh;
  std::int64_t mss;

  bool slow_start() const { return cwnd < ssthresh; }
  std::int64_t segments() const { return std::max<std::int64_t>(cwnd / mss, 1); }
};

struct AckSample {
  SimTime now = SimTime::zero();
  std::int64_t acked = 0;      // bytes that the cumulative acknowledgement newly covers
  std::int64_t delivered = 0;  // bytes newly known to have arrived, by SACK too
  std::int64_t marked = 0;     // those of `delivered` whose acknowledgement echoes a mark
  std::int64_t lost = 0;       // segments newly marked lost
  std::int64_t in_flight = 0;  // pipe after this acknowledgement
  std::int64_t prior_in_flight = 0;
  std::int64_t snd_una = 0;  // positions after this acknowledgement
  std::int64_t snd_nxt = 0;
  std::optional<Duration> rtt;  // of the latest segment that was sent once
  Duration srtt = Duration::zero();
  bool window_limited = false;  // the window, not the application or the receiver, held the sender back
  bool window_full = false;     // the same, without the room that slow start takes for granted
  bool recovering = false;      // in fast recovery, or reducing after an ECN echo
  bool after_timeout = false;
  bool selective = true;  // SACK was agreed on
  bool ack_may_be_delayed =
      false;  // it is of a lone short segment, so the sample may hold the receiver's patience
  std::int64_t total_delivered = 0;
  DeliveryRate::Sample rate;
};

struct SendingStart {
  SimTime now = SimTime::zero();
  Duration idle = Duration::zero();  // since something was sent last
  Duration srtt = Duration::zero();  // zero: no round trip was measured yet
  bool rested = false;               // that is longer than a timeout
  bool application_limited = false;  // the application, not the network, let it come to this
};

struct LossSample {
  SimTime now = SimTime::zero();
  std::int64_t total_delivered = 0;
  bool selective = true;  // SACK was agreed on
  LostSegment segment;
};

enum class CongestionEvent : std::uint8_t { loss, ecn_echo, timeout };

class CongestionControl {
 public:
  virtual ~CongestionControl() = default;

  // An acknowledgement came, in whatever state: what there is to measure. Called before on_ack().
  virtual void observe(const AckSample&) {}

  // True when on_lost() is to be called.
  virtual bool hears_losses() const { return false; }
  // A segment was found to be lost, or its retransmission; after reduced(), where that begins an episode.
  virtual void on_lost(const LossSample&, const CongestionWindow&) {}

  // Data was acknowledged. Called outside recovery, and in slow start after a timeout; always when owns_window().
  virtual void on_ack(const AckSample& sample, CongestionWindow& window) = 0;

  // The new ssthresh. `flight` is the smaller of the window and what is outstanding (FlightSize of RFC 5681).
  virtual std::int64_t reduced(CongestionEvent event, const CongestionWindow& window, std::int64_t flight,
                               SimTime now) = 0;

  // Outside of recovery again; `after_timeout`: by the slow start that followed one, so the window is not ssthresh.
  virtual void on_recovery_end(CongestionWindow&, SimTime, [[maybe_unused]] bool after_timeout) {}
  // The reduction was needless; the window is already restored.
  virtual void on_undo(CongestionWindow&) {}
  // Sending starts with nothing in flight (Linux: CA_EVENT_TX_START).
  virtual void on_sending_starts(const SendingStart&, CongestionWindow&) {}

  // True when the algorithm sets the window in recovery too, instead of the sender's PRR.
  virtual bool owns_window() const { return false; }

  // True while it sends little on purpose: the delivery rate of that says nothing of the path.
  virtual bool starves() const { return false; }

  // Bytes per second at which segments are spaced; absent when the window alone decides.
  virtual std::optional<double> pacing_rate() const { return std::nullopt; }

  // Precondition: options.check() passed.
  static std::unique_ptr<CongestionControl> make(const TcpOptions& options);
};

// Half of what is outstanding, at least two segments: RFC 5681 equation (4).
constexpr std::int64_t half_of_flight(std::int64_t flight, std::int64_t mss) {
  return std::max(flight / 2, 2 * mss);
}

}  // namespace simcore

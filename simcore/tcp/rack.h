// SPDX-License-Identifier: MIT
//
// Rack: recent acknowledgement (RFC 8985 sections 6 and 7.2): a segment is lost when one that was sent after it, by more
// than the reordering window, has been delivered.
//
// One rule is sharper than in the RFC: the reordering timer is set for the first segment that it concerns, not for the
// last, so each is judged at its own instant. And the window widens once for each round trip of what is delivered, as in
// Linux (tcp_rack_update_reo_wnd); the RFC waits until all that was sent is acknowledged, which takes longer under
// reordering.
//
// Linux's differs from the RFC (net/ipv4/tcp_recovery.c, tcp_input.c of 6.1; TcpOptions::recovery_of_linux): it judges only
// when something was delivered that tells of RACK.xmit_ts; the timer is set for the last segment, two milliseconds later;
// duplicates widen the window once reordering was seen; timestamps tell of what is acknowledged, not of what SACK
// tells, whose echo is always older. Left out: the timer's rounding to jiffies.
#pragma once

#include <cstdint>

#include "simcore/tcp/scoreboard.h"
#include "simcore/units/time.h"

namespace simcore {

class Rack {
 public:
  explicit Rack(std::uint32_t duplicate_threshold, bool of_linux = false)
      : threshold_(duplicate_threshold), of_linux_(of_linux) {}

  // An acknowledgement comes. What it alone tells, by SACK and cumulatively, came in no order: only what lies below that which
  // an earlier one told of was overtaken (tcp_clean_rtx_queue: prior_fack).
  void begin_ack() { overtaking_ = forward_ack_; }

  // `segment`, still as it was before this acknowledgement, was delivered, in the order of section 6.2, step 2.
  // `min_rtt` is the smallest round trip so far. `echo_is_older` says that timestamps prove that not its last
  // transmission was acknowledged.
  void delivered(const SentSegment& segment, SimTime now, Duration min_rtt, bool echo_is_older);

  // A duplicate was reported (section 6.2, step 4): the window is to widen.
  void duplicate_reported() { duplicate_reported_ = !of_linux_ || reordering_seen_; }

  // Duplicates proved a recovery needless after its end (tcp_try_undo_dsack).
  void undone_late();

  // An acknowledgement delivered something. `delivered` bytes have been by now; `prior_delivered` had been when the last
  // sent of what it delivered was sent.
  void widen(std::int64_t prior_delivered, std::int64_t delivered);

  // A recovery ended: the wider window lasts for 16 of them.
  void recovery_ended();

  // Whether something is to be judged that could not be before.
  bool tells_more() const { return advanced_ || !of_linux_; }
  // What was taken back is to be judged again.
  void judge_again() { advanced_ = true; }

  // Marks as lost what is overdue. Returns how long until the timer is to judge again, zero when none waits.
  Duration detect(Scoreboard& board, SimTime now, Duration min_rtt, Duration srtt, bool recovering,
                  bool& found);

  // At a timeout what was sent no later than this is lost: section 6.3. Linux allows no reordering window there
  // (tcp_timeout_mark_lost).
  SimTime overdue(const Scoreboard& board, SimTime now, Duration min_rtt, Duration srtt,
                  bool recovering) const;

  bool reordering_seen() const { return reordering_seen_; }

  // How far behind what was delivered before it something arrived that was sent once. Bytes.
  std::int64_t reordering() const { return reordering_; }

 private:
  Duration window(const Scoreboard& board, Duration min_rtt, Duration srtt, bool recovering) const;

  std::uint32_t threshold_;
  bool of_linux_;
  bool valid_ = false;
  bool advanced_ = false;
  SimTime sent_ = SimTime::zero();  // RACK.xmit_ts, of the most recently sent segment that was delivered
  std::int64_t end_ = 0;            // RACK.end_seq
  Duration rtt_ = Duration::zero();
  std::int64_t forward_ack_ = 0;  // RACK.fack
  std::int64_t overtaking_ = 0;   // RACK.fack before this acknowledgement
  bool reordering_seen_ = false;
  std::int64_t reordering_ = 0;
  std::int64_t window_multiplier_ = 1;
  int window_persists_ = 16;
  bool duplicate_reported_ = false;
  std::int64_t widened_at_ = 0;  // bytes that had been delivered when the window last widened
};

}  // namespace simcore

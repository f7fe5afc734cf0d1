// SPDX-License-Identifier: MIT
#include "simcore/tcp/rack.h"

#include <algorithm>
#include <optional>

#include "simcore/tcp/rtt_estimator.h"

namespace simcore {

namespace {

constexpr int kWindowPersists = 16;
constexpr std::int64_t kWidest = 255;

bool sent_after(SimTime a, std::int64_t a_end, SimTime b, std::int64_t b_end) {
  return a > b || (a == b && a_end > b_end);
}

}  // namespace

void Rack::delivered(const SentSegment& segment, SimTime now, Duration min_rtt, bool echo_is_older) {
  if (segment.end > forward_ack_) {
    forward_ack_ = segment.end;
  } else if (segment.end < overtaking_ && !segment.ever_retransmitted) {
    reordering_seen_ = true;  // tcp_check_sack_reordering
    reordering_ = std::max(reordering_, forward_ack_ - segment.start);
  }
  const Duration rtt = now - segment.sent;
  if (segment.ever_retransmitted && (echo_is_older || rtt < min_rtt)) return;
  rtt_ = rtt;
  advanced_ = true;
  if (!valid_ || sent_after(segment.sent, segment.end, sent_, end_)) {
    valid_ = true;
    sent_ = segment.sent;
    end_ = segment.end;
  }
}

void Rack::widen(std::int64_t prior_delivered, std::int64_t delivered) {
  if (prior_delivered < widened_at_) duplicate_reported_ = false;
  if (!duplicate_reported_) return;
  duplicate_reported_ = false;
  widened_at_ = delivered;
  window_multiplier_ = std::min(window_multiplier_ + 1, kWidest);
  window_persists_ = kWindowPersists;
}

void Rack::recovery_ended() {
  if (--window_persists_ > 0) return;
  window_persists_ = kWindowPersists;
  window_multiplier_ = 1;
}

void Rack::undone_late() { window_persists_ = std::min(window_persists_ + 1, kWindowPersists); }

Duration Rack::window(const Scoreboard& board, Duration min_rtt, Duration srtt, bool recovering) const {
  if (!reordering_seen_ && (recovering || board.sacked_segments() >= threshold_)) return Duration::zero();
  return std::min(min_rtt * window_multiplier_ / 4, srtt);
}

SimTime Rack::overdue(const Scoreboard& board, SimTime now, Duration min_rtt, Duration srtt,
                      bool recovering) const {
  if (!valid_) return SimTime::never();
  const Duration more = of_linux_ ? Duration::zero() : window(board, min_rtt, srtt, recovering);
  return now - (rtt_ + more);
}

Duration Rack::detect(Scoreboard& board, SimTime now, Duration min_rtt, Duration srtt, bool recovering,
                      bool& found) {
  advanced_ = false;
  if (!valid_) return Duration::zero();
  const Duration patience = rtt_ + window(board, min_rtt, srtt, recovering);
  Duration longest = Duration::zero();
  for (std::optional<Scoreboard::Index> i = board.oldest_sent(); i;) {
    const SentSegment& segment = board.at(*i);
    if (!sent_after(sent_, end_, segment.sent, segment.end)) break;
    const Duration remaining = segment.sent + patience - now;
    const std::optional<Scoreboard::Index> next = board.newer_than(*i);
    if (remaining <= Duration::zero()) {
      board.mark_lost(*i);
      found = true;
    } else if (!of_linux_) {
      return remaining;
    } else {
      longest = std::max(longest, remaining);
    }
    i = next;
  }
  return longest > Duration::zero() ? longest + kLinuxTimer : longest;
}

}  // namespace simcore

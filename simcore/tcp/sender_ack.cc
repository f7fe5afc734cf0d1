// SPDX-License-Identifier: MIT
//
// TcpSender, the part that hears: acknowledgements, loss detection, recovery, and the congestion window.
#include <algorithm>

#include "simcore/tcp/header_options.h"
#include "simcore/tcp/sender.h"

namespace simcore {

namespace {

constexpr Duration kReneging = Duration::ms(10);

}  // namespace

// What one acknowledgement says, collected on the way.
struct TcpSender::Delivery {
  struct Sent {
    SimTime earliest = SimTime::never();
    SimTime latest = SimTime::zero();

    bool any() const { return earliest != SimTime::never(); }
    void take(SimTime sent) {
      earliest = std::min(earliest, sent);
      latest = std::max(latest, sent);
    }
  };

  std::int64_t prior_una = 0;
  std::int64_t prior_pipe = 0;
  std::int64_t prior_outstanding = 0;
  std::int64_t acked = 0;
  std::int64_t delivered = 0;
  std::int64_t credited = 0;  // `delivered`, as the window counts it
  std::int64_t sacked = 0;
  std::int64_t duplicates = 0;  // segments that a D-SACK block reports
  bool duplicate_ack = false;
  bool original_acked = false;        // one that was sent once, and before the present recovery
  bool retransmission_acked = false;  // one that was sent again, cumulatively
  Sent acked_once;                    // of those that were sent once, cumulatively
  Sent sacked_once;                   // and by SACK
  bool may_be_delayed = false;        // FLAG_ACK_MAYBE_DELAYED
  std::optional<Duration> rtt;        // of the latest
};

void TcpSender::on_ack(SimTime now, const Ack& ack) {
  Delivery delivery;
  delivery.prior_una = snd_una_;
  delivery.prior_pipe = pipe();
  delivery.prior_outstanding = outstanding_in_window();
  newly_lost_ = 0;
  if (ack.position >= snd_una_) {
    unanswered_probes_ = 0;
    heard_at_ = now;
  }
  echoed_ = ack.ecn_echo && ecn_;
  if (echoed_) undo_window_ = false;  // tcp_fastretrans_alert, step A

  rack_.begin_ack();
  const bool window_changed = update_window(ack);
  if (sack_) take_sack(now, ack, delivery);
  if (ack.position > snd_una_) take_cumulative(now, ack, delivery);
  if (delivery.acked == 0) count_duplicate(ack, window_changed, delivery);
  // The peer is alive and has no room: RFC 9293 section 3.8.6.1.
  if (window_ == 0 && !options_.timers_of_linux) retries_ = 0;

  take_rtt(now, ack, delivery);
  if (const auto prior = rate_.prior_delivered()) rack_.widen(*prior, rate_.delivered());
  const bool told = delivery.delivered > 0 || delivery.duplicates > 0 || delivery.acked > 0;
  const bool as_linux = options_.recovery_of_linux && rack_tlp_ && options_.undo;
  if (told && !as_linux) detect_losses(now);
  check_tail_probe(now, ack, delivery);
  const bool reducing = state_ == RecoveryState::recovery || state_ == RecoveryState::reduced;
  // The receiver took its word back, it seems: it has some time to say so (tcp_check_sack_reneging).
  const bool reneged = as_linux && delivery.acked > 0 && !board_.empty() && board_.at(board_.first()).sacked;
  if (reneged) {
    held_ = true;
  } else if (as_linux) {
    judge_as_linux(now, ack, delivery, told);
  } else if (!try_undo(ack, delivery) && !judge_timeout(delivery)) {
    change_state(now, ack, delivery, false);
  }
  tell_losses(now);
  // With nothing outstanding it tells nothing of the path: that of a request after an idle time, say (tcp_ack: no_queue).
  if (delivery.prior_outstanding > 0) move_window(now, delivery, reducing && state_ == RecoveryState::open);

  if (board_.empty()) {
    timeout_at_ = SimTime::never();
    tail_probe_at_ = SimTime::never();
    reorder_at_ = SimTime::never();
    if (delivery.prior_outstanding == 0 && ack.position == snd_una_) probe_answered(now);
  } else if (reneged) {
    timeout_at_ = now + std::max(rtt_.srtt() / 2, kReneging);
    tail_probe_at_ = SimTime::never();
    reorder_at_ = SimTime::never();
  } else if (delivery.acked > 0) {
    arm_timeout(now);
    arm_tail_probe(now, timeout_at_);
  } else if (delivery.sacked > 0) {
    tail_probe_at_ = SimTime::never();
    // Linux: what was sent before the first was sent again shows that the path still delivers (tcp_clean_rtx_queue).
    const bool of_before = delivery.sacked_once.earliest < board_.at(board_.first()).sent;
    if (as_linux && of_before && reorder_at_ == SimTime::never()) arm_timeout(now);
  }
}

// SND.WND, from the latest segment only: RFC 9293 section 3.10.7.4. Says whether it changed.
bool TcpSender::update_window(const Ack& ack) {
  if (ack.position < snd_una_) return false;
  const bool later = ack.seq > window_seq_ || (ack.seq == window_seq_ && ack.position >= window_ack_);
  if (!later) return false;
  const bool changed = ack.window != window_;
  window_ = ack.window;
  largest_window_ = std::max(largest_window_, window_);
  if (mss_for_window() != congestion_.mss) set_mss(mss_for_window());
  window_seq_ = ack.seq;
  window_ack_ = ack.position;
  return changed;
}

void TcpSender::take_sack(SimTime now, const Ack& ack, Delivery& delivery) {
  for (std::size_t i = 0; i < ack.sack.size(); ++i) {
    const PositionRange block = ack.sack[i];
    // RFC 2883: a first block below the acknowledgement, or within the second block, reports a duplicate.
    const bool below = block.left < ack.position;
    const bool within =
        i == 0 && ack.sack.size() > 1 && block.left >= ack.sack[1].left && block.right <= ack.sack[1].right;
    if (i == 0 && (below || within)) {
      note_duplicate_reported(block, ack, delivery);
      continue;
    }
    if (block.right <= block.left || block.right > snd_nxt_ || block.left <= snd_una_) continue;
    board_.sack(block.left, block.right, [&](const SentSegment& segment) {
      delivery.sacked += segment.length();
      note_delivered(now, ack, segment, true, delivery);
    });
  }
}

// What a D-SACK tells, unless it cannot be: more than any window, or than was ever sent again (tcp_check_dsack,
// tcp_dsack_seen). It counts for the undoing when it is of what was sent since the reduction.
void TcpSender::note_duplicate_reported(const PositionRange& block, const Ack& ack, Delivery& delivery) {
  const std::int64_t length = block.right - block.left;
  if (length <= 0 || length > largest_window_) return;
  ++counters_.dsacks_received;
  const std::int64_t segments = (length + congestion_.mss - 1) / congestion_.mss;
  reported_duplicates_ += segments;
  if (reported_duplicates_ > static_cast<std::int64_t>(counters_.retransmitted_segments)) return;
  delivery.duplicates = segments;
  const bool of_probe = segments == 1 && tail_probe_end_ != 0 && tail_probe_end_ == block.right;
  if (!of_probe) rack_.duplicate_reported();
  const bool counts = undo_from_ > 0 && unconfirmed_retransmissions_ > 0;
  if (counts && block.right > undo_from_ && block.right <= std::max(ack.position, snd_nxt_)) {
    unconfirmed_retransmissions_ = std::max<std::int64_t>(0, unconfirmed_retransmissions_ - segments);
  }
}

void TcpSender::take_cumulative(SimTime now, const Ack& ack, Delivery& delivery) {
  delivery.acked = ack.position - snd_una_;
  board_.acknowledge(ack.position, [&](const SentSegment& segment) {
    if (segment.ever_retransmitted) delivery.retransmission_acked = true;
    if (!segment.sacked) note_delivered(now, ack, segment, false, delivery);
  });
  // Without SACK nothing tells that what was sent once arrived before what was sent again (tcp_clean_rtx_queue).
  if (!sack_ && options_.recovery_of_linux && delivery.retransmission_acked) delivery.original_acked = false;
  snd_una_ = ack.position;
  buffer_.release(snd_una_);
  retries_ = 0;
  retrying_since_.reset();
  progress_since_timeout_ = true;
  if (!options_.backoff_until_sample) rtt_.forget_backoff();
  if (sack_) return;
  // Of what is acknowledged one segment filled the gap; the others had answered with duplicates.
  const std::int64_t acked = counts_segments_ ? delivery.credited : delivery.acked;
  const std::int64_t answered =
      std::min(duplicate_credit_, std::max<std::int64_t>(0, acked - congestion_.mss));
  delivery.delivered -= std::min(answered, delivery.delivered);
  delivery.credited -= std::min(answered, delivery.credited);
  duplicate_credit_ = state_ == RecoveryState::recovery ? duplicate_credit_ - answered : 0;
  duplicate_credit_ = std::min(duplicate_credit_, most_credit());
  if (state_ == RecoveryState::open || state_ == RecoveryState::reduced) duplicate_acks_ = 0;
}

// Linux believes the echo only of what is acknowledged cumulatively (tcp_skb_spurious_retrans).
void TcpSender::note_delivered(SimTime now, const Ack& ack, const SentSegment& segment, bool by_sack,
                               Delivery& delivery) {
  delivery.delivered += segment.length();
  delivery.credited += share_of_window(segment);
  rate_.on_delivered(segment, now);
  const bool echo_tells = !by_sack || !options_.recovery_of_linux;
  const bool echo_is_older = echo_tells && ack.echoed && *ack.echoed + kTimestampTick <= segment.sent;
  if (rack_tlp_) rack_.delivered(segment, now, min_rtt_.smallest(), echo_is_older);
  if (segment.ever_retransmitted) return;
  delivery.original_acked = delivery.original_acked || segment.end <= recover_;
  (by_sack ? delivery.sacked_once : delivery.acked_once).take(segment.sent);
}

// RFC 5681 section 2, RFC 6675 section 2.
void TcpSender::count_duplicate(const Ack& ack, bool window_changed, Delivery& delivery) {
  if (board_.empty() || !ack.without_data || ack.position != snd_una_) return;
  const bool duplicate = sack_ ? delivery.sacked > 0 : !window_changed;
  if (!duplicate) return;
  delivery.duplicate_ack = true;
  ++counters_.duplicate_acks;
  ++duplicate_acks_;
  if (sack_ || state_ == RecoveryState::loss) return;
  duplicate_credit_ = std::min(duplicate_credit_ + congestion_.mss, most_credit());
  delivery.delivered = delivery.credited = congestion_.mss;
}

// RFC 6298 section 3: never from a segment that was sent twice, unless timestamps tell which was answered. Linux takes
// nothing cumulative then at all, as what was sent once waited for it (tcp_clean_rtx_queue, tcp_ack_update_rtt).
void TcpSender::take_rtt(SimTime now, const Ack& ack, Delivery& delivery) {
  const bool as_linux = options_.recovery_of_linux;
  const Delivery::Sent none;
  const Delivery::Sent& acked = as_linux && delivery.retransmission_acked ? none : delivery.acked_once;
  const Delivery::Sent& sacked = delivery.sacked_once;
  if (acked.any() || sacked.any()) {
    const SimTime earliest =
        as_linux && acked.any() ? acked.earliest : std::min(acked.earliest, sacked.earliest);
    rtt_.sample(now - earliest, snd_una_, snd_nxt_);
    delivery.rtt = now - std::max(acked.latest, sacked.latest);
  } else if (delivery.acked > 0 && ack.echoed) {
    Duration rtt = std::max(now - *ack.echoed, kTimestampTick);
    if (as_linux) delivery.rtt = rtt = kTimestampTick * (rtt / kTimestampTick);
    rtt_.sample(rtt, snd_una_, snd_nxt_);
  } else {
    return;
  }
  rtt_.forget_backoff();
  delivery.may_be_delayed = delivery.acked > 0 && delivery.acked < congestion_.mss && delivery.sacked == 0 &&
                            !echoed_ && rate_.prior_delivered() &&
                            *rate_.prior_delivered() + delivery.acked == rate_.delivered();
  if (delivery.rtt &&
      !(delivery.may_be_delayed && min_rtt_.has_sample() && *delivery.rtt > min_rtt_.smallest())) {
    min_rtt_.sample(now, *delivery.rtt);
  }
}

void TcpSender::detect_losses(SimTime now) {
  const std::int64_t before = board_.lost_segments();
  reorder_at_ = SimTime::never();
  if (rack_tlp_) {
    bool found = false;
    const Duration wait = rack_.detect(board_, now, min_rtt_.smallest(), rtt_.srtt(), recovering(), found);
    if (wait > Duration::zero()) reorder_at_ = now + wait;
  } else if (sack_) {
    board_.mark_lost_by_threshold();
  }
  newly_lost_ += std::max<std::int64_t>(0, board_.lost_segments() - before);
}

void TcpSender::tell_losses(SimTime now) {
  if (!control_->hears_losses()) return;
  for (const LostSegment& segment : board_.take_losses()) {
    control_->on_lost(
        {.now = now, .total_delivered = rate_.delivered(), .selective = sack_, .segment = segment},
        congestion_);
  }
}

// RFC 8985 section 7.4: did the probe repair a loss? Then the window is reduced as for any loss.
void TcpSender::check_tail_probe(SimTime now, const Ack& ack, const Delivery& delivery) {
  if (tail_probe_end_ == 0 || ack.position < tail_probe_end_) return;
  const bool repaired = tail_probe_repeated_ && delivery.duplicates == 0 && ack.position > tail_probe_end_;
  const bool undecided = tail_probe_repeated_ && delivery.duplicates == 0 &&
                         ack.position == tail_probe_end_ && delivery.acked > 0;
  if (undecided) return;
  tail_probe_end_ = 0;
  const bool reduces =
      state_ == RecoveryState::open || (options_.window_of_linux && state_ == RecoveryState::reduced);
  if (!repaired || !reduces) return;
  enter_reduced(CongestionEvent::loss, now);
  // Nothing is outstanding of what was sent before, so Linux has it done with at once (tcp_process_tlp_ack).
  if (options_.window_of_linux) end_recovery(now);
}

// `window`: the window is given back too. Linux gives back at least three quarters of the window as ssthresh
// (tcp_current_ssthresh).
void TcpSender::remember_for_undo(bool window) {
  if (!options_.undo) return;
  undo_from_ = snd_una_;
  undo_window_ = window;
  undo_cwnd_ = congestion_.cwnd;
  undo_ssthresh_ = options_.window_of_linux ? current_ssthresh() : congestion_.ssthresh;
  if (!options_.recovery_of_linux || board_.retransmissions_in_flight() == 0) first_retransmission_.reset();
  // What is on its way as a retransmission may be reported too, a tail probe even when all is taken for lost (tcp_init_undo).
  const std::int64_t probes = tail_probe_end_ != 0 && tail_probe_repeated_ ? 1 : 0;
  unconfirmed_retransmissions_ = std::max(board_.retransmissions_in_flight(), probes);
  if (unconfirmed_retransmissions_ == 0) unconfirmed_retransmissions_ = -1;
}

std::int64_t TcpSender::current_ssthresh() const {
  const bool reducing = state_ == RecoveryState::recovery || state_ == RecoveryState::reduced;
  if (reducing) return congestion_.ssthresh;
  return std::max(congestion_.ssthresh, congestion_.cwnd / 2 + congestion_.cwnd / 4);
}

// RFC 3522 and 4015 (timestamps: an acknowledgement of new data answers the original), RFC 3708 (every retransmission was
// reported as a duplicate). Timestamps tell it within the recovery, D-SACKs until the next reduction, as in Linux
// (tcp_try_undo_partial, tcp_try_undo_loss, tcp_try_undo_dsack); after a timeout only with progress.
bool TcpSender::try_undo(const Ack& ack, const Delivery& delivery) {
  if (undo_from_ == 0 || !first_retransmission_) return false;
  const bool original_answered = recovering() && delivery.acked > 0 && ack.echoed &&
                                 *ack.echoed + kTimestampTick <= *first_retransmission_;
  const bool heard = delivery.duplicates > 0 || (recovering() && delivery.acked > 0);
  const bool all_duplicates =
      heard && unconfirmed_retransmissions_ == 0 && (state_ != RecoveryState::loss || delivery.acked > 0);
  if (!original_answered && !all_duplicates) return false;
  undo(true);
  return true;
}

// Linux takes back first, and then judges what is lost; what it has taken back may be so, and begins a recovery anew
// (tcp_fastretrans_alert).
void TcpSender::judge_as_linux(SimTime now, const Ack& ack, const Delivery& delivery, bool told) {
  held_ = false;
  if (state_ == RecoveryState::open && board_.retransmissions_in_flight() == 0) first_retransmission_.reset();
  const bool undone = try_undo_as_linux(ack, delivery);
  if (held_) return;
  const std::int64_t before = board_.retransmissions_in_flight();
  if (told && rack_.tells_more()) detect_losses(now);
  const bool lost_again = board_.retransmissions_in_flight() < before;
  if (undone || !judge_timeout(delivery)) change_state(now, ack, delivery, lost_again);
}

// At the end of a recovery either proof counts (tcp_try_undo_recovery). Within it the word of timestamps waits until no
// retransmission is on its way: until then nothing more is sent again (tcp_try_undo_partial). D-SACKs count within it and
// after it (tcp_try_undo_dsack), and leave what is marked as lost.
bool TcpSender::try_undo_as_linux(const Ack& ack, const Delivery& delivery) {
  if (undo_from_ == 0) return false;
  const bool delayed =
      delivery.acked > 0 &&
      (!first_retransmission_ || (ack.echoed && *ack.echoed + kTimestampTick <= *first_retransmission_));
  const bool reported = unconfirmed_retransmissions_ == 0;
  switch (state_) {
    case RecoveryState::reduced:
      return false;
    case RecoveryState::loss:
      if (delivery.acked == 0 || (!delayed && !reported)) return false;
      undo(true);
      return true;
    case RecoveryState::recovery:
      if (snd_una_ < recover_ && delayed) {
        held_ = board_.retransmissions_in_flight() > 0;
        if (!held_) undo(true);
        return !held_;
      }
      if (!reported && !(delayed && snd_una_ >= recover_)) return false;
      if (snd_una_ < recover_) rack_.undone_late();
      undo(false);
      return true;
    case RecoveryState::open:
      if (!reported) return false;
      rack_.undone_late();
      undo(false);
      return true;
  }
  return false;
}

// F-RTO (RFC 5682 sections 2.1 and 3.1), after a timeout. Says whether that was needless, and is undone.
bool TcpSender::judge_timeout(const Delivery& delivery) {
  if (frto_ == Frto::off) return false;
  if (state_ != RecoveryState::loss) {
    frto_ = Frto::off;
    return false;
  }
  // Linux takes the first answer for step 3b, too.
  const bool proven = delivery.original_acked && (options_.recovery_of_linux || frto_ == Frto::sent_new);
  if (proven) {  // step 3b: what was thought to be lost had arrived
    ++counters_.spurious_timeouts;
    undo(true);
    return true;
  }
  if (frto_ == Frto::sent_again) {
    if (delivery.acked == 0) {
      if (delivery.duplicate_ack && !sack_) frto_ = Frto::off;  // step 2a
      return false;
    }
    const bool new_data = buffer_.end() > snd_nxt_ && room_in_window() > 0;
    frto_ = snd_una_ < recover_ && new_data ? Frto::sent_new : Frto::off;
    frto_limit_ = snd_nxt_ + 2 * congestion_.mss;
    return false;
  }
  if (delivery.duplicate_ack || delivery.sacked > 0 || delivery.acked > 0) {  // step 3a
    frto_ = Frto::off;
    if (options_.recovery_of_linux) return false;
    if (!control_->owns_window()) congestion_.cwnd = std::max(congestion_.cwnd, 3 * congestion_.mss);
    retransmit_now_ = true;
  }
  return false;
}

// What the loss that was none did to the window is taken back, and with it the word of it (tcp_undo_cwnd_reduction).
void TcpSender::undo(bool forget_losses) {
  forget_undo();
  frto_ = Frto::off;
  ++counters_.undone;
  if (undo_window_) {
    congestion_.cwnd = std::max(congestion_.cwnd, undo_cwnd_);
    congestion_.ssthresh = std::max(congestion_.ssthresh, undo_ssthresh_);
    cwr_due_ = false;
    episode_end_ = 0;
  }
  if (forget_losses) board_.forget_losses();
  rack_.judge_again();
  retransmit_now_ = false;
  duplicate_acks_ = 0;
  duplicate_credit_ = 0;
  if (!options_.recovery_of_linux) rtt_.forget_backoff();
  state_ = RecoveryState::open;
  control_->on_undo(congestion_);
}

// `lost_again`: this acknowledgement told that a retransmission was lost; in Linux's recovery.
void TcpSender::change_state(SimTime now, const Ack& ack, const Delivery& delivery, bool lost_again) {
  const bool ended = snd_una_ >= recover_;
  switch (state_) {
    case RecoveryState::reduced:
      if (snd_una_ > recover_) end_recovery(now);
      break;
    case RecoveryState::recovery:
      if (ended || (options_.recovery == LossRecovery::reno && !sack_ && delivery.acked > 0)) {
        end_recovery(now);
      } else if (!sack_ && delivery.acked > 0) {
        // RFC 6582 section 3.2, step 3: a partial acknowledgement tells the next loss.
        if (!board_.at(board_.first()).lost) {
          board_.mark_lost(board_.first());
          ++newly_lost_;
        }
        retransmit_now_ = true;
      }
      break;
    case RecoveryState::loss:
      if (ended) end_recovery(now);
      break;
    case RecoveryState::open:
      break;
  }
  // What was sent again after a timeout and is lost again is another congestion for Linux (FLAG_LOST_RETRANS).
  const bool anew = state_ == RecoveryState::loss && lost_again;
  if (state_ != RecoveryState::open && state_ != RecoveryState::reduced && !anew) return;
  const bool by_count = !sack_ && delivery.duplicate_ack && duplicate_acks_ == options_.duplicate_threshold;
  // RFC 6582 section 4.1: duplicates of what was sent again after a timeout are not a sign of loss.
  const bool careful = options_.recovery == LossRecovery::reno || snd_una_ > recover_ || recover_ == 0;
  if ((by_count && careful) || (sack_ && board_.next_lost())) {
    enter_recovery(now);
  } else if (ack.ecn_echo && ecn_ && state_ == RecoveryState::open && snd_una_ > episode_end_) {
    ++counters_.ecn_reductions;
    enter_reduced(CongestionEvent::ecn_echo, now);
  }
}

void TcpSender::reduce(CongestionEvent event, SimTime now) {
  const std::int64_t flight = std::min(congestion_.cwnd, outstanding_in_window());
  congestion_.ssthresh = control_->reduced(event, congestion_, flight, now);
  if (counts_segments_) {
    congestion_.ssthresh -= congestion_.ssthresh % congestion_.mss;
  }
  // RFC 3168 section 6.1.2: CWR says that the window was reduced, for whatever reason (tcp_init_cwnd_reduction).
  cwr_due_ = ecn_;
  episode_end_ = snd_nxt_;
}

void TcpSender::enter_recovery(SimTime now) {
  ++counters_.fast_recoveries;
  const bool already_reduced = state_ == RecoveryState::reduced;
  remember_for_undo(!already_reduced && !echoed_);
  if (!already_reduced) reduce(CongestionEvent::loss, now);
  // Linux: the reduction that is under way keeps its end (tcp_enter_recovery).
  if (!already_reduced || !options_.window_of_linux) recover_ = snd_nxt_;
  retransmit_now_ = true;
  sent_again_up_to_ = snd_una_;
  rescued_ = false;
  frto_ = Frto::off;
  tail_probe_at_ = SimTime::never();
  if (options_.recovery == LossRecovery::tahoe) {
    state_ = RecoveryState::loss;
    congestion_.cwnd = congestion_.mss;
    board_.mark_timed_out();
    duplicate_acks_ = 0;
    duplicate_credit_ = 0;
    return;
  }
  state_ = RecoveryState::recovery;
  if (!already_reduced) prr_.start(options_.window_of_linux ? congestion_.cwnd : outstanding());
  if (!sack_) {
    board_.mark_lost(board_.first());
    duplicate_credit_ = std::min(duplicate_credit_, most_credit());
    ++newly_lost_;
  }
}

// RFC 3168 section 6.1.2: once per window of data, and nothing is sent again.
void TcpSender::enter_reduced(CongestionEvent event, SimTime now) {
  forget_undo();
  reduce(event, now);
  state_ = RecoveryState::reduced;
  recover_ = snd_nxt_;
  prr_.start(options_.window_of_linux ? congestion_.cwnd : outstanding());
}

void TcpSender::end_recovery(SimTime now) {
  const RecoveryState ended = state_;
  state_ = RecoveryState::open;
  duplicate_acks_ = 0;
  duplicate_credit_ = 0;
  if (ended == RecoveryState::recovery && rack_tlp_) rack_.recovery_ended();
  if (ended != RecoveryState::loss && !control_->owns_window()) congestion_.cwnd = congestion_.ssthresh;
  control_->on_recovery_end(congestion_, now, ended == RecoveryState::loss);
}

void TcpSender::move_window(SimTime now, const Delivery& delivery, bool recovery_ended) {
  AckSample sample;
  sample.now = now;
  sample.acked = delivery.acked;
  sample.delivered = delivery.delivered;
  if (echoed_) sample.marked = delivery.delivered;
  sample.lost = newly_lost_;
  sample.in_flight = pipe();
  sample.prior_in_flight = delivery.prior_pipe;
  sample.snd_una = snd_una_;
  sample.snd_nxt = snd_nxt_;
  sample.rtt = delivery.rtt;
  sample.srtt = rtt_.srtt();
  const bool doubling = congestion_.slow_start() &&
                        congestion_.cwnd < 2 * std::max(most_outstanding_, delivery.prior_outstanding);
  sample.window_full = limited_at_ > delivery.prior_una;
  sample.window_limited = sample.window_full || doubling;
  sample.recovering = state_ == RecoveryState::recovery || state_ == RecoveryState::reduced;
  sample.after_timeout = state_ == RecoveryState::loss;
  sample.selective = sack_;
  sample.total_delivered = rate_.delivered();
  sample.rate = rate_.take(min_rtt_.smallest(), board_.lost_bytes());
  sample.ack_may_be_delayed = delivery.may_be_delayed;

  control_->observe(sample);
  if (control_->owns_window()) {
    control_->on_ack(sample, congestion_);
    if (control_->starves()) rate_.mark_application_limited(pipe());
  } else if (sample.recovering) {
    shrink_window(delivery.credited, delivery.acked > 0);
  } else if (options_.window_of_linux) {
    // What SACK told before does not count again. Only where much is reordered does it count at once (tcp_may_raise_cwnd).
    const bool reordered = rack_tlp_ && rack_.reordering() > options_.duplicate_threshold * congestion_.mss;
    sample.acked = delivery.credited;
    if (delivery.acked > 0 || (reordered && delivery.sacked > 0)) control_->on_ack(sample, congestion_);
  } else if (delivery.acked > 0 && !recovery_ended) {
    control_->on_ack(sample, congestion_);
  }
}

// What may be sent in a recovery, or while the window is reduced (tcp_cwnd_reduction).
void TcpSender::shrink_window(std::int64_t delivered, bool advanced) {
  const std::int64_t mss = congestion_.mss;
  if (!options_.prr) {
    congestion_.cwnd = congestion_.ssthresh;
  } else if (!options_.window_of_linux) {
    congestion_.cwnd = prr_.window(delivered, pipe(), congestion_.ssthresh, 1, mss);
  } else if (delivered > 0) {
    const bool safe = advanced && newly_lost_ == 0;
    congestion_.cwnd = prr_.window(delivered, in_use(), congestion_.ssthresh, mss, safe ? mss : 0);
    if (prr_.nothing_sent()) congestion_.cwnd = std::max(congestion_.cwnd, in_use() + mss);
  }
  congestion_.cwnd = std::max(congestion_.cwnd, mss);
}

}  // namespace simcore

// SPDX-License-Identifier: MIT
//
// TcpSender, the part that sends: new data, retransmissions, probes, and the timers.
#include "simcore/tcp/sender.h"

#include <algorithm>

#include "simcore/tcp/train_size.h"

namespace simcore {

namespace {

constexpr std::int64_t kNoLimit = std::int64_t{1} << 40;
constexpr Duration kWorstAckDelay = Duration::ms(200);  // TLP.max_ack_delay of RFC 8985 section 7.2
constexpr std::int64_t kMostData = 65'415;              // bytes: an IP datagram less its headers
constexpr Duration kCloseBehind = Duration::ms(1);
constexpr Duration kSmallestTimeout = Duration::ms(200);  // TCP_RTO_MIN
constexpr std::int64_t kMostRetries = 1'000'000;
constexpr std::uint32_t kOrphanRetries = 8;  // tcp_orphan_retries, with net.ipv4.tcp_orphan_retries = 0

// Of a connection whose application is gone, when it has come to this wait (tcp_orphan_retries).
std::uint32_t orphan_retries(Duration wait, Duration longest) { return wait < longest ? kOrphanRetries : 0; }

// How long so many retries take that begin with the smallest timeout (tcp_model_timeout).
Duration time_of_retries(std::uint32_t retries, Duration largest) {
  Duration sum = Duration::zero();
  Duration timeout = kSmallestTimeout;
  for (std::int64_t left = std::int64_t{retries} + 1; left > 0; --left) {
    if (timeout >= largest) return sum + largest * std::min(left, kMostRetries);
    sum += timeout;
    timeout = timeout * 2;
  }
  return sum;
}

// Bytes per second: what the congestion control asks for, and no more than the application allows. None: unpaced.
std::optional<double> pacing_rate(const CongestionControl& control, const TcpOptions& options) {
  const std::optional<double> wanted = control.pacing_rate();
  if (!options.max_pacing_rate) return wanted;
  const double most = static_cast<double>(options.max_pacing_rate->bits_per_second()) / 8;
  return std::min(wanted.value_or(most), most);
}

}  // namespace

const char* name_of(RecoveryState state) {
  switch (state) {
    case RecoveryState::open:
      return "open";
    case RecoveryState::reduced:
      return "reduced";
    case RecoveryState::recovery:
      return "recovery";
    case RecoveryState::loss:
      return "loss";
  }
  return "unknown";
}

TcpSender::TcpSender(const TcpOptions& options)
    : options_(options),
      nagle_(options.nagle),
      buffer_(1, options.send_buffer),
      board_(options.duplicate_threshold),
      rtt_(options.rto),
      rack_(options.duplicate_threshold, options.recovery_of_linux),
      control_(CongestionControl::make(options)),
      congestion_{options.initial_window * options.mss, options.initial_ssthresh, options.mss} {
  if (control_->hears_losses()) board_.list_losses();
}

void TcpSender::establish(SimTime now, const Agreement& agreement) {
  established_ = true;
  sack_ = agreement.sack;
  ecn_ = agreement.ecn;
  rack_tlp_ = options_.rack_tlp && sack_;
  counts_segments_ = options_.window_of_linux && !control_->owns_window();
  window_ = largest_window_ = agreement.window;
  full_mss_ = agreement.mss;
  congestion_.mss = mss_for_window();
  // RFC 5681 section 3.1: after a lost SYN one segment is the initial window. With the initial timeout of a second Linux
  // forgives one, and all that were needless (tcp_init_transfer, tcp_try_undo_spurious_syn).
  const bool forgiven = options_.start_of_linux && (agreement.syn_retries == 1 || agreement.syn_in_time);
  const std::int64_t segments = agreement.syn_retries > 0 && !forgiven ? 1 : options_.initial_window;
  congestion_.cwnd = options_.congestion == CongestionAlgorithm::none ? kNoLimit : segments * congestion_.mss;
  if (agreement.rtt) {
    rtt_.sample(*agreement.rtt, snd_una_, snd_nxt_);
    min_rtt_.sample(now, *agreement.rtt);
  } else if (agreement.syn_retries > 0 || options_.start_of_linux) {  // tcp_init_metrics
    rtt_.start_data_at_least(Duration::seconds(3));
  }
  last_sent_ = heard_at_ = now;
}

std::optional<TcpSender::Outgoing> TcpSender::next(SimTime now) {
  if (!established_ || gave_up_) return std::nullopt;
  if (window_probe_due_) return window_probe();
  if (tail_probe_due_) {
    tail_probe_due_ = false;
    if (auto probe = tail_probe(now)) return probe;
  }
  waiting_for_release_ = now < release_at_;
  if (waiting_for_release_) return std::nullopt;
  if (frto_ == Frto::sent_new) {
    if (snd_nxt_ < frto_limit_) {
      if (auto outgoing = send_new(now)) return outgoing;
    }
    if (snd_nxt_ > recover_) return std::nullopt;  // what it answers is awaited
    frto_ = Frto::off;                             // nothing new can be sent after all
  }
  if (board_.next_lost()) return retransmit(now, retransmit_now_);
  retransmit_now_ = false;
  if (auto outgoing = send_new(now)) return outgoing;
  return rescue(now);
}

// tcp_rate_check_app_limited, but for what waits in the queue of the host's link.
void TcpSender::before_write() {
  const bool little = buffer_.end() - snd_nxt_ < congestion_.mss;
  if (little && in_use() < congestion_.cwnd && !board_.next_lost()) rate_.mark_application_limited(pipe());
}

// How far the peer's window reaches beyond what was sent.
std::int64_t TcpSender::room_in_window() const {
  return std::max<std::int64_t>(0, snd_una_ + window_ - snd_nxt_);
}

TcpSender::Outgoing TcpSender::window_probe() {
  window_probe_due_ = false;
  ++counters_.window_probes;
  return Outgoing{.start = snd_una_ - 1,
                  .length = 0,
                  .segment_payload = 0,
                  .segments = 1,
                  .fin = false,
                  .push = false,
                  .retransmission = false,
                  .cwr = false,
                  .ect = false};
}

// RFC 8985 section 7.3: a segment of new data, or else the last one again.
std::optional<TcpSender::Outgoing> TcpSender::tail_probe(SimTime now) {
  if (board_.empty()) return std::nullopt;
  ++counters_.tail_probes;
  const std::int64_t segment = std::min(buffer_.end() - snd_nxt_, congestion_.mss);
  const bool with_fin = options_.window_of_linux && fin_queued_ && snd_nxt_ + segment == buffer_.end();
  std::int64_t data = std::min(segment, room_in_window());
  if (options_.window_of_linux && segment + (with_fin ? 1 : 0) > room_in_window())
    data = 0;  // tcp_snd_wnd_test
  std::optional<Outgoing> probe;
  tail_probe_repeated_ = data <= 0;
  if (data > 0) {
    probe = transmit(now, data, false);
  } else {
    const SentSegment& last = board_.at(board_.end() - 1);
    if (last.sacked || last.lost) return std::nullopt;
    board_.mark_to_repeat(board_.end() - 1);
    probe = retransmit(now, true);
  }
  tail_probe_end_ = snd_nxt_;
  tail_probe_at_ = SimTime::never();
  arm_timeout(now);
  return probe;
}

// Sends the lowest lost segment again, and those that left with it, are lost too, and fit into the window
// (tcp_xmit_retransmit_queue: each of the buffers that were sent is sent again by itself).
std::optional<TcpSender::Outgoing> TcpSender::retransmit(SimTime now, bool whatever_the_window) {
  const Scoreboard::Index first = *board_.next_lost();
  if (held_ && !whatever_the_window) return std::nullopt;
  const std::int64_t allowed = congestion_.cwnd - in_use();
  const std::int64_t mss = congestion_.mss;
  // One that was sent before the MSS became smaller may be larger than the window: it waits only for what is on its way.
  if (!whatever_the_window && share_of_window(board_.at(first)) > allowed && in_use() > 0) {
    // Linux looks at it when it would send new data only (tcp_cwnd_validate).
    if (unsent() > 0 || !options_.window_of_linux) limited_at_ = snd_nxt_;
    return std::nullopt;
  }
  retransmit_now_ = false;
  const std::int64_t longest = longest_train();
  std::int64_t share = 0;
  std::int64_t count = 0;
  for (Scoreboard::Index i = first; i != board_.end(); ++i) {
    const SentSegment& segment = board_.at(i);
    if (!segment.lost || segment.retransmission_in_flight) break;
    share += share_of_window(segment);
    const bool fits = share <= allowed && count < longest && segment.length() - (segment.fin ? 1 : 0) <= mss;
    if (count > 0 && !(segment.continues && fits)) break;
    ++count;
    if (segment.length() != mss) break;
  }
  return send_again(now, first, count);
}

// RFC 6675 section 4, NextSeg, when nothing is known to be lost and nothing new may be sent. Rule 3: a segment below the
// highest that is SACKed, though too few are SACKed above it to say that it is lost. Rule 4: once in a recovery, the
// highest that is not SACKed, whose loss nothing after it could tell; unless it was sent again already.
std::optional<TcpSender::Outgoing> TcpSender::rescue(SimTime now) {
  if (!options_.next_seg_rescue || !sack_ || rack_tlp_ || state_ != RecoveryState::recovery)
    return std::nullopt;
  if (board_.empty() || congestion_.cwnd - pipe() < congestion_.mss) return std::nullopt;
  const Scoreboard::Index candidate =
      board_.next_unsacked(board_.index_from(std::max(sent_again_up_to_, snd_una_)));
  if (candidate != board_.end() && board_.at(candidate).start < board_.highest_sacked()) {
    ++counters_.rescues;
    return send_again(now, candidate, 1);
  }
  if (rescued_) return std::nullopt;
  rescued_ = true;
  Scoreboard::Index last = board_.end() - 1;
  while (last != board_.first() && board_.at(last).sacked) --last;
  if (board_.at(last).sacked || board_.at(last).retransmission_in_flight) return std::nullopt;
  ++counters_.rescues;
  const std::int64_t before = sent_again_up_to_;
  Outgoing outgoing = send_again(now, last, 1);
  sent_again_up_to_ = before;
  return outgoing;
}

// Sends `count` segments from `first` on again, as one object; all but the last are full.
TcpSender::Outgoing TcpSender::send_again(SimTime now, Scoreboard::Index first, std::int64_t count) {
  const std::int64_t mss = congestion_.mss;
  std::int64_t bytes = 0;
  std::int64_t share = 0;
  bool fin = false;
  const Scoreboard::Index behind = first + static_cast<Scoreboard::Index>(count);
  if (in_use() == 0) tell_of_start(now);
  for (Scoreboard::Index i = first; i != behind; ++i) {
    SentSegment& segment = board_.at(i);
    rate_.on_sent(segment, now, pipe(), board_.lost_bytes());
    bytes += segment.length();
    share += share_of_window(segment);
    fin = segment.fin;
    sent_again_up_to_ = std::max(sent_again_up_to_, segment.end);
    board_.mark_retransmitted(i, now);
  }
  // What is not sent again now is another object from now on (tcp_fragment).
  board_.at(first).continues = false;
  if (behind != board_.end()) board_.at(behind).continues = false;
  prr_.on_sent(share);
  counters_.retransmitted_segments += static_cast<std::uint64_t>(count);
  unconfirmed_retransmissions_ = std::max<std::int64_t>(0, unconfirmed_retransmissions_) + count;
  if (!first_retransmission_) first_retransmission_ = now;
  if (first == board_.first() || timeout_at_ == SimTime::never()) arm_timeout(now);
  pace(now, bytes);
  last_sent_ = now;

  const std::int64_t start = board_.at(first).start;
  const std::int64_t payload = bytes - (fin ? 1 : 0);
  return Outgoing{
      .start = start,
      .length = payload,
      .segment_payload = std::min(payload, mss),
      .segments = static_cast<std::uint16_t>(std::max<std::int64_t>(1, (payload + mss - 1) / mss)),
      .fin = fin,
      .push = board_.at(behind - 1).push || pushes_train(count),
      .retransmission = true,
      .cwr = false,
      .ect = false};
}

std::optional<TcpSender::Outgoing> TcpSender::send_new(SimTime now) {
  const std::int64_t data = buffer_.end() - snd_nxt_;
  const bool fin_waits = fin_queued_ && !fin_sent();
  if (data <= 0 && !fin_waits) return std::nullopt;
  // A closed window keeps the idle time for when it opens (tcp_ack_update_window).
  if (board_.empty() && room_in_window() > 0) restart_after_idle(now);
  const std::int64_t to_limit = frto_ == Frto::sent_new ? frto_limit_ - snd_nxt_ : kNoLimit;
  const std::int64_t window = std::min(room_in_window(), to_limit);
  // Without limited transmit (RFC 3042) a duplicate acknowledgement makes no room before recovery begins.
  const bool hold = !options_.limited_transmit && state_ == RecoveryState::open;
  std::int64_t allowed = congestion_.cwnd - (hold ? outstanding() : in_use());
  // Linux does not hold the last segment back (tcp_cwnd_test).
  if (options_.window_of_linux && fin_waits && data <= congestion_.mss)
    allowed = std::max(allowed, congestion_.mss);
  const std::int64_t chunk = data > 0 ? sendable(data, window, allowed) : 0;
  const bool fin = fin_waits && chunk == std::max<std::int64_t>(data, 0) && window > chunk;
  if (chunk > 0 ? worth_waiting(now, data, window, allowed) : !fin) {
    if (allowed < std::min({data, window, congestion_.mss * longest_train()})) limited_at_ = snd_nxt_;
    if (board_.empty()) arm_persist(now);
    return std::nullopt;
  }
  persist_at_ = SimTime::never();
  persist_backoff_ = 0;
  const Outgoing outgoing = transmit(now, chunk, fin);
  send_short_ = false;
  // Linux: a window that is just filled limits, too (tcp_write_xmit).
  if (options_.window_of_linux && congestion_.cwnd - in_use() < congestion_.mss) limited_at_ = snd_nxt_;
  if (snd_una_ >= most_outstanding_until_ || outstanding_in_window() > most_outstanding_) {
    most_outstanding_ = outstanding_in_window();
    most_outstanding_until_ = snd_nxt_;
  }
  return outgoing;
}

// How much of `data` may go out now: whole segments, and a short one where nothing speaks against it.
std::int64_t TcpSender::sendable(std::int64_t data, std::int64_t window, std::int64_t allowed) const {
  const std::int64_t mss = congestion_.mss;
  const auto slots =
      static_cast<std::int64_t>(options_.segments_in_flight) - static_cast<std::int64_t>(board_.size());
  if (slots <= 0) return 0;
  const std::int64_t segments = std::min({slots, longest_train(), longest_of_window()});
  const std::int64_t room = counts_segments_ ? allowed / mss * mss : allowed;
  const std::int64_t limit = std::min({data, window, room, segments * mss});
  if (limit <= 0) return 0;
  const std::int64_t whole = limit / mss * mss;
  const std::int64_t rest = limit - whole;
  if (rest == 0) return whole;
  if (limit == data) return fits(data, window) && short_may_go(whole) ? limit : whole;
  if (limit < window) return whole;
  // The peer's window cuts a segment short. Alone it goes only when it is large for this peer (RFC 9293 section
  // 3.8.6.2.1), in Linux never (tcp_snd_wnd_test); but there it goes with full segments (tcp_mss_split_point).
  if (!options_.window_of_linux)
    return whole == 0 && (send_short_ || rest * 2 >= largest_window_) ? rest : whole;
  const bool goes = whole == 0 ? send_short_ : short_may_go(whole);
  return goes ? limit : whole;
}

// Does the last segment fit into the peer's window? In Linux its FIN must, too (tcp_snd_wnd_test).
bool TcpSender::fits(std::int64_t data, std::int64_t window) const {
  const bool with_fin = options_.window_of_linux && fin_queued_ && data <= congestion_.mss;
  return send_short_ || data + (with_fin ? 1 : 0) <= window;
}

// May a short segment go behind `whole` bytes of full ones?
bool TcpSender::short_may_go(std::int64_t whole) const {
  return fin_queued_ || nagle_ == Nagle::off || (board_.empty() && whole == 0) ||
         (nagle_ == Nagle::minshall && small_sent_ <= snd_una_);
}

// With trains on, a small piece is kept back while it may become a longer train, as tcp_tso_should_defer in Linux (since
// commit 295ce1eb36ae): a third of the window never waits, and others only while something left within the last
// millisecond and an acknowledgement is expected soon.
bool TcpSender::worth_waiting(SimTime now, std::int64_t data, std::int64_t window,
                              std::int64_t allowed) const {
  const std::int64_t mss = congestion_.mss;
  if (options_.longest_train == 1 || data <= mss || recovering() || board_.empty()) return false;
  if (now - std::max(last_sent_, release_at_) > kCloseBehind) return false;
  const SimTime next_ack = board_.at(board_.first()).sent + rtt_.srtt();
  if (next_ack - now > std::min(rtt_.srtt() / 2, kCloseBehind)) return false;
  const std::int64_t longest = longest_train() * mss;
  const std::int64_t limit = std::min(window, allowed / mss * mss);
  if (longest == mss || limit >= std::min({longest, window_ / 3, congestion_.cwnd / 3})) return false;
  return limit <= data || !fin_queued_;
}

std::int64_t TcpSender::longest_train() const {
  if (options_.longest_train == 1) return 1;
  std::int64_t most = kMostData;
  if (options_.size_trains_by_rate) most = bound_to_half_window(most);  // tcp_xmit_size_goal
  const std::int64_t fit = std::max<std::int64_t>(most / congestion_.mss, 1);
  const std::int64_t longest = std::min<std::int64_t>(options_.longest_train, fit);
  std::optional<double> rate = pacing_rate(*control_, options_);
  if (!rate && options_.size_trains_by_rate && rtt_.has_sample() && rtt_.srtt() > Duration::zero()) {
    rate = rate_of_window(congestion_.cwnd, congestion_.ssthresh, rtt_.srtt());
  }
  return rate ? train_segments(*rate, min_rtt_.smallest(), congestion_.mss, longest) : longest;
}

// Linux keeps at least two objects of new data in flight (tcp_cwnd_test).
std::int64_t TcpSender::longest_of_window() const {
  if (!options_.size_trains_by_rate) return kNoLimit;
  return std::max<std::int64_t>(congestion_.cwnd / congestion_.mss / 2, 1);
}

TcpSender::Outgoing TcpSender::transmit(SimTime now, std::int64_t length, bool fin) {
  const std::int64_t mss = congestion_.mss;
  const std::int64_t start = snd_nxt_;
  const std::int64_t end = start + length;
  const std::int64_t count = std::max<std::int64_t>(1, (length + mss - 1) / mss);
  if (in_use() == 0) tell_of_start(now);
  for (std::int64_t at = start; at < end || (at == end && fin);) {
    const std::int64_t cut = std::min(at + mss, end);
    const bool last = cut == end;
    const std::int64_t in_flight = pipe();
    SentSegment& segment = board_.append(at, cut + (last && fin ? 1 : 0), last && fin, now);
    rate_.on_sent(segment, now, in_flight, board_.lost_bytes());
    segment.continues = at != start;
    if (last) break;
    at = cut;
  }
  if (length % mss != 0) small_sent_ = end;
  snd_nxt_ = end + (fin ? 1 : 0);
  prr_.on_sent(counts_segments_ ? count * mss : length);
  counters_.segments_sent += static_cast<std::uint64_t>(count);
  last_sent_ = now;
  pace(now, length);
  if (timeout_at_ == SimTime::never()) arm_timeout(now);
  // Linux: before the first times out, counted from when it was sent (tcp_rto_delta_us).
  const SimTime latest = board_.at(board_.first()).sent + rtt_.rto();
  arm_tail_probe(now,
                 options_.recovery_of_linux && latest > now ? std::min(latest, timeout_at_) : timeout_at_);

  const bool half_window = options_.push_of_linux && end - pushed_ > largest_window_ / 2;
  const bool by_timer = options_.push_of_linux && send_short_;  // tcp_write_wakeup
  const bool push = length > 0 && (end == buffer_.end() || half_window || by_timer);
  if (push) pushed_ = end;
  board_.at(board_.end() - 1).push = push;
  const bool cwr = cwr_due_ && length > 0;
  if (cwr) cwr_due_ = false;
  return Outgoing{.start = start,
                  .length = length,
                  .segment_payload = std::min(length, mss),
                  .segments = static_cast<std::uint16_t>(count),
                  .fin = fin,
                  .push = push || pushes_train(count),
                  .retransmission = false,
                  .cwr = cwr,
                  .ect = ecn_ && length > 0};
}

// RFC 5681 section 4.1: after a timeout's time without sending the window is at most the initial one. Linux halves it for
// each timeout that passed, and slow start leads back to three quarters of what it was (tcp_cwnd_restart).
void TcpSender::restart_after_idle(SimTime now) {
  if (!options_.restart_after_idle || !rested(now) || control_->owns_window()) return;
  if (restarted_after_ == last_sent_) return;  // it was for this idle time, and nothing could be sent since
  restarted_after_ = last_sent_;
  const std::int64_t initial = std::min(congestion_.cwnd, options_.initial_window * congestion_.mss);
  if (!options_.start_of_linux) {
    congestion_.cwnd = initial;
    return;
  }
  congestion_.ssthresh = current_ssthresh();
  std::int64_t segments = congestion_.cwnd / congestion_.mss;
  Duration left = now - last_sent_ - rtt_.rto();
  while (left > Duration::zero() && segments * congestion_.mss > initial) {
    segments /= 2;
    left = left - rtt_.rto();
  }
  congestion_.cwnd = std::max(segments * congestion_.mss, initial);
}

void TcpSender::resume(SimTime now, std::int64_t segments) {
  if (state_ != RecoveryState::open) return;
  congestion_.cwnd = congestion_.ssthresh = std::max<std::int64_t>(segments, 1) * congestion_.mss;
  control_ = CongestionControl::make(options_);
  forget_undo();
  last_sent_ = now;
}

// With nothing in flight; Linux: tcp_event_data_sent.
void TcpSender::tell_of_start(SimTime now) {
  control_->on_sending_starts({.now = now,
                               .idle = now - last_sent_,
                               .srtt = rtt_.has_sample() ? rtt_.srtt() : Duration::zero(),
                               .rested = rested(now),
                               .application_limited = rate_.application_limited()},
                              congestion_);
}

void TcpSender::pace(SimTime now, std::int64_t bytes) {
  const auto rate = pacing_rate(*control_, options_);
  if (!rate) return;
  const auto wait = static_cast<std::int64_t>(static_cast<double>(bytes) / *rate * 1e9);
  release_at_ = std::max(now, release_at_) + Duration::ns(wait);
}

// RFC 8985 section 7.2; no later than `latest`.
void TcpSender::arm_tail_probe(SimTime now, SimTime latest) {
  tail_probe_at_ = SimTime::never();
  if (!rack_tlp_ || board_.empty() || recovering() || board_.sacked_segments() > 0) return;
  if (tail_probe_end_ != 0) return;
  Duration wait = Duration::seconds(1);
  if (rtt_.has_sample()) {
    wait = rtt_.srtt() * 2;
    if (options_.recovery_of_linux) {  // tcp_schedule_loss_probe
      wait += board_.size() == 1 ? options_.rto.minimum_rto : kLinuxTimer;
    } else {
      wait = std::max(wait, Duration::ms(2)) + (board_.size() == 1 ? kWorstAckDelay : Duration::zero());
    }
  }
  tail_probe_at_ = std::min(now + wait, latest);
}

void TcpSender::arm_persist(SimTime now) {
  if (persist_at_ != SimTime::never()) return;
  if (options_.timers_of_linux) persist_backoff_ = 0;  // tcp_check_probe_timer
  persist_at_ = now + probe_wait();
}

// Linux: tcp_probe0_when.
Duration TcpSender::probe_wait() const {
  const bool of_linux = options_.timers_of_linux;
  Duration wait = of_linux ? std::max(rtt_.rto(), options_.persist_minimum) : rtt_.rto_without_backoff();
  for (int i = 0; i < persist_backoff_ && wait < options_.persist_maximum; ++i) wait = wait * 2;
  return std::clamp(wait, options_.persist_minimum, options_.persist_maximum);
}

SimTime TcpSender::deadline() const {
  const SimTime release = waiting_for_release_ ? release_at_ : SimTime::never();
  return std::min({timeout_at_, tail_probe_at_, reorder_at_, persist_at_, release});
}

void TcpSender::expire(SimTime now) {
  if (now >= std::min({reorder_at_, tail_probe_at_, timeout_at_})) held_ = false;
  if (now >= reorder_at_) {
    reorder_at_ = SimTime::never();
    const std::int64_t before = pipe();
    detect_losses(now);
    // Linux begins one also while it repairs what a timeout lost (tcp_rack_reo_timeout).
    const bool anew = options_.recovery_of_linux && state_ == RecoveryState::loss && pipe() < before;
    if (board_.next_lost() && (!recovering() || anew)) {
      enter_recovery(now);
      // Nothing was delivered, yet the reduction begins, as for one segment (tcp_rack_reo_timeout).
      const bool shrinks = state_ == RecoveryState::recovery && !control_->owns_window();
      if (shrinks) shrink_window(options_.window_of_linux ? congestion_.mss : 0, false);
    }
    tell_losses(now);
  }
  if (now >= tail_probe_at_) {
    tail_probe_at_ = SimTime::never();
    tail_probe_due_ = true;
    arm_timeout(now);
  }
  if (now >= timeout_at_) on_timeout(now);
  if (now >= persist_at_) on_persist(now);
}

void TcpSender::on_persist(SimTime now) {
  persist_at_ = SimTime::never();
  if (options_.timers_of_linux && (!board_.empty() || stream_end() <= snd_nxt_)) return;
  if (too_many_probes()) {
    gave_up_ = true;
    return;
  }
  ++unanswered_probes_;
  if (persist_backoff_ < 32) ++persist_backoff_;
  send_short_ = room_in_window() > 0;
  window_probe_due_ = !send_short_;
  persist_at_ = now + probe_wait();
}

// With nothing outstanding, what an acknowledgement opens ends the back-off, and one that opens nothing begins the wait for the
// next probe anew (tcp_ack_probe).
void TcpSender::probe_answered(SimTime now) {
  if (!options_.timers_of_linux || stream_end() <= snd_nxt_) return;
  if (room_in_window() >= std::min(stream_end() - snd_nxt_, congestion_.mss)) {
    persist_at_ = SimTime::never();
    persist_backoff_ = 0;
  } else if (persist_at_ != SimTime::never()) {
    persist_at_ = now + probe_wait();
  }
}

// Those that are answered go on for ever (RFC 1122 section 4.2.2.17), but not of one whose application is gone
// (tcp_probe_timer).
bool TcpSender::too_many_probes() const {
  if (!options_.timers_of_linux || !orphan_) return unanswered_probes_ >= options_.data_retries;
  const Duration longest = std::min(options_.rto.maximum_rto, options_.persist_maximum);
  return unanswered_probes_ >= orphan_retries(probe_wait(), longest);
}

// RFC 6298 section 5.4 to 5.6, RFC 5681 section 3.1 at its end.
void TcpSender::on_timeout(SimTime now) {
  timeout_at_ = SimTime::never();
  if (board_.empty()) return;
  if (too_many_timeouts(now)) {
    gave_up_ = true;
    return;
  }
  ++counters_.timeouts;
  // RFC 5682 section 2.1: not within another recovery, unless nothing at all was heard since its timeout. After an echo
  // nothing was sent again, so it is none (tcp_enter_loss: new_recovery).
  const bool fresh = state_ == RecoveryState::open || state_ == RecoveryState::reduced || retries_ > 1;
  frto_ = options_.frto && fresh ? Frto::sent_again : Frto::off;
  board_.mark_timed_out(rack_tlp_ ? rack_.overdue(board_, now, min_rtt_.smallest(), rtt_.srtt(), recovering())
                                  : SimTime::never());
  // Once per loss: a timeout of a retransmission, or in a recovery, leaves ssthresh as it is (tcp_enter_loss).
  if (state_ == RecoveryState::open || snd_una_ >= recover_ ||
      (state_ == RecoveryState::loss && progress_since_timeout_)) {
    remember_for_undo(true);
    reduce(CongestionEvent::timeout, now);
  }
  tell_losses(now);
  cwr_due_ = ecn_;
  episode_end_ = snd_nxt_;
  progress_since_timeout_ = false;
  duplicate_acks_ = 0;
  duplicate_credit_ = 0;
  // What RACK leaves in flight comes on top in Linux (tcp_enter_loss).
  congestion_.cwnd = congestion_.mss + (options_.recovery_of_linux ? in_use() : 0);
  state_ = RecoveryState::loss;
  recover_ = snd_nxt_;
  retransmit_now_ = true;
  tail_probe_end_ = 0;
  tail_probe_at_ = SimTime::never();
  reorder_at_ = SimTime::never();
  rtt_.back_off();
  arm_timeout(now);
}

// RFC 9293 section 3.8.3, R2. Linux counts no timeouts, but the time since the first (tcp_write_timeout). Where the peer has
// closed its window upon what was sent, what is sent again is a probe; the connection ends when nothing was heard for twice the
// largest timeout (tcp_rtx_probe0_timed_out).
bool TcpSender::too_many_timeouts(SimTime now) {
  if (!options_.timers_of_linux) return ++retries_ > options_.data_retries;
  if (window_ == 0 && !orphan_) {
    const SimTime since = retrying_since_.value_or(board_.at(board_.first()).sent);
    retrying_since_ = retrying_since_.value_or(now);
    const Duration patience = options_.rto.maximum_rto * 2;
    return now - heard_at_ > patience && now - since > patience;
  }
  retrying_since_ = retrying_since_.value_or(now);
  if (retries_++ == 0) return false;
  const std::uint32_t most =
      orphan_ ? orphan_retries(rtt_.rto(), options_.rto.maximum_rto) : options_.data_retries;
  return now - *retrying_since_ >= time_of_retries(most, options_.rto.maximum_rto);
}

void TcpSender::take_back_timeout(SimTime now, std::int64_t position) {
  if (position != snd_una_ || retries_ == 0 || rtt_.backoff() == 0 || timeout_at_ == SimTime::never()) return;
  const Duration before = rtt_.rto();
  rtt_.take_back_off();
  timeout_at_ = std::max(now, timeout_at_ - (before - rtt_.rto()));
}

// What is larger than half of the largest window that the peer ever offered, or than all of a tiny one, is of no use
// (tcp_bound_to_half_wnd).
std::int64_t TcpSender::bound_to_half_window(std::int64_t bytes) const {
  constexpr std::int64_t kTiny = 536;  // TCP_MSS_DEFAULT
  constexpr std::int64_t kLeast = 48;  // 68 bytes (RFC 791 section 3.2) less a header of TCP
  const std::int64_t bound = largest_window_ > kTiny ? largest_window_ / 2 : largest_window_;
  return bound > 0 && bytes > bound ? std::max(bound, kLeast) : bytes;
}

std::int64_t TcpSender::mss_for_window() const {
  return options_.window_of_linux ? bound_to_half_window(full_mss_) : full_mss_;
}

// Windows count segments, so what they hold changes with them.
void TcpSender::set_mss(std::int64_t mss) {
  const auto resized = [&](std::int64_t window) {
    return std::max<std::int64_t>(window / congestion_.mss, 1) * mss;
  };
  congestion_.cwnd = resized(congestion_.cwnd);
  undo_cwnd_ = resized(undo_cwnd_);
  most_outstanding_ = resized(most_outstanding_);
  if (options_.window_of_linux) {
    if (congestion_.ssthresh < kNoLimit) congestion_.ssthresh = resized(congestion_.ssthresh);
    if (undo_ssthresh_ < kNoLimit) undo_ssthresh_ = resized(undo_ssthresh_);
  }
  congestion_.mss = mss;
}

void TcpSender::reduce_mss(std::int64_t mss) {
  full_mss_ = std::min(full_mss_, mss);
  if (mss >= congestion_.mss) return;
  set_mss(mss);
  const std::int64_t before = board_.lost_segments();
  for (Scoreboard::Index i = board_.first(); i != board_.end(); ++i) {
    if (board_.at(i).length() > mss && !board_.at(i).sacked) board_.mark_to_repeat(i);
  }
  if (board_.lost_segments() == before) return;
  retransmit_now_ = true;
  // What was too large says nothing of congestion: it is sent again without a smaller window, and nothing of it is undone
  // (Linux: tcp_simple_retransmit in net/ipv4/tcp_input.c). A timeout after that does reduce the window.
  if (state_ == RecoveryState::loss) return;
  state_ = RecoveryState::loss;
  recover_ = snd_nxt_;
  forget_undo();
  frto_ = Frto::off;
  progress_since_timeout_ = true;
  tail_probe_at_ = SimTime::never();
}

}  // namespace simcore

// SPDX-License-Identifier: MIT
//
// TcpConnection, the part that takes: what happens when a segment arrives, in the order of RFC 9293 section 3.10.7,
// with the stricter rules of RFC 5961 for resets, SYNs and acknowledgements, and RFC 7323 for timestamps.
//
// What is not acceptable is answered in one of three ways, as in Linux (tcp_validate_incoming):
//
//   nothing            a reset outside of the window; with `checks_of_linux` an acknowledgement of what was not sent
//   acknowledgement    an old timestamp, or outside of the window: answer_unacceptable(), with a D-SACK of what it brought again
//   challenge          RFC 5961: a SYN, a reset that is not exact, an acknowledgement of the far past: challenge()
//
// Empty segments are answered no faster than a rate limit allows, so that two ends never answer each other for ever; what
// brings data is always answered (tcp_oow_rate_limited).
#include <algorithm>
#include <array>

#include "simcore/tcp/connection.h"

namespace simcore {

namespace {

constexpr Duration kPawsLife = Duration::seconds(24 * 24 * 3600);  // RFC 7323 section 5.5
// Of answers to what is not acceptable: RFC 5961 section 7; Linux: net.ipv4.tcp_invalid_ratelimit.
constexpr Duration kAnswersWindow = Duration::seconds(5);
constexpr std::uint32_t kAnswersPerWindow = 10;
constexpr Duration kAnswersWindowOfLinux = Duration::ms(500);
constexpr std::uint32_t kAnswersPerWindowOfLinux = 1;
constexpr std::int64_t kPawsTolerance = 1;  // tick: Linux's TCP_PAWS_WINDOW

bool earlier(std::uint32_t a, std::uint32_t b) { return static_cast<std::int32_t>(a - b) < 0; }

}  // namespace

void TcpConnection::on_segment(SimTime now, const TcpSegment& segment) {
  counters_.segments_received += segment.segments;
  if (segment.length > 0 || segment.has(TcpFlag::fin)) counters_.data_segments_received += segment.segments;
  if (segment.has(TcpFlag::syn) && segment.has(TcpFlag::fin)) {
    ++counters_.malformed_segments;
    return;
  }
  switch (state_) {
    case TcpState::closed:
      return;
    case TcpState::listen:
      return arrives_in_listen(now, segment);
    case TcpState::syn_sent:
      return arrives_in_syn_sent(now, segment);
    default:
      break;
  }
  const std::int64_t position = unwrap(segment.seq, receiver_.initial(), receiver_.rcv_nxt());
  if (state_ == TcpState::time_wait && options_.checks_of_linux) {
    return arrives_in_time_wait(now, segment, position);
  }
  if (!passes_checks(now, segment, position)) return;
  last_heard_ = now;
  keepalive_unanswered_ = 0;
  if (!take_ack(now, segment, position)) return;
  note_timestamp(now, segment, position);  // not of one whose acknowledgement cannot be (tcp_ack)
  take_payload(now, segment, position);
}

void TcpConnection::arrives_in_listen(SimTime now, const TcpSegment& segment) {
  if (segment.has(TcpFlag::rst)) return;
  if (segment.has(TcpFlag::ack)) {
    owe_reset(segment.ack);
    return;
  }
  if (!segment.has(TcpFlag::syn)) return;
  agree(segment);
  state_ = TcpState::syn_received;
  syn_due_ = true;
  syn_sent_at_ = now;
  syn_retries_ = 0;
  syn_answered_again_ = false;
  syn_retry_at_ = now + options_.rto.initial_rto;
}

void TcpConnection::arrives_in_syn_sent(SimTime now, const TcpSegment& segment) {
  const bool has_ack = segment.has(TcpFlag::ack);
  if (has_ack && segment.ack != initial_send_ + 1) {
    // Of an earlier connection, which our reset ends: the next SYN need not wait (tcp_rcv_synsent_state_process).
    if (options_.checks_of_linux && syn_retries_ == 0) syn_retry_at_ = now + kLinuxTimer;
    if (!segment.has(TcpFlag::rst)) owe_reset(segment.ack);
    return;
  }
  if (has_ack && options_.checks_of_linux && echoes_no_syn_of_ours(now, segment)) {
    if (!segment.has(TcpFlag::rst)) owe_reset(segment.ack);
    return;
  }
  if (segment.has(TcpFlag::rst)) {
    if (has_ack) end(TcpError::refused);
    return;
  }
  if (!segment.has(TcpFlag::syn)) return;
  agree(segment);
  if (has_ack) {
    establish(now, segment, segment.window);
    // Linux: who waits for the connection has written nothing yet (tcp_rcv_synsent_state_process).
    receiver_.owe_ack(options_.start_of_linux);
    return;
  }
  // Simultaneous open: RFC 9293 section 3.5, figure 7.
  state_ = TcpState::syn_received;
  syn_due_ = true;
}

// PAWS of who opens: the echo is of a time before our first SYN, or not yet.
bool TcpConnection::echoes_no_syn_of_ours(SimTime now, const TcpSegment& segment) const {
  if (!options_.timestamps || !segment.options.timestamps || segment.options.timestamps->echo == 0) {
    return false;
  }
  const std::uint32_t echo = segment.options.timestamps->echo;
  return earlier(echo, timestamp(syn_sent_at_)) || earlier(timestamp(now), echo);
}

// tcp_timewait_state_process: an acknowledgement at RCV.NXT tells nothing, and a reset there is the end; all else is answered,
// as the peer may not have heard our last acknowledgement. What is heard begins the time anew, unless it may be a new SYN.
void TcpConnection::arrives_in_time_wait(SimTime now, const TcpSegment& segment, std::int64_t position) {
  const bool is_reset = segment.has(TcpFlag::rst);
  const bool stamped = timestamps_ && segment.options.timestamps;
  const bool old = stamped && earlier(segment.options.timestamps->value, recent_timestamp_);
  const bool empty = segment.sequence_length() == 0;
  if (!old && position == receiver_.rcv_nxt() && (empty || is_reset)) {
    if (is_reset) return end(TcpError::none);
    quiet_at_ = now + options_.time_wait;
    if (stamped) recent_timestamp_ = segment.options.timestamps->value;
    return;
  }
  ++counters_.unacceptable_segments;
  if (is_reset) return;
  if (old || segment.has(TcpFlag::ack)) quiet_at_ = now + options_.time_wait;
  if ((empty || segment.has(TcpFlag::syn)) && !may_answer(now)) return;
  receiver_.owe_ack(true);
}

// What the peer's SYN offers and our options take.
void TcpConnection::agree(const TcpSegment& syn) {
  receiver_.start(syn.seq);
  mss_ = std::min<std::int64_t>(options_.mss, syn.options.mss ? *syn.options.mss : kDefaultMss);
  mss_ = std::min(mss_, path_mss_);
  mss_ = std::max<std::int64_t>(mss_, 64);  // a smaller one would be an attack: CVE-2019-11479
  sack_ = options_.sack && syn.options.sack_permitted;
  timestamps_ = options_.timestamps && syn.options.timestamps;
  scaling_ = options_.window_scaling && syn.options.window_scale;
  send_scale_ = scaling_ ? std::min(*syn.options.window_scale, kLargestScale) : std::uint8_t{0};
  const bool offered = syn.has(TcpFlag::ack) ? syn.has(TcpFlag::ece) && !syn.has(TcpFlag::cwr)
                                             : syn.has(TcpFlag::ece) && syn.has(TcpFlag::cwr);
  ecn_ = options_.asks_for_ecn() && offered;
  if (timestamps_) recent_timestamp_ = syn.options.timestamps->value;
}

// Whether the segment is to be processed further: sequence number, RST, SYN, timestamp, ACK bit.
bool TcpConnection::passes_checks(SimTime now, const TcpSegment& segment, std::int64_t position) {
  const std::int64_t length = segment.sequence_length();
  const bool is_reset = segment.has(TcpFlag::rst);
  if (timestamps_ && !is_reset && !passes_timestamp(now, segment, position)) return false;

  if (is_reset) {
    take_reset(now, position);
    return false;
  }
  if (segment.has(TcpFlag::syn)) {
    if (state_ == TcpState::syn_received && position == 0) {
      if (!segment.has(TcpFlag::ack)) {
        take_syn_again(now, segment, position);
        return false;
      }
      return true;  // the other half of a simultaneous open
    }
    challenge(now);
    return false;
  }
  if (!acceptable(position, length)) {
    ++counters_.unacceptable_segments;
    if (segment.has(TcpFlag::fin) && state_ == TcpState::time_wait) quiet_at_ = now + options_.time_wait;
    if (!synchronized()) return false;
    answer_unacceptable(now, segment, position);
    // An old segment may bring a new acknowledgement.
    const bool old_data = segment.length > 0 && position < receiver_.rcv_nxt();
    if (old_data && segment.has(TcpFlag::ack) && !options_.checks_of_linux) take_ack(now, segment, position);
    return false;
  }
  if (!segment.has(TcpFlag::ack)) {
    ++counters_.malformed_segments;
    return false;
  }
  return true;
}

// The peer has not heard our answer. Linux echoes its first SYN still, and waits anew (tcp_check_req).
void TcpConnection::take_syn_again(SimTime now, const TcpSegment& segment, std::int64_t position) {
  if (!options_.checks_of_linux) {
    note_timestamp(now, segment, position);
  } else if (!may_answer(now)) {
    return;
  } else if (passive_) {
    syn_retry_at_ = now + syn_wait();
  }
  syn_due_ = true;
  syn_answered_again_ = true;
}

void TcpConnection::take_reset(SimTime now, std::int64_t position) {
  const std::int64_t next = receiver_.rcv_nxt();
  const std::int64_t first = options_.checks_of_linux ? std::min(last_ack_sent_, next) : next;
  if (is_reset_here(position)) {
    if (state_ == TcpState::syn_received && passive_) {
      listen();
      syn_due_ = false;
      syn_retry_at_ = SimTime::never();
    } else {
      end(state_ == TcpState::syn_received
              ? TcpError::refused
              : (state_ == TcpState::time_wait ? TcpError::none : TcpError::reset));
    }
  } else if (position >= first && position < std::max(receiver_.right_edge(), next + 1)) {
    challenge(now);
  } else {
    ++counters_.unacceptable_segments;
  }
}

// RFC 5961 section 3.2. Linux takes it at the end of the highest SACK block too, where a peer that lost segments may be, and
// one before RCV.NXT once the peer's FIN came, as some systems do not count it (tcp_validate_incoming, tcp_reset_check).
bool TcpConnection::is_reset_here(std::int64_t position) const {
  const std::int64_t next = receiver_.rcv_nxt();
  if (position == next) return true;
  if (!options_.checks_of_linux) return false;
  const bool closing =
      state_ == TcpState::close_wait || state_ == TcpState::last_ack || state_ == TcpState::closing;
  if (closing && position == next - 1) return true;
  const std::span<const Reassembly::Range> ranges = receiver_.stream().ranges();
  return sack_ && !ranges.empty() && position == ranges.back().right;
}

// RFC 9293 section 3.4, table 6; with a closed window what begins at RCV.NXT is still looked at for its acknowledgement.
// Linux: from what was acknowledged last to the edge, both included (tcp_sequence).
bool TcpConnection::acceptable(std::int64_t position, std::int64_t length) const {
  const std::int64_t next = receiver_.rcv_nxt();
  if (options_.checks_of_linux) {
    return position + length >= std::min(last_ack_sent_, next) &&
           position <= std::max(receiver_.right_edge(), next);
  }
  const std::int64_t edge = std::max(receiver_.right_edge(), next + 1);
  if (length == 0) return position >= next && (position < edge || position == next);
  return position < edge && position + length > next;
}

// RFC 7323 sections 4.3 and 5.3.
bool TcpConnection::passes_timestamp(SimTime now, const TcpSegment& segment, std::int64_t position) {
  if (!segment.options.timestamps) {
    if (options_.checks_of_linux) return true;  // it is judged by its sequence number alone
    ++counters_.malformed_segments;
    return false;
  }
  const std::int64_t behind =
      static_cast<std::int32_t>(recent_timestamp_ - segment.options.timestamps->value);  // ticks
  if (behind <= (options_.checks_of_linux ? kPawsTolerance : 0)) return true;
  if (now - recent_timestamp_at_ >= kPawsLife) return true;
  if (options_.checks_of_linux && is_disordered_ack(segment, position, behind)) return true;
  ++counters_.paws_drops;
  if (segment.has(TcpFlag::syn)) {
    challenge(now);
  } else {
    answer_unacceptable(now, segment, position);
  }
  return false;
}

// A pure acknowledgement that others overtook, and that says nothing new, is no old duplicate of an earlier incarnation
// (tcp_disordered_ack): it is within the time in which what is on its way may come, 1.2 RTO.
bool TcpConnection::is_disordered_ack(const TcpSegment& segment, std::int64_t position,
                                      std::int64_t ticks_behind) const {
  if (!synchronized() || !segment.has(TcpFlag::ack) || segment.sequence_length() > 0) return false;
  if (position != receiver_.rcv_nxt()) return false;
  if (unwrap(segment.ack, initial_send_, sender_.snd_una()) != sender_.snd_una()) return false;
  if (sender_.may_update_window(position, std::int64_t{segment.window} << send_scale_)) return false;
  return ticks_behind <= sender_.rtt().rto() * 12 / 10 / kTimestampTick;
}

// Rule R3: only of what is acceptable, and never backwards.
void TcpConnection::note_timestamp(SimTime now, const TcpSegment& segment, std::int64_t position) {
  if (!timestamps_ || !segment.options.timestamps || position > last_ack_sent_) return;
  const std::uint32_t value = segment.options.timestamps->value;
  if (earlier(value, recent_timestamp_) && now - recent_timestamp_at_ < kPawsLife) return;
  recent_timestamp_ = value;
  recent_timestamp_at_ = now;
}

// When the segment that this timestamp echoes was sent, to the tick.
std::optional<SimTime> TcpConnection::echoed(SimTime now, const TcpSegment& segment) const {
  if (!timestamps_ || !segment.options.timestamps) return std::nullopt;
  const std::uint32_t age = timestamp(now) - segment.options.timestamps->echo;
  const std::int64_t tick = now.count_ns() / 1'000'000 - static_cast<std::int64_t>(age);
  if (tick < 0) return std::nullopt;
  return SimTime::at_ns(tick * 1'000'000);
}

// Returns whether the rest of the segment is to be processed.
bool TcpConnection::take_ack(SimTime now, const TcpSegment& segment, std::int64_t position) {
  if (state_ == TcpState::syn_received) {
    if (segment.ack != initial_send_ + 1) {
      const std::int64_t acked = unwrap(segment.ack, initial_send_, 1);
      if (acked < 1 || acked > sender_.snd_nxt()) owe_reset(segment.ack);
      return false;
    }
    const bool on_syn = segment.has(TcpFlag::syn);
    establish(now, segment, std::int64_t{segment.window} << (on_syn ? 0 : send_scale_));
    if (on_syn) {
      receiver_.owe_ack(false);
      return false;
    }
  }
  const std::int64_t acked = unwrap(segment.ack, initial_send_, sender_.snd_una());
  // RFC 5961 section 5.2. Linux is silent about the future while it is established, and takes nothing for the past that is
  // before the beginning (tcp_ack, tcp_rcv_established).
  const std::int64_t past = sender_.snd_una() - sender_.largest_window() - 1;
  if (acked > sender_.snd_nxt() ||
      acked < (options_.checks_of_linux ? std::max<std::int64_t>(past + 1, 0) : past)) {
    const bool silent =
        options_.checks_of_linux && acked > sender_.snd_nxt() && state_ == TcpState::established;
    ++counters_.unacceptable_segments;
    if (!silent) challenge(now);
    return false;
  }
  soft_error_ = TcpError::none;
  if (state_ == TcpState::time_wait) return true;
  std::array<TcpSender::PositionRange, SackBlocks::kMost> ranges;
  std::size_t count = 0;
  if (sack_) {
    for (const SackBlock& block : segment.options.sack.used()) {
      const std::int64_t left = unwrap(block.left, initial_send_, sender_.snd_una());
      ranges[count++] = {left, left + static_cast<std::int32_t>(block.right.value() - block.left.value())};
    }
  }
  const TcpSender::Ack ack{.position = acked,
                           .seq = position,
                           .window = std::int64_t{segment.window} << send_scale_,
                           .without_data = segment.sequence_length() == 0,
                           .ecn_echo = segment.has(TcpFlag::ece),
                           .sack = {ranges.data(), count},
                           .echoed = echoed(now, segment)};
  sender_.on_ack(now, ack);
  if (sender_.fin_acknowledged()) after_fin_acknowledged(now);
  return state_ != TcpState::closed;
}

void TcpConnection::after_fin_acknowledged(SimTime now) {
  if (state_ == TcpState::fin_wait_1) {
    state_ = TcpState::fin_wait_2;
    if (released_) await_fin(now);
  } else if (state_ == TcpState::closing) {
    enter_time_wait(now);
  } else if (state_ == TcpState::last_ack) {
    end(TcpError::none);
  }
}

void TcpConnection::take_payload(SimTime now, const TcpSegment& segment, std::int64_t position) {
  if (segment.length == 0 && !segment.has(TcpFlag::fin)) return;
  const bool expects_data =
      state_ == TcpState::established || state_ == TcpState::fin_wait_1 || state_ == TcpState::fin_wait_2;
  if (!expects_data) {
    const std::int64_t end = position + segment.sequence_length();
    if (state_ != TcpState::time_wait && end <= receiver_.rcv_nxt()) receiver_.note_duplicate(position, end);
    receiver_.owe_ack(false);
    if (state_ == TcpState::time_wait) quiet_at_ = now + options_.time_wait;
    return;
  }
  // Also of a FIN behind data that did not come (tcp_rcv_state_process, tcp_timewait_state_process). There is no connection any
  // more, so the reset is as in CLOSED.
  if (released_ && position + segment.length > receiver_.rcv_nxt()) {
    end(TcpError::aborted);
    owe_reset(segment.ack);
    return;
  }
  if (const auto sent = echoed(now, segment)) receiver_.note_echo(now, *sent);
  receiver_.take(now, position, segment, sender_.rtt(), state_ != TcpState::established);
  if (receiver_.fin_received()) after_fin_received(now);
}

void TcpConnection::after_fin_received(SimTime now) {
  if (state_ == TcpState::established) {
    state_ = TcpState::close_wait;
  } else if (state_ == TcpState::fin_wait_1) {
    state_ = TcpState::closing;
  } else if (state_ == TcpState::fin_wait_2) {
    enter_time_wait(now);
  }
}

void TcpConnection::challenge(SimTime now) {
  if (!synchronized()) {
    if (state_ == TcpState::syn_received) syn_due_ = true;
    return;
  }
  if (!may_answer(now)) return;
  ++counters_.challenge_acks;
  receiver_.owe_ack(true);
}

// RFC 9293 section 3.10.7.4, and RFC 2883 section 4 for what came again, also when PAWS rejects it (tcp_send_dupack).
void TcpConnection::answer_unacceptable(SimTime now, const TcpSegment& segment, std::int64_t position) {
  if (!synchronized()) return;
  const std::int64_t length = segment.sequence_length();
  if (length == 0 && !may_answer(now)) return;
  if (length > 0 && position < receiver_.rcv_nxt()) {
    receiver_.note_duplicate(position, std::min(position + length, receiver_.rcv_nxt()));
  }
  receiver_.owe_ack(true);
}

// __tcp_oow_rate_limited.
bool TcpConnection::may_answer(SimTime now) {
  const bool of_linux = options_.checks_of_linux;
  if (!answers_since_ || now - *answers_since_ >= (of_linux ? kAnswersWindowOfLinux : kAnswersWindow)) {
    answers_since_ = now;
    answers_ = 0;
  }
  if (answers_ >= (of_linux ? kAnswersPerWindowOfLinux : kAnswersPerWindow)) {
    ++counters_.acks_skipped;
    return false;
  }
  ++answers_;
  return true;
}

void TcpConnection::owe_reset(SeqNum seq) {
  TcpSegment reset;
  reset.seq = seq;
  reset.flags = TcpFlag::rst;
  if (synchronized()) {
    reset.flags = reset.flags | TcpFlag::ack;
    reset.ack = receiver_.seq(receiver_.rcv_nxt());
    // RFC 7323 section 3.2; Linux: tcp_send_active_reset. Its value is that of the instant at which it is given.
    if (timestamps_) reset.options.timestamps = TcpTimestamps{0, recent_timestamp_};
  }
  reset_due_ = reset;
}

bool TcpConnection::may_be_reopened_by(const TcpSegment& syn) const {
  if (state_ != TcpState::time_wait || !syn.has(TcpFlag::syn) || syn.has(TcpFlag::ack)) return false;
  if (timestamps_ && syn.options.timestamps) {
    const std::uint32_t value = syn.options.timestamps->value;
    if (value != recent_timestamp_) return earlier(recent_timestamp_, value);
  }
  return after(syn.seq, receiver_.seq(receiver_.rcv_nxt()));
}

}  // namespace simcore

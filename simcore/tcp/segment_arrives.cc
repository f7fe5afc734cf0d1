// SPDX-License-Identifier: MIT
//
// TcpConnection, the part that takes: what happens when a segment arrives, in the order of RFC 9293 section 3.10.7,
// with the stricter rules of RFC 5961 for resets, SYNs and acknowledgements, and RFC 7323 for timestamps.
#include <algorithm>
#include <array>

#include "simcore/tcp/connection.h"

namespace simcore {

namespace {

constexpr Duration kPawsLife = Duration::seconds(24 * 24 * 3600);  // RFC 7323 section 5.5
// RFC 5961 section 7.
constexpr Duration kChallengeWindow = Duration::seconds(5);
constexpr std::uint32_t kChallengesPerWindow = 10;

bool earlier(std::uint32_t a, std::uint32_t b) { return static_cast<std::int32_t>(a - b) < 0; }

}  // namespace

void TcpConnection::on_segment(SimTime now, const TcpSegment& segment) {
  counters_.segments_received += segment.segments;
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
  if (!passes_checks(now, segment, position)) return;
  last_heard_ = now;
  keepalive_unanswered_ = 0;
  if (!take_ack(now, segment, position)) return;
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
  syn_retry_at_ = now + options_.rto.initial_rto;
}

void TcpConnection::arrives_in_syn_sent(SimTime now, const TcpSegment& segment) {
  const bool has_ack = segment.has(TcpFlag::ack);
  if (has_ack && segment.ack != initial_send_ + 1) {
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
    establish(now, segment.window);
    receiver_.owe_ack(false);
    return;
  }
  // Simultaneous open: RFC 9293 section 3.5, figure 7.
  state_ = TcpState::syn_received;
  syn_due_ = true;
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
  ecn_ = options_.ecn && offered;
  if (timestamps_) recent_timestamp_ = syn.options.timestamps->value;
}

// Whether the segment is to be processed further: sequence number, RST, SYN, timestamp, ACK bit.
bool TcpConnection::passes_checks(SimTime now, const TcpSegment& segment, std::int64_t position) {
  const std::int64_t length = segment.sequence_length();
  const bool is_reset = segment.has(TcpFlag::rst);
  if (timestamps_ && !is_reset && !passes_timestamp(now, segment, position)) return false;

  if (is_reset) {
    const bool inside = position >= receiver_.rcv_nxt() &&
                        position < std::max(receiver_.right_edge(), receiver_.rcv_nxt() + 1);
    if (!inside) {
      ++counters_.unacceptable_segments;
    } else if (position != receiver_.rcv_nxt()) {
      challenge(now);
    } else if (state_ == TcpState::syn_received && passive_) {
      listen();
      syn_due_ = false;
      syn_retry_at_ = SimTime::never();
    } else {
      end(state_ == TcpState::syn_received
              ? TcpError::refused
              : (state_ == TcpState::time_wait ? TcpError::none : TcpError::reset));
    }
    return false;
  }
  if (segment.has(TcpFlag::syn)) {
    if (state_ == TcpState::syn_received && position == 0) {
      if (!segment.has(TcpFlag::ack)) {
        syn_due_ = true;  // the peer has not heard our answer
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
    if (segment.length > 0 && position + segment.length <= receiver_.rcv_nxt()) {
      receiver_.take_duplicate(position, segment.length);
      // An old segment may bring a new acknowledgement.
      if (segment.has(TcpFlag::ack)) take_ack(now, segment, position);
    } else {
      challenge(now);
    }
    return false;
  }
  if (!segment.has(TcpFlag::ack)) {
    ++counters_.malformed_segments;
    return false;
  }
  return true;
}

// RFC 9293 section 3.4, table 6; with a closed window what begins at RCV.NXT is still looked at for its acknowledgement.
bool TcpConnection::acceptable(std::int64_t position, std::int64_t length) const {
  const std::int64_t next = receiver_.rcv_nxt();
  const std::int64_t edge = std::max(receiver_.right_edge(), next + 1);
  if (length == 0) return position >= next && (position < edge || position == next);
  return position < edge && position + length > next;
}

// RFC 7323 sections 4.3 and 5.3.
bool TcpConnection::passes_timestamp(SimTime now, const TcpSegment& segment, std::int64_t position) {
  if (!segment.options.timestamps) {
    ++counters_.malformed_segments;
    return false;
  }
  const std::uint32_t value = segment.options.timestamps->value;
  if (earlier(value, recent_timestamp_) && now - recent_timestamp_at_ < kPawsLife) {
    ++counters_.paws_drops;
    if (synchronized()) receiver_.owe_ack(true);
    return false;
  }
  if (position <= last_ack_sent_) {
    recent_timestamp_ = value;
    recent_timestamp_at_ = now;
  }
  return true;
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
    establish(now, std::int64_t{segment.window} << (on_syn ? 0 : send_scale_));
    if (on_syn) {
      receiver_.owe_ack(false);
      return false;
    }
  }
  const std::int64_t acked = unwrap(segment.ack, initial_send_, sender_.snd_una());
  if (acked > sender_.snd_nxt() || acked < sender_.snd_una() - sender_.largest_window() - 1) {
    challenge(now);  // RFC 5961 section 5.2
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
    if (options_.fin_wait_2 && !reading_) quiet_at_ = now + *options_.fin_wait_2;
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
    receiver_.owe_ack(false);
    if (state_ == TcpState::time_wait) quiet_at_ = now + options_.time_wait;
    return;
  }
  if (!reading_ && segment.length > 0 && position + segment.length > receiver_.rcv_nxt()) {
    owe_reset(wrap(sender_.snd_nxt(), initial_send_));
    end(TcpError::aborted);
    return;
  }
  if (const auto sent = echoed(now, segment)) receiver_.note_echo(now, *sent);
  receiver_.take(now, position, segment);
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
  if (now - challenge_window_start_ >= kChallengeWindow || counters_.challenge_acks == 0) {
    challenge_window_start_ = now;
    challenges_in_window_ = 0;
  }
  if (challenges_in_window_ >= kChallengesPerWindow) {
    ++counters_.challenge_acks_suppressed;
    return;
  }
  ++challenges_in_window_;
  ++counters_.challenge_acks;
  receiver_.owe_ack(true);
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
  if (timestamps_ && syn.options.timestamps && earlier(recent_timestamp_, syn.options.timestamps->value))
    return true;
  return after(syn.seq, receiver_.seq(receiver_.rcv_nxt()));
}

}  // namespace simcore

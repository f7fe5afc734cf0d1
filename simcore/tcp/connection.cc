// SPDX-License-Identifier: MIT
//
// TcpConnection, the part that gives: segments, timers, and the application's calls.
#include "simcore/tcp/connection.h"

#include <algorithm>

namespace simcore {

namespace {

constexpr std::size_t kSackBlocks = 4;
constexpr std::size_t kSackBlocksWithTimestamps = 3;  // 40 bytes of options: 12 + 4 + 3 * 8
constexpr std::int64_t kTimestampBytes = 12;

std::int64_t payload_limit(std::int64_t mss, bool timestamps) {
  return mss - (timestamps ? kTimestampBytes : 0);
}

}  // namespace

const char* name_of(TcpState state) {
  switch (state) {
    case TcpState::closed:
      return "CLOSED";
    case TcpState::listen:
      return "LISTEN";
    case TcpState::syn_sent:
      return "SYN-SENT";
    case TcpState::syn_received:
      return "SYN-RECEIVED";
    case TcpState::established:
      return "ESTABLISHED";
    case TcpState::fin_wait_1:
      return "FIN-WAIT-1";
    case TcpState::fin_wait_2:
      return "FIN-WAIT-2";
    case TcpState::close_wait:
      return "CLOSE-WAIT";
    case TcpState::closing:
      return "CLOSING";
    case TcpState::last_ack:
      return "LAST-ACK";
    case TcpState::time_wait:
      return "TIME-WAIT";
  }
  __builtin_unreachable();
}

TcpConnection::TcpConnection(const TcpOptions& options, SeqNum initial_send)
    : options_(options),
      sender_(options_),
      receiver_(options_),
      initial_send_(initial_send),
      mss_(options.mss) {}

void TcpConnection::connect(SimTime now) {
  state_ = TcpState::syn_sent;
  syn_due_ = true;
  syn_sent_at_ = now;
  syn_retry_at_ = now + options_.rto.initial_rto;
}

void TcpConnection::listen() {
  state_ = TcpState::listen;
  passive_ = true;
}

bool TcpConnection::can_write() const {
  return !close_requested_ && (state_ == TcpState::syn_sent || state_ == TcpState::syn_received ||
                               state_ == TcpState::established || state_ == TcpState::close_wait);
}

std::int64_t TcpConnection::write(std::span<const std::uint8_t> bytes) {
  if (!can_write()) return 0;
  sender_.before_write();
  return sender_.buffer().write(bytes);
}

std::int64_t TcpConnection::write_virtual(std::int64_t bytes) {
  if (!can_write()) return 0;
  sender_.before_write();
  return sender_.buffer().write_virtual(bytes);
}

void TcpConnection::close(SimTime) {
  if (close_requested_) return;
  switch (state_) {
    case TcpState::listen:
    case TcpState::syn_sent:
      state_ = TcpState::closed;
      syn_due_ = false;
      syn_retry_at_ = SimTime::never();
      break;
    case TcpState::syn_received:  // the FIN waits for the handshake
      close_requested_ = true;
      sender_.queue_fin();
      break;
    case TcpState::established:
    case TcpState::close_wait:
      close_requested_ = true;
      sender_.queue_fin();
      state_ = state_ == TcpState::established ? TcpState::fin_wait_1 : TcpState::last_ack;
      break;
    default:
      break;
  }
}

void TcpConnection::release(SimTime now) {
  if (released_) return;
  if (synchronized() && state_ != TcpState::time_wait && receiver_.unread() > 0) return abort();
  released_ = true;
  sender_.orphan();
  close(now);
  if (state_ == TcpState::fin_wait_2) await_fin(now);
}

void TcpConnection::abort() {
  if (synchronized() && state_ != TcpState::time_wait) {
    owe_reset(wrap(sender_.snd_nxt(), initial_send_));
  } else if (state_ == TcpState::syn_received) {
    owe_reset(initial_send_ + 1);
  }
  end(TcpError::aborted);
}

void TcpConnection::end(TcpError error) {
  state_ = TcpState::closed;
  // Linux: tcp_write_err.
  error_ = error == TcpError::timed_out && soft_error_ != TcpError::none ? soft_error_ : error;
  syn_due_ = false;
  keepalive_due_ = false;
  syn_retry_at_ = keepalive_at_ = quiet_at_ = SimTime::never();
}

void TcpConnection::enter_time_wait(SimTime now) {
  state_ = TcpState::time_wait;
  keepalive_at_ = SimTime::never();
  quiet_at_ = now + options_.time_wait;
  answers_since_.reset();
}

// In FIN-WAIT-2, with nobody left to tell of what comes. Linux waits three and a half timeouts at least (tcp_fin_time), and sends
// no keep-alives meanwhile.
void TcpConnection::await_fin(SimTime now) {
  if (!options_.fin_wait_2) return;
  const Duration least = options_.timers_of_linux ? sender_.rtt().rto() * 7 / 2 : Duration::zero();
  quiet_at_ = now + std::max(*options_.fin_wait_2, least);
  keepalive_at_ = SimTime::never();
  keepalive_due_ = false;
}

void TcpConnection::copy_payload(const TcpSegment& segment, std::span<std::uint8_t> out) const {
  if (sender_.buffer().has_bytes()) {
    sender_.buffer().copy(segment.payload_position, out);
  } else {
    std::fill(out.begin(), out.end(), std::uint8_t{0});
  }
}

void TcpConnection::on_icmp_error(SimTime now, IcmpFailure failure, SeqNum quoted) {
  if (!has_outstanding(quoted)) return;
  const bool refused = failure == IcmpFailure::refused;
  const TcpError error = refused ? TcpError::refused : TcpError::unreachable;
  if (!synchronized()) {
    const bool fatal =
        passive_ ? refused || failure == IcmpFailure::no_way : true;  // tcp_req_err, tcp_v4_err
    if (refused || (options_.icmp_of_linux && fatal)) return end(error);
  } else if (options_.icmp_of_linux && failure == IcmpFailure::no_way) {
    sender_.take_back_timeout(now, unwrap(quoted, initial_send_, sender_.snd_una()));
  }
  soft_error_ = error;
}

void TcpConnection::reduce_mss(std::int64_t mss) {
  path_mss_ = std::min(path_mss_, mss);
  mss_ = std::min(mss_, mss);
  if (synchronized()) sender_.reduce_mss(payload_limit(mss_, timestamps_));
}

// `segment` answers our SYN.
void TcpConnection::establish(SimTime now, const TcpSegment& segment, std::int64_t window) {
  const std::size_t blocks = timestamps_ ? kSackBlocksWithTimestamps : kSackBlocks;
  receiver_.establish(now, scaling_ ? TcpReceiver::scale_for(options_) : std::uint8_t{0}, sack_ ? blocks : 0,
                      ecn_);
  TcpSender::Agreement agreement{.mss = payload_limit(mss_, timestamps_),
                                 .window = window,
                                 .sack = sack_,
                                 .ecn = ecn_,
                                 .syn_retries = syn_retries_,
                                 .syn_in_time = timestamps_ && segment.options.timestamps &&
                                                segment.options.timestamps->echo == timestamp(syn_sent_at_),
                                 .rtt = std::nullopt};
  // Of a SYN that was sent again, only timestamps tell which was answered (tcp_ack_update_rtt).
  const std::optional<SimTime> answered = echoed(now, segment);
  if (syn_retries_ == 0 && !syn_answered_again_) {
    agreement.rtt = now - syn_sent_at_;
  } else if (options_.start_of_linux && answered) {
    agreement.rtt = std::max(now - *answered, kTimestampTick);
  }
  sender_.establish(now, agreement);
  syn_retry_at_ = SimTime::never();
  syn_due_ = false;
  last_heard_ = now;
  // Linux: the limit is counted apart for the request, the connection and TIME-WAIT.
  answers_since_.reset();
  if (options_.keepalive_idle) keepalive_at_ = now + *options_.keepalive_idle;
  state_ = close_requested_ ? TcpState::fin_wait_1 : TcpState::established;
}

bool TcpConnection::next_segment(SimTime now, TcpSegment& out) {
  if (reset_due_) {
    if (reset_due_->options.timestamps) reset_due_->options.timestamps->value = timestamp(now);
    return give_reset(out);
  }
  if (syn_due_) return give_syn(now, out);
  if (!synchronized()) return false;
  if (const auto ack = receiver_.next_ack(true)) return give_ack(now, *ack, out);
  if (state_ != TcpState::time_wait) {
    if (const auto outgoing = sender_.next(now)) {
      give_data(now, *outgoing, out);
      return true;
    }
    if (keepalive_due_) {
      give_keepalive(now, out);
      return true;
    }
  }
  if (const auto ack = receiver_.next_ack(false)) return give_ack(now, *ack, out);
  return false;
}

bool TcpConnection::give_reset(TcpSegment& out) {
  out = *reset_due_;
  reset_due_.reset();
  return true;
}

bool TcpConnection::give_syn(SimTime now, TcpSegment& out) {
  syn_due_ = false;
  const bool answers = state_ == TcpState::syn_received;
  out = TcpSegment{};
  out.seq = initial_send_;
  out.flags = TcpFlag::syn;
  const bool falls_back = options_.start_of_linux && syn_retries_ > 0;
  if (options_.asks_for_ecn() && !answers && !falls_back)
    out.flags = out.flags | (TcpFlag::ece | TcpFlag::cwr);
  out.options.mss = options_.mss;
  out.options.sack_permitted = answers ? sack_ : options_.sack;
  if (answers ? scaling_ : options_.window_scaling) {
    out.options.window_scale = TcpReceiver::scale_for(options_);
  }
  if (answers ? timestamps_ : options_.timestamps) {
    out.options.timestamps = TcpTimestamps{timestamp(now), answers ? recent_timestamp_ : 0};
  }
  if (answers) {
    out.flags = out.flags | TcpFlag::ack;
    if (ecn_) out.flags = out.flags | TcpFlag::ece;
    out.ack = receiver_.seq(receiver_.rcv_nxt());
    last_ack_sent_ = receiver_.rcv_nxt();
  }
  out.window = receiver_.syn_window_field(payload_limit(options_.mss, answers && timestamps_));
  return true;
}

// What every segment after the handshake has.
void TcpConnection::fill_ack(SimTime now, std::int64_t position, TcpSegment& out) {
  out.flags = TcpFlag::ack;
  out.ack = receiver_.seq(position);
  out.window = receiver_.window_field(position);
  if (timestamps_) out.options.timestamps = TcpTimestamps{timestamp(now), recent_timestamp_};
  last_ack_sent_ = position;
}

bool TcpConnection::give_ack(SimTime now, const TcpReceiver::OwedAck& ack, TcpSegment& out) {
  out = TcpSegment{};
  out.seq = wrap(sender_.snd_nxt(), initial_send_);
  fill_ack(now, ack.position, out);
  out.options.sack = ack.sack;
  if (ack.ecn_echo) out.flags = out.flags | TcpFlag::ece;
  return true;
}

void TcpConnection::give_data(SimTime now, const TcpSender::Outgoing& outgoing, TcpSegment& out) {
  out = TcpSegment{};
  out.seq = wrap(outgoing.start, initial_send_);
  fill_ack(now, receiver_.rcv_nxt(), out);
  receiver_.ack_carried();
  if (outgoing.length > 0) receiver_.data_sent(now);
  if (outgoing.fin) out.flags = out.flags | TcpFlag::fin;
  if (outgoing.push) out.flags = out.flags | TcpFlag::psh;
  if (outgoing.cwr) out.flags = out.flags | TcpFlag::cwr;
  if (receiver_.ecn_echo()) out.flags = out.flags | TcpFlag::ece;
  if (outgoing.ect) out.ecn = EcnCodepoint::ect0;
  out.length = static_cast<std::uint32_t>(outgoing.length);
  out.segments = outgoing.segments;
  out.segment_payload = static_cast<std::uint16_t>(outgoing.segment_payload);
  out.payload_position = outgoing.start;
}

// RFC 9293 section 3.8.4: one below what is expected, so that it must be answered.
void TcpConnection::give_keepalive(SimTime now, TcpSegment& out) {
  keepalive_due_ = false;
  out = TcpSegment{};
  out.seq = wrap(sender_.snd_una() - 1, initial_send_);
  fill_ack(now, receiver_.rcv_nxt(), out);
  receiver_.ack_carried();
}

std::uint32_t TcpConnection::timestamp(SimTime now) const {
  return static_cast<std::uint32_t>(now.count_ns() / kTimestampTick.count_ns() + 1);
}

SimTime TcpConnection::deadline() const {
  SimTime earliest = std::min({syn_retry_at_, keepalive_at_, quiet_at_});
  if (synchronized() && state_ != TcpState::time_wait) {
    earliest = std::min({earliest, sender_.deadline(), receiver_.deadline()});
  }
  return earliest;
}

void TcpConnection::expire(SimTime now) {
  if (now >= syn_retry_at_) retry_syn(now);
  if (now >= quiet_at_) end(error_);
  if (now >= keepalive_at_) check_keepalive(now);
  if (!synchronized() || state_ == TcpState::time_wait) return;
  sender_.expire(now);
  receiver_.expire(now);
  if (sender_.gave_up()) end(TcpError::timed_out);
}

void TcpConnection::retry_syn(SimTime now) {
  const std::uint32_t linear = state_ == TcpState::syn_sent ? options_.syn_linear_timeouts : 0;
  const std::uint32_t most = passive_ ? options_.synack_retries : linear + options_.syn_retries;
  if (++syn_retries_ > most) {
    end(TcpError::timed_out);
    return;
  }
  syn_due_ = true;
  syn_retry_at_ = now + syn_wait();
}

// How long the present SYN or answer to one waits. Only a SYN has linear timeouts.
Duration TcpConnection::syn_wait() const {
  const std::uint32_t linear = state_ == TcpState::syn_sent ? options_.syn_linear_timeouts : 0;
  Duration wait = options_.rto.initial_rto;
  for (std::uint32_t i = linear; i < syn_retries_ && wait < options_.rto.maximum_rto; ++i) wait = wait * 2;
  return std::min(wait, options_.rto.maximum_rto);
}

// RFC 9293 section 3.8.4, tcp_keepalive_timer.
void TcpConnection::check_keepalive(SimTime now) {
  if (sender_.snd_una() < sender_.snd_nxt() || sender_.unsent() > 0) {  // other timers watch over these
    keepalive_at_ = now + *options_.keepalive_idle;
    return;
  }
  const SimTime idle_until = last_heard_ + *options_.keepalive_idle;
  if (now < idle_until && keepalive_unanswered_ == 0) {
    keepalive_at_ = idle_until;
    return;
  }
  if (keepalive_unanswered_ >= options_.keepalive_probes) {
    if (options_.timers_of_linux) owe_reset(wrap(sender_.snd_nxt(), initial_send_));
    end(TcpError::timed_out);
    return;
  }
  ++keepalive_unanswered_;
  keepalive_due_ = true;
  keepalive_at_ = now + options_.keepalive_interval;
}

}  // namespace simcore

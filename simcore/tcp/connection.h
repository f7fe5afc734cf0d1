// SPDX-License-Identifier: MIT
//
// TcpConnection: one end of a TCP connection, as a pure state machine (RFC 9293).
//
//   network  -- on_segment(now, segment) -->  +---------------+  <-- write, read, close, abort --  application
//            <-- next_segment(now, out) ----  | TcpConnection |
//   timer    -- expire(now) ------------->    +---------------+  -- deadline() --> timer
//
// It has no clock, no socket and schedules nothing. After every call that takes `now` the owner takes segments with
// next_segment until there is none, and then sets its timer to deadline(). `now` never decreases.
//
//   TcpSender sends and retransmits, TcpReceiver reassembles and acknowledges; here are the states of RFC 9293 section
//   3.3.2, the handshake, sequence checks, resets (RFC 5961), timestamps and PAWS (RFC 7323), keep-alive and TIME-WAIT.
//
// Left out: urgent data (the pointer is ignored, the bytes are ordinary), data on SYN segments (the peer sends it again),
// simultaneous use of one object for several connections: a listening socket makes a new one per SYN.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "simcore/packet/icmp_failure.h"
#include "simcore/tcp/receiver.h"
#include "simcore/tcp/segment.h"
#include "simcore/tcp/sender.h"
#include "simcore/tcp/seq_num.h"
#include "simcore/tcp/tcp_options.h"
#include "simcore/units/time.h"

namespace simcore {

enum class TcpState : std::uint8_t {
  closed,
  listen,
  syn_sent,
  syn_received,
  established,
  fin_wait_1,
  fin_wait_2,
  close_wait,
  closing,
  last_ack,
  time_wait,
};

const char* name_of(TcpState state);

enum class TcpError : std::uint8_t {
  none,
  refused,      // a reset answered the SYN
  reset,        // a reset from the peer
  timed_out,    // nothing answered
  aborted,      // abort() here
  unreachable,  // a router, or this host, said so by ICMP
};

struct ConnectionCounters {
  std::uint64_t segments_received = 0;       // of trains each
  std::uint64_t data_segments_received = 0;  // those with payload or a FIN, accepted or not
  std::uint64_t unacceptable_segments = 0;
  std::uint64_t paws_drops = 0;
  std::uint64_t malformed_segments =
      0;  // SYN with FIN, no ACK where one must be, no timestamp after it was agreed on
  std::uint64_t challenge_acks = 0;
  std::uint64_t acks_skipped =
      0;  // answers to what is unacceptable, and challenges, that the rate limit held back
};

class TcpConnection {
 public:
  // `initial_send` is the initial sequence number. Precondition: options.check() passed.
  TcpConnection(const TcpOptions& options, SeqNum initial_send);
  TcpConnection(const TcpConnection&) = delete;
  TcpConnection& operator=(const TcpConnection&) = delete;

  void connect(SimTime now);
  void listen();

  void on_segment(SimTime now, const TcpSegment& segment);
  // Fills `out` with the next segment or train to send; false when there is none.
  bool next_segment(SimTime now, TcpSegment& out);
  void expire(SimTime now);
  SimTime deadline() const;

  // The application's side. Writes take what there is room for and return how much; after close() they take nothing.
  std::int64_t write(std::span<const std::uint8_t> bytes);
  std::int64_t write_virtual(std::int64_t bytes);
  // The last so many bytes are as if they had never been written. Preconditions: at most sender().unsent(), and all that was
  // ever written is virtual.
  void take_back(std::int64_t bytes) { sender_.buffer().take_back(bytes); }
  std::int64_t room_to_write() const { return can_write() ? sender_.buffer().room() : 0; }
  std::int64_t readable() const { return receiver_.unread(); }
  std::int64_t read(std::span<std::uint8_t> out) { return receiver_.read(last_heard_, out); }
  std::int64_t discard(std::int64_t bytes) { return receiver_.discard(last_heard_, bytes); }
  // From now on what arrives is counted and not stored: no read() any more, only discard().
  void count_only() { receiver_.count_only(); }
  // Whatever the options say, short segments do not wait (TCP_NODELAY).
  void no_delay() { sender_.no_delay(); }
  // See TcpSender::resume(). Of a connection that is not established it has no effect.
  void resume(SimTime now, std::int64_t segments) {
    if (state_ == TcpState::established) sender_.resume(now, segments);
  }
  // No more data will be written: a FIN follows what is in the buffer. Reading goes on.
  void close(SimTime now);
  // The application is gone, as after close(2): nobody writes or reads any more. What it has not read, and what still comes,
  // ends the connection with a reset (RFC 1122 section 4.2.2.13, RFC 2525 section 2.17).
  void release(SimTime now);
  // Ends the connection with a reset.
  void abort();

  // Bytes of a segment that next_segment gave; zeros for a virtual payload.
  void copy_payload(const TcpSegment& segment, std::span<std::uint8_t> out) const;
  // True when segments carry bytes that are to be copied; false when lengths are enough.
  bool has_bytes_to_copy() const { return sender_.buffer().has_bytes(); }

  // An error by ICMP about the segment with the sequence number `quoted`; one that is not outstanding is ignored (RFC 5927
  // section 4.1). Where a connection is being opened, "refused" ends it, and with `icmp_of_linux` anything does. An
  // established connection goes on (RFC 1122 section 4.2.3.9, RFC 5927 section 4); what was said becomes its error if it
  // is given up.
  void on_icmp_error(SimTime now, IcmpFailure failure, SeqNum quoted);
  // The path takes only segments with this much payload and options (an ICMP "fragmentation needed").
  void reduce_mss(std::int64_t mss);
  // Was this sequence number sent, and is it not acknowledged yet? That of a SYN as well.
  bool has_outstanding(SeqNum number) const {
    if (state_ == TcpState::syn_sent || state_ == TcpState::syn_received) return number == initial_send_;
    const std::int64_t position = unwrap(number, initial_send_, sender_.snd_una());
    return synchronized() && position >= sender_.snd_una() && position < sender_.snd_nxt();
  }

  // In TIME-WAIT: may this SYN open a new connection (RFC 6191, RFC 1122 section 4.2.2.13)?
  bool may_be_reopened_by(const TcpSegment& syn) const;
  // What that connection begins with: beyond all that this one sent (Linux: tcp_timewait_state_process).
  SeqNum initial_of_next() const { return wrap(sender_.snd_nxt(), initial_send_) + 65'537; }

  TcpState state() const { return state_; }
  TcpError error() const { return error_; }
  // The peer has closed and everything it sent has been read.
  bool at_end_of_stream() const { return receiver_.fin_received() && receiver_.unread() == 0; }

  SeqNum initial() const { return initial_send_; }  // the sequence number of its SYN
  const TcpSender& sender() const { return sender_; }
  const TcpReceiver& receiver() const { return receiver_; }
  const ConnectionCounters& counters() const { return counters_; }
  const TcpOptions& options() const { return options_; }
  bool uses_sack() const { return sack_; }
  bool uses_timestamps() const { return timestamps_; }
  bool uses_ecn() const { return ecn_; }

 private:
  bool can_write() const;
  bool synchronized() const { return state_ >= TcpState::established; }

  // connection.cc: output and timers
  bool give_reset(TcpSegment& out);
  bool give_syn(SimTime now, TcpSegment& out);
  bool give_ack(SimTime now, const TcpReceiver::OwedAck& ack, TcpSegment& out);
  void give_data(SimTime now, const TcpSender::Outgoing& outgoing, TcpSegment& out);
  void give_keepalive(SimTime now, TcpSegment& out);
  void fill_ack(SimTime now, std::int64_t position, TcpSegment& out);
  void retry_syn(SimTime now);
  Duration syn_wait() const;
  void check_keepalive(SimTime now);
  void end(TcpError error);
  void enter_time_wait(SimTime now);
  void await_fin(SimTime now);
  std::uint32_t timestamp(SimTime now) const;

  // segment_arrives.cc: input (RFC 9293 section 3.10.7)
  void arrives_in_listen(SimTime now, const TcpSegment& segment);
  void arrives_in_syn_sent(SimTime now, const TcpSegment& segment);
  void arrives_in_time_wait(SimTime now, const TcpSegment& segment, std::int64_t position);
  void take_syn_again(SimTime now, const TcpSegment& segment, std::int64_t position);
  bool echoes_no_syn_of_ours(SimTime now, const TcpSegment& segment) const;
  bool passes_checks(SimTime now, const TcpSegment& segment, std::int64_t position);
  bool passes_timestamp(SimTime now, const TcpSegment& segment, std::int64_t position);
  bool is_disordered_ack(const TcpSegment& segment, std::int64_t position, std::int64_t ticks_behind) const;
  void note_timestamp(SimTime now, const TcpSegment& segment, std::int64_t position);
  void take_reset(SimTime now, std::int64_t position);
  bool is_reset_here(std::int64_t position) const;
  bool acceptable(std::int64_t position, std::int64_t length) const;
  void answer_unacceptable(SimTime now, const TcpSegment& segment, std::int64_t position);
  bool may_answer(SimTime now);
  bool take_ack(SimTime now, const TcpSegment& segment, std::int64_t position);
  void take_payload(SimTime now, const TcpSegment& segment, std::int64_t position);
  void agree(const TcpSegment& syn);
  void establish(SimTime now, const TcpSegment& segment, std::int64_t window);
  void after_fin_acknowledged(SimTime now);
  void after_fin_received(SimTime now);
  void challenge(SimTime now);
  void owe_reset(SeqNum seq);
  std::optional<SimTime> echoed(SimTime now, const TcpSegment& segment) const;

  const TcpOptions options_;  // of sender and receiver too
  TcpSender sender_;
  TcpReceiver receiver_;
  SeqNum initial_send_;
  TcpState state_ = TcpState::closed;
  TcpError error_ = TcpError::none;
  TcpError soft_error_ = TcpError::none;  // Linux: sk_err_soft; what ICMP said since the last acknowledgement
  bool passive_ = false;
  bool close_requested_ = false;
  bool released_ = false;

  // Agreed on in the handshake.
  bool sack_ = false;
  bool timestamps_ = false;
  bool ecn_ = false;
  bool scaling_ = false;
  std::uint8_t send_scale_ = 0;
  std::int64_t mss_;
  std::int64_t path_mss_ =
      std::numeric_limits<std::int64_t>::max();  // what the path takes, as far as is known

  bool syn_due_ = false;
  SimTime syn_sent_at_ = SimTime::zero();
  std::uint32_t syn_retries_ = 0;
  bool syn_answered_again_ = false;  // the peer sent its SYN again, so nobody knows which answer it has
  SimTime syn_retry_at_ = SimTime::never();

  std::optional<TcpSegment> reset_due_;

  std::uint32_t recent_timestamp_ = 0;  // TS.Recent
  SimTime recent_timestamp_at_ = SimTime::zero();
  std::int64_t last_ack_sent_ = 0;  // Last.ACK.sent, a position

  SimTime last_heard_ = SimTime::zero();
  SimTime keepalive_at_ = SimTime::never();
  std::uint32_t keepalive_unanswered_ = 0;
  bool keepalive_due_ = false;
  SimTime quiet_at_ = SimTime::never();  // the end of TIME-WAIT, or of an orphaned FIN-WAIT-2

  std::optional<SimTime> answers_since_;  // the rate limit counts from here
  std::uint32_t answers_ = 0;

  ConnectionCounters counters_;
};

}  // namespace simcore

// SPDX-License-Identifier: MIT
//
// TcpSender: the sending half of an established connection: what to send, when, and what to send again.
//
//   application -> [SendBuffer] -> next() -> segments          acknowledgements -> on_ack() -> [Scoreboard, windows]
//                                     ^------------- timers: expire(), deadline() ------------------'
//
// States, as Linux names them:
//
//   open --loss found--> recovery --snd_una reaches `recover_`----> open
//     |  --ECN echo----> reduced  --snd_una is above `recover_`--> open
//     `--timeout-------> loss     --snd_una reaches `recover_`----> open
//                         `--a retransmission is lost, in Linux--> recovery
//
// A congestion episode begins with any reduction; CWR travels in the first new data after it, which begins at the snd_nxt
// of that moment. An echo is a sign of the same episode until what carried CWR is acknowledged (RFC 3168 section 6.1.2;
// Linux: "CWR is to be held something above high_seq is ACKed", tcp_fastretrans_alert).
//
// Without SACK a duplicate acknowledgement stands for one segment that left the network (`duplicate_credit_`), which
// makes the window inflation and deflation of RFC 5681 and 6582 fall out of the same rule as SACK's: send while the
// pipe is below the window.
//
// Deviation from RFC 9293 section 3.8.6.1: a window probe carries no data; it is an empty segment one below snd_una, as
// Linux sends and as every receiver must answer.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "simcore/tcp/congestion_control.h"
#include "simcore/tcp/delivery_rate.h"
#include "simcore/tcp/prr.h"
#include "simcore/tcp/rack.h"
#include "simcore/tcp/rtt_estimator.h"
#include "simcore/tcp/scoreboard.h"
#include "simcore/tcp/send_buffer.h"
#include "simcore/tcp/tcp_options.h"
#include "simcore/tcp/windowed_minimum.h"
#include "simcore/units/time.h"

namespace simcore {

enum class RecoveryState : std::uint8_t { open, reduced, recovery, loss };

const char* name_of(RecoveryState state);

struct SenderCounters {
  std::uint64_t segments_sent = 0;  // first transmissions
  std::uint64_t retransmitted_segments = 0;
  std::uint64_t timeouts = 0;
  std::uint64_t fast_recoveries = 0;
  std::uint64_t tail_probes = 0;
  std::uint64_t window_probes = 0;
  std::uint64_t ecn_reductions = 0;
  std::uint64_t dsacks_received = 0;  // acknowledgements that report a duplicate (RFC 2883)
  std::uint64_t undone = 0;
  std::uint64_t spurious_timeouts = 0;  // of these, those that F-RTO found
  std::uint64_t rescues = 0;            // retransmissions by NextSeg rules 3 and 4 of RFC 6675
  std::uint64_t duplicate_acks = 0;
};

class TcpSender {
 public:
  // What the handshake agreed on.
  struct Agreement {
    std::int64_t mss;  // payload of a full segment, header options already taken off
    std::int64_t window;
    bool sack;
    bool ecn;
    std::uint32_t syn_retries;
    bool syn_in_time;  // timestamps prove that the first SYN was answered, so none was lost
    std::optional<Duration> rtt;
  };
  struct PositionRange {
    std::int64_t left;
    std::int64_t right;
  };
  struct Ack {
    std::int64_t position;  // what is acknowledged, already found to lie between snd_una and snd_nxt, or old
    std::int64_t seq;       // of the segment that carries it
    std::int64_t window;    // bytes
    bool without_data;      // no payload, SYN or FIN: it may be a duplicate acknowledgement
    bool ecn_echo;
    std::span<const PositionRange> sack;
    std::optional<SimTime>
        echoed;  // when the segment that the timestamp echoes was sent, to 1 ms, rounded down
  };
  // A segment or train to be sent.
  struct Outgoing {
    std::int64_t start;
    std::int64_t length;  // payload
    std::int64_t segment_payload;
    std::uint16_t segments;
    bool fin;
    bool push;
    bool retransmission;
    bool cwr;
    bool ect;
  };

  // `options` must outlive it.
  explicit TcpSender(const TcpOptions& options);

  void establish(SimTime now, const Agreement& agreement);

  SendBuffer& buffer() { return buffer_; }
  const SendBuffer& buffer() const { return buffer_; }
  void queue_fin() { fin_queued_ = true; }
  void no_delay() { nagle_ = Nagle::off; }
  // The application is gone: with `timers_of_linux`, what nobody answers is given up earlier.
  void orphan() { orphan_ = true; }

  // The application is going to write. Where less than a segment waited, for Nagle for instance, and the window had room,
  // the application held sending back, not the network.
  void before_write();
  // The application goes on after a rest with what the path is known to take now: a window of so many segments. The
  // algorithm begins anew there, in congestion avoidance. Where what was lost before the rest is still being repaired, nothing
  // changes.
  void resume(SimTime now, std::int64_t segments);
  bool application_limited() const { return rate_.application_limited(); }

  void on_ack(SimTime now, const Ack& ack);
  // What to send now; call until there is nothing.
  std::optional<Outgoing> next(SimTime now);
  void expire(SimTime now);
  SimTime deadline() const;

  // The path takes less than was thought (RFC 1191, 8201): segments that are too long are sent again, shorter.
  void reduce_mss(std::int64_t mss);
  // A router had no way for the retransmission of `position`: that, not congestion, was why nothing answered. The doubling
  // of the timeout by it is taken back (RFC 6069; Linux: tcp_ld_RTO_revert).
  void take_back_timeout(SimTime now, std::int64_t position);

  std::int64_t snd_una() const { return snd_una_; }
  // What is known to have arrived: all before snd_una, and what SACK named behind the holes.
  std::int64_t delivered() const { return snd_una_ + board_.sacked_bytes(); }
  std::int64_t snd_nxt() const { return snd_nxt_; }
  // What was written and has never been sent.
  std::int64_t unsent() const { return std::max<std::int64_t>(buffer_.end() - snd_nxt_, 0); }
  std::int64_t send_window() const { return window_; }
  std::int64_t largest_window() const { return largest_window_; }
  // Would an acknowledgement of snd_una, in a segment at `seq`, change the window (tcp_may_update_window)?
  bool may_update_window(std::int64_t seq, std::int64_t window) const {
    return seq > window_seq_ || (seq == window_seq_ && (window > window_ || window == 0));
  }
  bool fin_acknowledged() const { return fin_queued_ && snd_una_ == buffer_.end() + 1; }
  bool fin_sent() const { return fin_queued_ && snd_nxt_ == buffer_.end() + 1; }
  bool gave_up() const { return gave_up_; }  // too many timeouts in a row

  RecoveryState state() const { return state_; }
  const CongestionWindow& congestion_window() const { return congestion_; }
  const CongestionControl& congestion_control() const { return *control_; }
  std::int64_t in_flight() const { return pipe(); }
  const RttEstimator& rtt() const { return rtt_; }
  const SenderCounters& counters() const { return counters_; }

 private:
  struct Delivery;

  std::int64_t pipe() const { return std::max<std::int64_t>(0, board_.pipe() - duplicate_credit_); }
  std::int64_t outstanding() const { return snd_nxt_ - snd_una_; }
  // What of the congestion window is in use, and what would be if nothing were lost. In Linux a segment takes as much of it
  // as a full one, however short it is (tcp_packets_in_flight), and its FIN takes nothing.
  std::int64_t in_use() const {
    if (!counts_segments_) return pipe();
    return std::max(pipe() - (fin_sent() ? 1 : 0),
                    board_.segments_in_flight() * congestion_.mss - duplicate_credit_);
  }
  std::int64_t outstanding_in_window() const {
    if (!counts_segments_) return outstanding();
    return std::max(outstanding(), static_cast<std::int64_t>(board_.size()) * congestion_.mss);
  }
  std::int64_t share_of_window(std::int64_t bytes) const {
    return counts_segments_ ? (bytes + congestion_.mss - 1) / congestion_.mss * congestion_.mss : bytes;
  }
  std::int64_t share_of_window(const SentSegment& segment) const {
    if (!counts_segments_) return segment.length();
    return share_of_window(std::max<std::int64_t>(segment.length() - (segment.fin ? 1 : 0), 1));
  }
  // What duplicates can stand for: all that is in flight.
  std::int64_t most_credit() const {
    return counts_segments_ ? board_.segments_in_flight() * congestion_.mss : board_.pipe();
  }
  std::int64_t stream_end() const { return buffer_.end() + (fin_queued_ ? 1 : 0); }
  std::int64_t room_in_window() const;
  bool recovering() const { return state_ == RecoveryState::recovery || state_ == RecoveryState::loss; }

  // sender.cc: sending
  Outgoing window_probe();
  std::optional<Outgoing> tail_probe(SimTime now);
  std::optional<Outgoing> retransmit(SimTime now, bool whatever_the_window);
  std::optional<Outgoing> rescue(SimTime now);
  Outgoing send_again(SimTime now, Scoreboard::Index first, std::int64_t count);
  std::optional<Outgoing> send_new(SimTime now);
  std::int64_t sendable(std::int64_t data, std::int64_t window, std::int64_t allowed) const;
  bool fits(std::int64_t data, std::int64_t window) const;
  bool short_may_go(std::int64_t whole) const;
  bool worth_waiting(SimTime now, std::int64_t data, std::int64_t window, std::int64_t allowed) const;
  std::int64_t longest_train() const;
  std::int64_t longest_of_window() const;
  std::int64_t bound_to_half_window(std::int64_t bytes) const;
  std::int64_t mss_for_window() const;
  void set_mss(std::int64_t mss);
  // Linux: PSH on every object of several segments (__tcp_transmit_skb).
  bool pushes_train(std::int64_t segments) const { return options_.push_of_linux && segments > 1; }
  Outgoing transmit(SimTime now, std::int64_t length, bool fin);
  bool rested(SimTime now) const { return now - last_sent_ > rtt_.rto() && counters_.segments_sent > 0; }
  void restart_after_idle(SimTime now);
  void tell_of_start(SimTime now);
  void pace(SimTime now, std::int64_t bytes);
  void arm_timeout(SimTime now) { timeout_at_ = now + rtt_.rto(); }
  void arm_tail_probe(SimTime now, SimTime latest);
  void arm_persist(SimTime now);
  Duration probe_wait() const;
  void on_persist(SimTime now);
  void probe_answered(SimTime now);
  bool too_many_probes() const;
  void on_timeout(SimTime now);
  bool too_many_timeouts(SimTime now);

  // sender_ack.cc: acknowledgements
  bool update_window(const Ack& ack);
  void take_sack(SimTime now, const Ack& ack, Delivery& delivery);
  void take_cumulative(SimTime now, const Ack& ack, Delivery& delivery);
  void note_delivered(SimTime now, const Ack& ack, const SentSegment& segment, bool by_sack,
                      Delivery& delivery);
  void count_duplicate(const Ack& ack, bool window_changed, Delivery& delivery);
  void take_rtt(SimTime now, const Ack& ack, Delivery& delivery);
  void detect_losses(SimTime now);
  void tell_losses(SimTime now);
  void shrink_window(std::int64_t delivered, bool advanced);
  void check_tail_probe(SimTime now, const Ack& ack, const Delivery& delivery);
  void note_duplicate_reported(const PositionRange& block, const Ack& ack, Delivery& delivery);
  bool try_undo(const Ack& ack, const Delivery& delivery);
  void judge_as_linux(SimTime now, const Ack& ack, const Delivery& delivery, bool told);
  bool try_undo_as_linux(const Ack& ack, const Delivery& delivery);
  bool judge_timeout(const Delivery& delivery);
  void undo(bool forget_losses);
  void change_state(SimTime now, const Ack& ack, const Delivery& delivery, bool lost_again);
  void move_window(SimTime now, const Delivery& delivery, bool recovery_ended);
  void enter_recovery(SimTime now);
  void enter_reduced(CongestionEvent event, SimTime now);
  void remember_for_undo(bool window);
  void forget_undo() { undo_from_ = 0; }
  std::int64_t current_ssthresh() const;
  void reduce(CongestionEvent event, SimTime now);
  void end_recovery(SimTime now);

  const TcpOptions& options_;
  Nagle nagle_;
  SendBuffer buffer_;
  Scoreboard board_;
  RttEstimator rtt_;
  DeliveryRate rate_;
  Rack rack_;
  ProportionalRateReduction prr_;
  std::unique_ptr<CongestionControl> control_;
  CongestionWindow congestion_;
  std::int64_t full_mss_ = 0;  // of the path; where the peer's window is small, congestion_.mss is less

  bool established_ = false;
  bool sack_ = false;
  bool ecn_ = false;
  bool rack_tlp_ = false;
  bool counts_segments_ = false;
  bool fin_queued_ = false;
  bool gave_up_ = false;
  bool orphan_ = false;

  std::int64_t snd_una_ = 1;
  std::int64_t snd_nxt_ = 1;
  std::int64_t window_ = 0;  // SND.WND
  std::int64_t largest_window_ = 0;
  std::int64_t window_seq_ = 0;  // SND.WL1
  std::int64_t window_ack_ = 0;  // SND.WL2
  std::int64_t pushed_ = 1;      // end of the latest segment with PSH
  std::int64_t small_sent_ = 0;  // end of the latest short segment: Minshall's variant of Nagle

  RecoveryState state_ = RecoveryState::open;
  std::int64_t recover_ = 0;     // position that ends the present state, or ended the last
  bool retransmit_now_ = false;  // the first lost segment goes out whatever the window says
  std::uint32_t duplicate_acks_ = 0;
  std::int64_t duplicate_credit_ = 0;
  // Linux: max_packets_out and cwnd_usage_seq of tcp_cwnd_validate, in bytes and as a position: the most that was outstanding
  // since that position was sent.
  std::int64_t most_outstanding_ = 0;
  std::int64_t most_outstanding_until_ = 0;
  std::int64_t limited_at_ = 0;  // snd_nxt when the congestion window last held sending back
  std::int64_t episode_end_ =
      0;  // snd_nxt at the latest reduction: an echo up to here is of the same episode
  bool cwr_due_ = false;
  bool echoed_ = false;  // by the latest acknowledgement
  std::int64_t newly_lost_ = 0;

  // What was there before the latest reduction, should it prove needless: until the next one.
  std::int64_t undo_from_ = 0;  // snd_una at that reduction; 0: nothing can be undone
  bool undo_window_ = false;    // false: an echo says that the path is congested, whatever the losses were
  std::int64_t undo_cwnd_ = 0;
  std::int64_t undo_ssthresh_ = 0;
  std::optional<SimTime> first_retransmission_;
  std::int64_t unconfirmed_retransmissions_ = 0;  // -1: nothing was sent again yet
  bool held_ = false;  // by the latest acknowledgement: nothing is sent again, as it seems needless
  std::int64_t reported_duplicates_ = 0;  // segments, by D-SACKs, since the beginning

  // F-RTO: after a timeout the first segment is sent again; when that is acknowledged, new data are; what is heard of
  // them tells whether the others had arrived before.
  enum class Frto : std::uint8_t { off, sent_again, sent_new };
  Frto frto_ = Frto::off;
  std::int64_t frto_limit_ = 0;  // snd_nxt goes no further while the answer is awaited

  std::int64_t sent_again_up_to_ = 0;  // HighRxt of RFC 6675, in the present recovery
  bool rescued_ = false;               // its rule 4 was used in the present recovery

  WindowedMinimum min_rtt_{Duration::seconds(300)};  // net.ipv4.tcp_min_rtt_wlen
  SimTime last_sent_ = SimTime::zero();
  SimTime restarted_after_ = SimTime::never();  // last_sent_ of the idle time for which the window was cut
  SimTime release_at_ = SimTime::zero();        // pacing: nothing leaves before
  bool waiting_for_release_ = false;

  SimTime timeout_at_ = SimTime::never();
  SimTime tail_probe_at_ = SimTime::never();
  SimTime reorder_at_ = SimTime::never();
  SimTime persist_at_ = SimTime::never();
  std::uint32_t retries_ = 0;
  std::optional<SimTime> retrying_since_;  // the first timeout since the latest progress
  SimTime heard_at_ = SimTime::zero();     // the latest acknowledgement that was not old; Linux: rcv_tstamp
  bool progress_since_timeout_ = true;
  int persist_backoff_ = 0;
  std::uint32_t unanswered_probes_ = 0;
  bool window_probe_due_ = false;
  bool send_short_ = false;  // the persist timer overrides the avoidance of silly windows
  bool tail_probe_due_ = false;
  std::int64_t tail_probe_end_ = 0;   // snd_nxt when a probe was sent; 0 when none is outstanding
  bool tail_probe_repeated_ = false;  // it was a retransmission

  SenderCounters counters_;
};

}  // namespace simcore

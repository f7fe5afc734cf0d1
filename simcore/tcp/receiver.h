// SPDX-License-Identifier: MIT
//
// TcpReceiver: the receiving half of a connection: what has arrived, what to acknowledge, when, and with which window.
//
//   segments -> take() -> [Reassembly] -> read()          next_ack() -> acknowledgements
//
// Acknowledgements are owed per segment, also for a train: a train of n in-order segments owes n/2 of them when delayed
// acknowledgements are on, and n when they are off. Each that is owed waits in a short queue with the SACK blocks of
// its moment until next_ack() hands it out, so the peer sees the duplicates that it has to count.
//
// The window never shrinks (RFC 9293 section 3.8.6) and opens only by a segment or half the buffer
// (section 3.8.6.2.2). A scaled window cannot state every value and is rounded up, so the buffer may hold up to
// 2^scale - 1 bytes more than was asked for; whatever edge was ever stated is honoured (RFC 7323 section 2.4).
//
// With an initial receive buffer, the window follows what the application takes: once in a round trip, when it took more
// than in the one before, the buffer becomes twice that, and more when it grows fast, so that a sender in slow start is
// not held back (dynamic right-sizing, Fisk and Feng 2001; the factors are those of Linux since 6.16, tcp_rcvbuf_grow).
//
// `receiver_of_linux` (net/ipv4/tcp_input.c, tcp_output.c, tcp.c):
//
//   tcp_grow_window       the window follows the buffer by two segments for each full one that comes, and meanwhile each is
//                         acknowledged at once: in slow start that is most of them
//   tcp_measure_rcv_mss,  what is pushed or short is acknowledged when the application has taken all, unless it answers
//   tcp_cleanup_rbuf      what comes (`interactive_`; Linux: pingpong mode): its answer will carry the acknowledgement
//   tcp_event_data_recv   after a pause of a retransmission timeout, data are acknowledged at once, as at the beginning
//   __tcp_select_window   an unscaled window is whole segments; a scaled one opens by any amount
//   tcp_fin               a FIN is acknowledged as data are, since our own may follow soon; at once if our end has closed
//   __tcp_ack_snd_check   more than one full segment is acknowledged at once, or when it is read, if what waits to be read
//                         narrows the window; from the fourth on, what tells of one gap is compressed: up to 44 wait for one,
//                         for 5 % of a round trip, 1 ms at most
//
// Left out: the slack of the compression's timer (tcp_comp_sack_slack_ns); a delay of acknowledgements that follows their pace
// (ato).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "simcore/tcp/header_options.h"
#include "simcore/tcp/reassembly.h"
#include "simcore/tcp/rtt_estimator.h"
#include "simcore/tcp/segment.h"
#include "simcore/tcp/seq_num.h"
#include "simcore/tcp/tcp_options.h"
#include "simcore/units/time.h"

namespace simcore {

constexpr std::uint8_t kLargestScale = 14;  // of a window, RFC 7323 section 2.3
constexpr std::int64_t kDefaultMss = 536;   // RFC 9293 section 3.7.1

struct ReceiverCounters {
  std::uint64_t segments = 0;
  std::uint64_t out_of_order_segments = 0;
  std::uint64_t duplicate_segments = 0;
  std::uint64_t refused_segments = 0;  // the bound of the reassembly queue was reached
  std::uint64_t dsacks_sent = 0;       // acknowledgements that report a duplicate
  std::uint64_t compressed_acks = 0;   // that never left, as a later one told what they had to
  std::uint64_t ce_marks = 0;
  std::uint64_t merged_acks =
      0;  // owed, and told by a later one because the queue of acknowledgements was full
};

class TcpReceiver {
 public:
  // An acknowledgement that is owed.
  struct OwedAck {
    std::int64_t position;
    SackBlocks sack;
    bool ecn_echo;
    bool alone;  // must travel without data: the peer counts it as a duplicate, or reads its SACK blocks
  };

  // `options` must outlive it.
  explicit TcpReceiver(const TcpOptions& options);

  // The peer's SYN came: its sequence number is that of position 0.
  void start(SeqNum initial) { initial_ = initial; }
  // The handshake ended. `scale` shifts our window; `sack_blocks` is how many fit into a header, 0 without SACK.
  void establish(SimTime now, std::uint8_t scale, std::size_t sack_blocks, bool ecn);

  // Takes a data segment or train that begins at `position`; `fin` when it carries one. What lies outside of the window
  // is cut off. `rtt` is of our own sender; `closed_here` says that our end has closed.
  void take(SimTime now, std::int64_t position, const TcpSegment& segment, const RttEstimator& rtt,
            bool closed_here);
  // What was here before came again, from `left` to `right`: the next acknowledgement says so (RFC 2883).
  void note_duplicate(std::int64_t left, std::int64_t right);
  // An acknowledgement is owed now, whatever came.
  void owe_ack(bool alone);

  // The next acknowledgement to send by itself; `data_follows` says that a data segment could carry the last one.
  std::optional<OwedAck> next_ack(bool data_follows);
  bool owes_ack() const { return first_owed_ < owed_.size(); }
  // A segment that acknowledges rcv_nxt() leaves.
  void ack_carried();
  // It carries data.
  void data_sent(SimTime now);

  // The window field for a segment that acknowledges `position`.
  std::uint16_t window_field(std::int64_t position);
  // That of a SYN, which is not scaled; `segment` is the payload of the peer's segments, as far as it is known.
  std::uint16_t syn_window_field(std::int64_t segment);

  void expire(SimTime now);
  SimTime deadline() const { return std::min(ack_at_, compressed_until_); }

  // A segment echoes the timestamp of what we sent at `sent`: a round trip, for right-sizing.
  void note_echo(SimTime now, SimTime sent);
  std::int64_t buffer() const { return buffer_; }  // of which the window is what is not occupied

  // The application takes data; the peer hears of the room when it is worth a segment. Both return how much there was.
  // `heard` is when the latest segment came: for right-sizing, which an application that reads late holds back.
  std::int64_t read(SimTime heard, std::span<std::uint8_t> out);
  std::int64_t discard(SimTime heard, std::int64_t bytes);
  // From now on the application only discards, so nothing is stored for it.
  void count_only() { stream_.count_only(); }

  std::int64_t rcv_nxt() const { return stream_.next() + (fin_received_ ? 1 : 0); }
  std::int64_t right_edge() const { return right_edge_; }
  std::int64_t unread() const { return stream_.unread(); }
  bool fin_received() const { return fin_received_; }
  bool ecn_echo() const { return ecn_echo_; }
  SeqNum initial() const { return initial_; }
  SeqNum seq(std::int64_t position) const { return wrap(position, initial_); }
  const Reassembly& stream() const { return stream_; }
  const ReceiverCounters& counters() const { return counters_; }

  // The shift that states the largest window: RFC 7323 section 2.3. Linux's states a whole buffer that may grow to tcp_rmem[2],
  // of which half is window (tcp_select_initial_window).
  static std::uint8_t scale_for(const TcpOptions& options);

 private:
  static constexpr std::size_t kMostOwed = 256;

  // A segment, or with `ack_per_train` a train, which is then as one large segment.
  struct Piece {
    std::int64_t position;
    std::int64_t length;
    std::int64_t payload;  // of a segment of it
    std::span<const std::uint8_t> data;
    bool pushed;
    Duration srtt;
  };

  void take_piece(SimTime now, const Piece& piece);
  void measure_segment(std::int64_t length, bool pushed);
  void follow_buffer(std::int64_t length);
  void quicken(std::uint32_t most);
  void enter_quick_mode(std::uint32_t most);
  std::int64_t linux_window();
  std::uint16_t state_window(std::int64_t position, std::uint8_t shift);
  void taken_by_application(SimTime heard);
  void acknowledge(SimTime now, Duration srtt);
  // Linux: more than one full segment since the last acknowledgement, for the usual two.
  bool owes_for_two() const { return unacknowledged_ > (options_.delayed_ack_segments - 1) * full_segment_; }
  void delay_ack(SimTime now);
  bool compress(SimTime now, Duration srtt);
  bool times_round_trips() const { return buffer_ < options_.receive_buffer || options_.compressed_acks > 0; }
  void take_mark(const TcpSegment& segment);
  void echo_each_mark(bool marked);
  void open_window_if_worthwhile();
  void measure_round_trip(SimTime now);
  void right_size(SimTime now);

  const TcpOptions& options_;
  Reassembly stream_;
  SeqNum initial_{0};
  std::uint8_t scale_ = 0;
  std::size_t sack_blocks_ = 0;
  bool ecn_ = false;

  std::optional<std::int64_t> fin_position_;
  bool fin_received_ = false;
  std::int64_t offered_edge_ = 1;    // of the window, before rounding
  std::int64_t right_edge_ = 1;      // the furthest that the peer was told
  std::int64_t stated_ = 0;          // the window as it was stated last
  std::int64_t full_segment_;        // the largest payload so far: what counts as full-sized; Linux: rcv_mss
  std::int64_t shorter_ = 0;         // payload of the latest segment, if it was shorter and may be full-sized
  std::int64_t unacknowledged_ = 0;  // bytes in order since the last acknowledgement
  std::uint32_t compressed_ = 0;     // acknowledgements since the last that left; Linux: compressed_ack
  SimTime compressed_until_ = SimTime::never();
  std::uint32_t told_of_gap_ = 0;    // acknowledgements that were not compressed; Linux: dup_ack_counter
  std::int64_t told_of_gap_at_ = 0;  // rcv_nxt() at them
  std::uint32_t quick_acks_left_ = 0;
  SimTime data_at_ = SimTime::never();  // when data in order came last
  int pushes_ = 0;  // since the last acknowledgement; one waits for an answer of the application, two do not
  bool interactive_ = false;  // the application answers what comes
  bool ecn_echo_ = false;
  bool ecn_seen_ = false;  // segments that can be marked
  SimTime ack_at_ = SimTime::never();

  std::int64_t buffer_;
  std::int64_t window_limit_;    // of the window, below the buffer; Linux: rcv_ssthresh
  bool overhead_known_ = false;  // of the peer's segments
  std::optional<Duration> round_trip_;
  SimTime last_echo_ = SimTime::never();
  std::optional<SimTime> window_since_;  // when the peer was last told of the window up to window_mark_
  std::int64_t window_mark_ = 0;
  SimTime counted_since_ = SimTime::zero();  // right-sizing counts what the application takes from here
  std::int64_t counted_from_ = 1;
  std::int64_t taken_;  // the most that it took in one round trip

  std::vector<OwedAck> owed_;
  std::size_t first_owed_ = 0;
  ReceiverCounters counters_;
};

}  // namespace simcore

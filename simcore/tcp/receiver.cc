// SPDX-License-Identifier: MIT
#include "simcore/tcp/receiver.h"

#include <algorithm>

namespace simcore {

namespace {

constexpr std::int64_t kLargestField = 65'535;
// Right-sizing: what a sender is thought to begin with, and what its window is given on top.
constexpr std::int64_t kInitialSegments = 10;
constexpr std::uint32_t kQuickAcksOfMark = 2;
constexpr std::uint32_t kToldAtOnce = 3;        // TCP_FASTRETRANS_THRESH
constexpr std::int64_t kCompressionShare = 20;  // of a round trip
constexpr std::int64_t kLeastOfGrowth = 128;    // bytes: a shorter segment does not widen the window
constexpr std::int64_t kLeastWithoutPush = 68;  // bytes: TCP_MIN_MSS, less the options
// Linux takes half of a socket's buffer for data until it has seen a full segment (TCP_DEFAULT_SCALING_RATIO: 128 of 256).
// Then it knows better: 1,448 bytes of the 2,304 that a frame of Ethernet takes (SKB_TRUESIZE) are 160 of 256.
constexpr std::int64_t kShareAtFirst = 128;
constexpr std::int64_t kShareOfFrames = 160;

}  // namespace

TcpReceiver::TcpReceiver(const TcpOptions& options)
    : options_(options),
      stream_(1, options.out_of_order_ranges),
      full_segment_(std::min<std::int64_t>(options.mss, kDefaultMss)),
      buffer_(
          std::min(options.initial_receive_buffer.value_or(options.receive_buffer), options.receive_buffer)),
      window_limit_(buffer_),
      taken_(kInitialSegments * std::int64_t{options.mss}) {}

void TcpReceiver::establish(SimTime now, std::uint8_t scale, std::size_t sack_blocks, bool ecn) {
  counted_since_ = now;
  scale_ = scale;
  sack_blocks_ = sack_blocks;
  ecn_ = ecn;
}

std::uint8_t TcpReceiver::scale_for(const TcpOptions& options) {
  const bool grows = options.receiver_of_linux &&
                     options.initial_receive_buffer.value_or(options.receive_buffer) < options.receive_buffer;
  const std::int64_t buffer = options.receive_buffer * (grows ? 2 : 1);
  std::uint8_t scale = 0;
  while (scale < kLargestScale && (buffer >> scale) > kLargestField) ++scale;
  return scale;
}

void TcpReceiver::take(SimTime now, std::int64_t position, const TcpSegment& segment, const RttEstimator& rtt,
                       bool closed_here) {
  if (times_round_trips()) measure_round_trip(now);
  // The peer may have to open its window again (tcp_event_data_recv).
  const bool paused = data_at_ != SimTime::never() && now - data_at_ > rtt.rto();
  if (options_.receiver_of_linux && paused && segment.length > 0) quicken(options_.quick_acks);
  take_mark(segment);
  const std::int64_t end = position + segment.length;
  // A FIN by itself needs room in the window as data do, or is dropped and answered (tcp_data_queue; RFC 9293 section
  // 3.10.7.4).
  const bool fin_fits = segment.length > 0 ? end <= right_edge_ : end < right_edge_;
  if (segment.has(TcpFlag::fin) && !fin_position_ && fin_fits) fin_position_ = end;
  const bool open_ended = options_.receiver_of_linux && !closed_here;
  const bool ends = fin_position_ == end && position <= stream_.next() && !stream_.has_gaps();
  if (open_ended && ends && !fin_received_) interactive_ = true;  // tcp_fin: the answer is our own FIN

  const std::size_t owed_before = owed_.size() - first_owed_;
  const std::int64_t payload = segment.segments > 1 ? segment.segment_payload : segment.length;
  const std::int64_t piece = options_.ack_per_train ? segment.length : payload;
  std::int64_t offset = 0;
  while (offset < static_cast<std::int64_t>(segment.length)) {
    const std::int64_t length = std::min(piece, segment.length - offset);
    const std::size_t stored = segment.data.size();
    const auto from = std::min(stored, static_cast<std::size_t>(offset));
    const auto bytes = segment.data.subspan(from, std::min(stored - from, static_cast<std::size_t>(length)));
    const bool last = offset + length >= segment.length;
    take_piece(now, {.position = position + offset,
                     .length = length,
                     .payload = std::min(payload, length),
                     .data = bytes,
                     .pushed = last && segment.has(TcpFlag::psh),
                     .srtt = rtt.srtt()});
    offset += length;
  }
  const bool completes = fin_position_ && !fin_received_ && stream_.next() == *fin_position_;
  if (completes) {
    fin_received_ = true;
    bool due = !open_ended || data_at_ == SimTime::never();
    while (owed_.size() - first_owed_ > owed_before) {  // one acknowledgement for the data and the FIN
      owed_.pop_back();
      due = true;
    }
    ++unacknowledged_;
    if (due || unacknowledged_ > full_segment_) {
      owe_ack(false);
    } else {
      delay_ack(now);
    }
  } else if (segment.has(TcpFlag::fin)) {
    owe_ack(true);
  }
}

void TcpReceiver::take_mark(const TcpSegment& segment) {
  if (!ecn_) return;
  const bool marked = segment.ecn == EcnCodepoint::ce;
  if (marked) counters_.ce_marks += segment.segments;
  if (options_.echoes_each_mark()) {
    if (segment.length > 0) echo_each_mark(marked);
    return;
  }
  if (segment.has(TcpFlag::cwr)) {
    ecn_echo_ = false;
    // Its window may be down to this segment (tcp_ecn_accept_cwr).
    if (segment.length > 0) quick_acks_left_ = std::max(quick_acks_left_, 1u);
  }
  if (marked) {
    // The first mark is told at once, as the peer's window may be small (__tcp_ecn_check_ce).
    if (!ecn_echo_) enter_quick_mode(kQuickAcksOfMark);
    ecn_echo_ = true;
  } else if (options_.receiver_of_linux && ecn_seen_ && segment.ecn == EcnCodepoint::not_ect &&
             segment.length > 0) {
    enter_quick_mode(kQuickAcksOfMark);  // it was probably sent again, as __tcp_ecn_check_ce says
  }
  ecn_seen_ = ecn_seen_ || segment.ecn != EcnCodepoint::not_ect;
}

// RFC 8257 section 3.2: an acknowledgement echoes marks for all that it covers, so one that is delayed leaves before the echo
// changes, and the change is told at once (dctcp_ece_ack_update).
void TcpReceiver::echo_each_mark(bool marked) {
  if (marked == ecn_echo_) return;
  if (ack_at_ != SimTime::never()) owe_ack(true);
  ecn_echo_ = marked;
  quick_acks_left_ = std::max(quick_acks_left_, 1u);
}

void TcpReceiver::take_piece(SimTime now, const Piece& piece) {
  const std::int64_t segments = (piece.length + piece.payload - 1) / piece.payload;
  counters_.segments += static_cast<std::uint64_t>(segments);
  const std::int64_t edge = fin_position_ ? std::min(right_edge_, *fin_position_) : right_edge_;
  const std::int64_t room = std::min(piece.length, edge - piece.position);
  if (room <= 0) {  // all of it is beyond the window: a probe, or a peer that ignores it
    owe_ack(true);
    return;
  }
  const bool gaps_before = stream_.has_gaps();
  const auto kept = std::min(piece.data.size(), static_cast<std::size_t>(room));
  const Reassembly::Taken taken = stream_.take(piece.position, room, piece.data.first(kept));
  if (taken.refused) ++counters_.refused_segments;
  if (taken.in_order > 0) {
    measure_segment(piece.payload, piece.pushed);
    if (data_at_ == SimTime::never()) quicken(options_.quick_acks);
    data_at_ = now;
    follow_buffer(piece.length);
    unacknowledged_ += taken.in_order;
    // RFC 5681 section 4.2: what fills a gap is acknowledged at once.
    const bool filled = gaps_before && !(options_.receiver_of_linux && stream_.has_gaps());
    const bool again = taken.duplicate > 0 && !options_.receiver_of_linux;
    if (filled || again || room < piece.length) {
      owe_ack(stream_.has_gaps());
    } else {
      acknowledge(now, piece.srtt);
    }
  } else if (taken.duplicate >= room) {
    counters_.duplicate_segments += static_cast<std::uint64_t>(segments);
    enter_quick_mode(options_.quick_acks);  // tcp_data_queue: out_of_window
    owe_ack(true);
  } else {
    counters_.out_of_order_segments += static_cast<std::uint64_t>(segments);
    if (sack_blocks_ > 0) follow_buffer(piece.length);  // tcp_data_queue_ofo
    acknowledge(now, piece.srtt);
  }
}

// RFC 1122 section 4.2.3.2: at least every second full-sized segment, and within the time of the timer. RFC 5681 section 4.2:
// at once what is out of order, which Linux obeys for three segments, and then compresses. It leaves more than one segment to
// the reader, or the timer, while what nobody has read yet narrows the window (__tcp_ack_snd_check).
void TcpReceiver::acknowledge(SimTime now, Duration srtt) {
  const bool gaps = stream_.has_gaps();
  bool due = !options_.delayed_ack ||
             (options_.receiver_of_linux ? owes_for_two() && (unread() == 0 || linux_window() >= stated_)
                                         : unacknowledged_ >= options_.delayed_ack_segments * full_segment_);
  if (quick_acks_left_ > 0 && !interactive_) {
    --quick_acks_left_;
    due = true;
  }
  if (due || (gaps && !compress(now, srtt))) {
    owe_ack(gaps);
  } else if (!gaps) {
    delay_ack(now);
  }
}

void TcpReceiver::delay_ack(SimTime now) {
  if (ack_at_ == SimTime::never()) ack_at_ = now + options_.delayed_ack_timeout;
}

// Whether an acknowledgement that tells of a gap may wait for others: not the first three at a position, which the peer may
// need to find the loss, and no longer than the twentieth part of a round trip.
bool TcpReceiver::compress(SimTime now, Duration srtt) {
  if (sack_blocks_ == 0 || compressed_ >= options_.compressed_acks) return false;
  if (told_of_gap_at_ != rcv_nxt()) {
    told_of_gap_at_ = rcv_nxt();
    told_of_gap_ = 0;
  }
  if (told_of_gap_ < kToldAtOnce) {
    ++told_of_gap_;
    return false;
  }
  ++compressed_;
  ++counters_.compressed_acks;
  if (compressed_until_ != SimTime::never()) return true;
  Duration round_trip = round_trip_.value_or(Duration::zero());
  if (srtt > Duration::zero()) round_trip = std::min(round_trip, srtt);
  compressed_until_ = now + std::min(options_.ack_compression_delay, round_trip / kCompressionShare);
  return true;
}

// What counts as full-sized, and whether the peer's application may wait for an answer (tcp_measure_rcv_mss).
void TcpReceiver::measure_segment(std::int64_t length, bool pushed) {
  if (!options_.receiver_of_linux) {
    full_segment_ = std::max(full_segment_, std::min<std::int64_t>(length, options_.mss));
    return;
  }
  const std::int64_t before = shorter_;
  shorter_ = 0;
  if (length >= full_segment_) {
    full_segment_ = std::min<std::int64_t>(length, options_.mss);
    if (pushed) pushes_ = std::max(pushes_, 1);
    return;
  }
  if (length >= kDefaultMss || (length >= kLeastWithoutPush && !pushed)) {
    shorter_ = length;
    if (length == before) {  // twice: the peer's segments have become shorter
      full_segment_ = length;
      return;
    }
  }
  pushes_ = std::min(pushes_ + 1, 2);
}

// tcp_grow_window.
void TcpReceiver::follow_buffer(std::int64_t length) {
  if (!options_.receiver_of_linux || length < full_segment_ || length < kLeastOfGrowth) return;
  if (!overhead_known_) {
    overhead_known_ = true;
    buffer_ = std::clamp(buffer_ * kShareOfFrames / kShareAtFirst, buffer_, options_.receive_buffer);
  }
  const std::int64_t room = buffer_ - unread() - window_limit_;
  if (room <= 0) return;
  window_limit_ += std::min(room, 2 * std::max<std::int64_t>(options_.mss, length));
  quick_acks_left_ |= std::min(options_.quick_acks, 1u);
}

// The next segments are acknowledged at once: as many as half of the window holds, two at least, `most` at most
// (tcp_incr_quickack).
void TcpReceiver::quicken(std::uint32_t most) {
  const std::int64_t half = stated_ / (2 * full_segment_);
  const std::int64_t count = std::min<std::int64_t>(half <= 0 ? 2 : half, most);
  quick_acks_left_ = std::max(quick_acks_left_, static_cast<std::uint32_t>(count));
}

// The same, whatever the application answers (tcp_enter_quickack_mode).
void TcpReceiver::enter_quick_mode(std::uint32_t most) {
  quicken(most);
  interactive_ = false;
}

void TcpReceiver::data_sent(SimTime now) {
  if (!options_.receiver_of_linux || data_at_ == SimTime::never()) return;
  interactive_ = interactive_ || now - data_at_ < options_.delayed_ack_timeout;  // tcp_event_data_sent
}

void TcpReceiver::note_duplicate(std::int64_t left, std::int64_t right) {
  ++counters_.duplicate_segments;
  stream_.report_duplicate({left, right});
  // The peer did not hear of it, and must hear now (tcp_send_dupack, tcp_data_queue).
  enter_quick_mode(options_.quick_acks);
}

void TcpReceiver::owe_ack(bool alone) {
  compressed_ = 0;
  compressed_until_ = SimTime::never();
  unacknowledged_ = 0;
  pushes_ = 0;
  ack_at_ = SimTime::never();
  if (first_owed_ == owed_.size()) {
    owed_.clear();
    first_owed_ = 0;
  }
  const bool full = owed_.size() >= kMostOwed;
  if (full) {
    ++counters_.merged_acks;
    owed_.pop_back();
  }
  if (sack_blocks_ > 0 && stream_.has_duplicate()) ++counters_.dsacks_sent;
  owed_.push_back({rcv_nxt(), sack_blocks_ > 0 ? stream_.sack_blocks(sack_blocks_, initial_) : SackBlocks{},
                   ecn_echo_, alone});
  if (owed_.back().sack.count > 0) owed_.back().alone = true;
}

std::optional<TcpReceiver::OwedAck> TcpReceiver::next_ack(bool data_follows) {
  if (!owes_ack()) return std::nullopt;
  const bool last = first_owed_ + 1 == owed_.size();
  if (last && data_follows && !owed_[first_owed_].alone) return std::nullopt;
  return owed_[first_owed_++];
}

void TcpReceiver::ack_carried() {
  unacknowledged_ = 0;
  pushes_ = 0;
  ack_at_ = SimTime::never();
  owed_.clear();
  first_owed_ = 0;
}

std::uint16_t TcpReceiver::window_field(std::int64_t position) {
  if (options_.receiver_of_linux) {
    offered_edge_ = std::max(offered_edge_, rcv_nxt() + linux_window());
  } else {
    const std::int64_t edge = rcv_nxt() + std::max<std::int64_t>(0, buffer_ - unread());
    if (edge >= offered_edge_ + std::min(buffer_ / 2, full_segment_)) offered_edge_ = edge;
  }
  return state_window(position, scale_);
}

std::uint16_t TcpReceiver::syn_window_field(std::int64_t segment) {
  if (options_.receiver_of_linux && buffer_ > segment) {
    window_limit_ = buffer_ - buffer_ % segment;  // tcp_select_initial_window
  }
  offered_edge_ = std::max(offered_edge_, rcv_nxt() + window_limit_);
  return state_window(1, 0);
}

std::uint16_t TcpReceiver::state_window(std::int64_t position, std::uint8_t shift) {
  const std::int64_t unit = std::int64_t{1} << shift;
  const std::int64_t width = std::max<std::int64_t>(0, offered_edge_ - position);
  const std::int64_t field = std::min((width + unit - 1) >> shift, kLargestField);
  right_edge_ = std::max(right_edge_, position + (field << shift));
  stated_ = std::max<std::int64_t>(0, offered_edge_ - rcv_nxt());
  return static_cast<std::uint16_t>(field);
}

// __tcp_select_window.
std::int64_t TcpReceiver::linux_window() {
  const std::int64_t segment = std::min(full_segment_, buffer_);
  std::int64_t room = std::max<std::int64_t>(0, buffer_ - unread());
  if (room < buffer_ / 2) {
    quick_acks_left_ = 0;
    room = room >> scale_ << scale_;
    if (room < buffer_ / 16 || room < segment) return 0;
  }
  room = std::min({room, window_limit_, kLargestField << scale_});
  if (scale_ > 0) return room;
  if (stated_ <= room - segment || stated_ > room) return room / segment * segment;
  return segment == buffer_ && room > stated_ + buffer_ / 2 ? room : stated_;
}

void TcpReceiver::expire(SimTime now) {
  if (now >= compressed_until_) {  // tcp_compressed_ack_kick
    --counters_.compressed_acks;
    owe_ack(true);
  }
  if (now < ack_at_) return;
  interactive_ = false;  // no answer came (tcp_delack_timer_handler)
  owe_ack(false);
}

std::int64_t TcpReceiver::read(SimTime heard, std::span<std::uint8_t> out) {
  const std::int64_t count = stream_.read(out);
  if (count > 0) taken_by_application(heard);
  return count;
}

std::int64_t TcpReceiver::discard(SimTime heard, std::int64_t bytes) {
  const std::int64_t count = stream_.discard(bytes);
  if (count > 0) taken_by_application(heard);
  return count;
}

void TcpReceiver::taken_by_application(SimTime heard) {
  right_size(heard);
  // tcp_cleanup_rbuf.
  const bool waits = ack_at_ != SimTime::never() && options_.receiver_of_linux;
  if (waits && (owes_for_two() || (pushes_ > (interactive_ ? 1 : 0) && unread() == 0))) owe_ack(false);
  open_window_if_worthwhile();
}

void TcpReceiver::note_echo(SimTime now, SimTime sent) {
  if (!times_round_trips() || sent == last_echo_) return;
  last_echo_ = sent;
  // Both to the tick of timestamps. One that is shorter counts at once (tcp_rcv_rtt_update, since Linux 6.16).
  const SimTime tick = SimTime::at_ns(now.count_ns() / kTimestampTick.count_ns() * kTimestampTick.count_ns());
  const Duration sample = std::max(tick - sent, kTimestampTick);
  round_trip_ = round_trip_ && sample > *round_trip_ ? (*round_trip_ * 7 + sample) / 8 : sample;
}

// Without timestamps: the time in which a window's worth comes is at least a round trip.
void TcpReceiver::measure_round_trip(SimTime now) {
  if (stream_.next() < window_mark_) return;
  if (window_since_) {
    const Duration sample = now - *window_since_;
    round_trip_ = round_trip_ ? std::min(*round_trip_, sample) : sample;
  }
  window_since_ = now;
  window_mark_ = right_edge_;
}

void TcpReceiver::right_size(SimTime now) {
  if (buffer_ >= options_.receive_buffer || !round_trip_ || now - counted_since_ < *round_trip_) return;
  const std::int64_t position = stream_.next() - unread();
  const std::int64_t taken = position - counted_from_;
  if (taken > taken_) {
    const std::int64_t steady = 2 * taken;
    const double growth = static_cast<double>(taken - taken_) / static_cast<double>(taken_);
    const auto wanted = static_cast<std::int64_t>(static_cast<double>(steady) * (1 + 2 * growth));
    buffer_ = std::clamp(wanted, buffer_, options_.receive_buffer);
    taken_ = taken;
  }
  counted_since_ = now;
  counted_from_ = position;
}

// Tells the peer of new room when it is two segments or half the buffer, and twice what it knows of; Linux only asks for
// the latter (tcp_cleanup_rbuf).
void TcpReceiver::open_window_if_worthwhile() {
  if (fin_received_ || owes_ack()) return;  // what is owed tells it
  const std::int64_t told = right_edge_ - rcv_nxt();
  const std::int64_t window = options_.receiver_of_linux ? linux_window() : buffer_ - unread();
  const std::int64_t worthwhile =
      options_.receiver_of_linux ? 1 : std::min<std::int64_t>(buffer_ / 2, 2 * options_.mss);
  if (window - told >= worthwhile && window >= 2 * told) owe_ack(false);
}

}  // namespace simcore

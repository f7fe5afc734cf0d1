// SPDX-License-Identifier: MIT
#include "simcore/tcp/receiver.h"

#include <algorithm>

namespace simcore {

namespace {

constexpr std::int64_t kLargestField = 65'535;
// Right-sizing: what a sender is thought to begin with, and what its window is given on top.
constexpr std::int64_t kInitialSegments = 10;
constexpr std::int64_t kCushionSegments = 16;
constexpr std::uint32_t kQuickAcksOfMark = 2;

}  // namespace

TcpReceiver::TcpReceiver(const TcpOptions& options)
    : options_(options),
      stream_(1, options.out_of_order_ranges),
      full_segment_(std::min<std::int64_t>(options.mss, kDefaultMss)),
      quick_acks_left_(options.quick_acks),
      buffer_(
          std::min(options.initial_receive_buffer.value_or(options.receive_buffer), options.receive_buffer)),
      taken_(kInitialSegments * std::int64_t{options.mss}) {}

void TcpReceiver::establish(std::uint8_t scale, std::size_t sack_blocks, bool ecn) {
  scale_ = scale;
  sack_blocks_ = sack_blocks;
  ecn_ = ecn;
}

std::uint8_t TcpReceiver::scale_for(std::int64_t buffer) {
  std::uint8_t scale = 0;
  while (scale < kLargestScale && (buffer >> scale) > kLargestField) ++scale;
  return scale;
}

void TcpReceiver::take(SimTime now, std::int64_t position, const TcpSegment& segment) {
  if (buffer_ < options_.receive_buffer) right_size(now);
  take_mark(segment);
  const std::int64_t end = position + segment.length;
  if (segment.has(TcpFlag::fin) && !fin_position_ && end <= right_edge_) fin_position_ = end;

  const std::int64_t piece = segment.segments > 1 ? segment.segment_payload : segment.length;
  std::int64_t offset = 0;
  while (offset < static_cast<std::int64_t>(segment.length)) {
    const std::int64_t length = std::min(piece, segment.length - offset);
    const std::size_t stored = segment.data.size();
    const auto from = std::min(stored, static_cast<std::size_t>(offset));
    const auto bytes = segment.data.subspan(from, std::min(stored - from, static_cast<std::size_t>(length)));
    take_segment(now, position + offset, length, bytes, offset + length >= segment.length);
    offset += length;
  }
  const bool completes = fin_position_ && !fin_received_ && stream_.next() == *fin_position_;
  if (completes) {
    fin_received_ = true;
    if (owes_ack() && !owed_.back().alone) owed_.pop_back();  // one acknowledgement for the data and the FIN
    owe_ack(false);
  } else if (segment.has(TcpFlag::fin)) {
    owe_ack(true);
  }
}

void TcpReceiver::take_mark(const TcpSegment& segment) {
  const bool marked = segment.ecn == EcnCodepoint::ce && ecn_;
  if (marked) counters_.ce_marks += segment.segments;
  if (options_.echoes_each_mark()) {
    if (ecn_ && segment.length > 0) echo_each_mark(marked);
  } else if (marked) {
    // The first mark is told at once, as the peer's window may be small (__tcp_ecn_check_ce).
    if (!ecn_echo_) quick_acks_left_ = std::max(quick_acks_left_, kQuickAcksOfMark);
    ecn_echo_ = true;
  } else if (segment.has(TcpFlag::cwr)) {
    ecn_echo_ = false;
    // Its window may be down to this segment (tcp_ecn_accept_cwr).
    if (segment.length > 0) quick_acks_left_ = std::max(quick_acks_left_, 1u);
  }
}

// RFC 8257 section 3.2: an acknowledgement echoes marks for all that it covers, so one that is delayed leaves before the echo
// changes, and the change is told at once (dctcp_ece_ack_update).
void TcpReceiver::echo_each_mark(bool marked) {
  if (marked == ecn_echo_) return;
  if (ack_at_ != SimTime::never()) owe_ack(true);
  ecn_echo_ = marked;
  quick_acks_left_ = std::max(quick_acks_left_, 1u);
}

void TcpReceiver::take_segment(SimTime now, std::int64_t position, std::int64_t length,
                               std::span<const std::uint8_t> data, bool last_of_train) {
  ++counters_.segments;
  full_segment_ = std::max(full_segment_, std::min<std::int64_t>(length, options_.mss));
  const std::int64_t edge = fin_position_ ? std::min(right_edge_, *fin_position_) : right_edge_;
  const std::int64_t room = std::min(length, edge - position);
  if (room <= 0) {  // all of it is beyond the window: a probe, or a peer that ignores it
    owe_ack(true);
    return;
  }
  const bool gaps_before = stream_.has_gaps();
  const auto kept = std::min(data.size(), static_cast<std::size_t>(room));
  const Reassembly::Taken taken = stream_.take(position, room, data.first(kept));
  if (taken.refused) ++counters_.refused_segments;
  if (taken.in_order == 0) {
    if (taken.duplicate >= room) {
      ++counters_.duplicate_segments;
      quick_acks_left_ = std::max(quick_acks_left_, options_.quick_acks);  // tcp_data_queue: out_of_window
    } else {
      ++counters_.out_of_order_segments;
    }
    quick_acks_left_ = std::max(quick_acks_left_, options_.quick_acks / 8);
    owe_ack(true);
  } else if (gaps_before || taken.duplicate > 0 || room < length) {
    owe_ack(stream_.has_gaps());  // RFC 5681 section 4.2: what fills a gap is acknowledged at once
  } else {
    acknowledge_in_order(now, length, last_of_train);
  }
}

// RFC 1122 section 4.2.3.2: at least every second full-sized segment, and within the time of the timer.
void TcpReceiver::acknowledge_in_order(SimTime now, std::int64_t length, bool last_of_train) {
  unacknowledged_ += length;
  bool due = !options_.delayed_ack || unacknowledged_ >= options_.delayed_ack_segments * full_segment_;
  if (quick_acks_left_ > 0) {
    --quick_acks_left_;
    due = true;
  }
  if (options_.ack_per_train) {
    ack_in_train_ = ack_in_train_ || due;
    if (!last_of_train) return;
    due = ack_in_train_;
    ack_in_train_ = false;
  }
  if (due) {
    owe_ack(false);
  } else if (ack_at_ == SimTime::never()) {
    ack_at_ = now + options_.delayed_ack_timeout;
  }
}

void TcpReceiver::note_duplicate(std::int64_t left, std::int64_t right) {
  ++counters_.duplicate_segments;
  stream_.report_duplicate({left, right});
  // The peer did not hear of it, and must hear now (tcp_send_dupack, tcp_data_queue).
  quick_acks_left_ = std::max(quick_acks_left_, options_.quick_acks);
}

void TcpReceiver::owe_ack(bool alone) {
  unacknowledged_ = 0;
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
  ack_at_ = SimTime::never();
  owed_.clear();
  first_owed_ = 0;
}

std::uint16_t TcpReceiver::window_field(std::int64_t position, bool on_syn) {
  const std::int64_t edge = rcv_nxt() + std::max<std::int64_t>(0, buffer_ - unread());
  const std::int64_t step = std::min<std::int64_t>(buffer_ / 2, options_.mss);
  if (edge >= offered_edge_ + step) offered_edge_ = edge;
  const std::uint8_t shift = on_syn ? 0 : scale_;
  const std::int64_t unit = std::int64_t{1} << shift;
  const std::int64_t width = std::max<std::int64_t>(0, offered_edge_ - position);
  const std::int64_t field = std::min((width + unit - 1) >> shift, kLargestField);
  right_edge_ = std::max(right_edge_, position + (field << shift));
  return static_cast<std::uint16_t>(field);
}

void TcpReceiver::expire(SimTime now) {
  if (now >= ack_at_) owe_ack(false);
}

std::int64_t TcpReceiver::read(std::span<std::uint8_t> out) {
  const std::int64_t count = stream_.read(out);
  if (count > 0) open_window_if_worthwhile();
  return count;
}

std::int64_t TcpReceiver::discard(std::int64_t bytes) {
  const std::int64_t count = stream_.discard(bytes);
  if (count > 0) open_window_if_worthwhile();
  return count;
}

void TcpReceiver::note_echo(SimTime now, SimTime sent) {
  if (buffer_ >= options_.receive_buffer || sent == last_echo_) return;
  last_echo_ = sent;
  const Duration sample = now - sent;
  round_trip_ = round_trip_ ? (*round_trip_ * 7 + sample) / 8 : sample;
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
  measure_round_trip(now);
  if (!round_trip_ || now - counted_since_ < *round_trip_) return;
  const std::int64_t position = stream_.next() - unread();
  const std::int64_t taken = position - counted_from_;
  if (taken > taken_) {
    const std::int64_t steady = 2 * taken + kCushionSegments * options_.mss;
    const double growth = static_cast<double>(taken - taken_) / static_cast<double>(taken_);
    const auto wanted = static_cast<std::int64_t>(static_cast<double>(steady) * (1 + 2 * growth));
    buffer_ = std::clamp(wanted, buffer_, options_.receive_buffer);
    taken_ = taken;
  }
  counted_since_ = now;
  counted_from_ = position;
}

// Tells the peer of new room when it is two segments or half the buffer, and twice what it knows of.
void TcpReceiver::open_window_if_worthwhile() {
  if (fin_received_) return;
  const std::int64_t edge = rcv_nxt() + buffer_ - unread();
  const std::int64_t worthwhile = std::min<std::int64_t>(buffer_ / 2, 2 * options_.mss);
  const bool doubled = edge - rcv_nxt() >= 2 * (right_edge_ - rcv_nxt());
  if (edge - right_edge_ >= worthwhile && doubled) owe_ack(false);
}

}  // namespace simcore

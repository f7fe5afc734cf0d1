// SPDX-License-Identifier: MIT
#include "simcore/portal/peering_sender.h"

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <limits>
#include <utility>

namespace simcore::peering {

PeeringSender::PeeringSender(Transport& transport, const Config& config, std::function<SimTime()> wall_now)
    : transport_(transport),
      config_(config),
      wall_now_(std::move(wall_now)),
      compressor_(config.compression, wall_now_),
      piece_size_(config.datagram_size - sizeof(PieceHeader)),
      full_body_(std::min(kLargestBody, transport.together(config.datagram_size) * piece_size_)),
      batches_(kBacklog) {
  assert(config.datagram_size >= kSmallestDatagram && config.datagram_size <= transport.largest_datagram());
}

PeeringSender::Counters& PeeringSender::Counters::operator+=(const Counters& more) {
  accepted_packets += more.accepted_packets;
  sent_packets += more.sent_packets;
  sent_bytes += more.sent_bytes;
  sent_frames += more.sent_frames;
  sent_batches += more.sent_batches;
  sent_datagrams += more.sent_datagrams;
  sent_datagram_bytes += more.sent_datagram_bytes;
  dropped.add(more.dropped);
  return *this;
}

bool PeeringSender::append(std::uint32_t channel, const Packet& packet) {
  counters_.accepted_packets += packet.segments;
  if (closed_ < kBacklog && !open_batch().body.empty() && !fits(open_batch(), packet)) {
    close();
    send_closed();
  }
  if (closed_ == kBacklog) {
    counters_.dropped.add(DropReason::portal_backlog, packet.segments);
    return false;
  }
  Batch& batch = open_batch();
  const bool first = batch.body.empty();
  if (first) batch.base_time_ns = packet.first_arrival.count_ns();
  append_record(batch.body, channel,
                static_cast<std::uint32_t>(packet.first_arrival.count_ns() - batch.base_time_ns), packet);
  batch.segments += packet.segments;
  ++batch.frames;
  batch.wire_bytes += static_cast<std::uint64_t>(packet.wire_size().count());
  queued_packets_ += packet.segments;

  const bool big_enough = config_.batch.flush == BatchPolicy::Flush::packet ||
                          (config_.batch.flush == BatchPolicy::Flush::size &&
                           batch.body.size() >= static_cast<std::size_t>(config_.batch.size.count()));
  if (batch.body.size() >= full_body_) {
    close();
    send_closed();
  } else if (big_enough) {
    close_if_nothing_waits();
  }
  return first;
}

void PeeringSender::refuse(const Packet& packet, DropReason reason) {
  counters_.accepted_packets += packet.segments;
  counters_.dropped.add(reason, packet.segments);
}

// Whether `packet` may join `batch`: in size, and in the reach of the departure's 32 bits.
bool PeeringSender::fits(const Batch& batch, const Packet& packet) const {
  const std::int64_t after_base = packet.first_arrival.count_ns() - batch.base_time_ns;
  return batch.body.size() + sizeof(Record) + packet.size() <= full_body_ && after_base >= 0 &&
         after_base <= std::numeric_limits<std::uint32_t>::max();
}

void PeeringSender::end_of_turn() {
  send_closed();
  if (config_.batch.flush == BatchPolicy::Flush::turn || overdue_) close_if_nothing_waits();
}

void PeeringSender::end_of_wait() {
  send_closed();
  close_if_nothing_waits();
}

// While older batches have to wait, the open one is better filled than closed.
void PeeringSender::close_if_nothing_waits() {
  overdue_ = closed_ > 0 || !ready_;
  if (overdue_ || open_batch().body.empty()) return;
  close();
  send_closed();
}

void PeeringSender::close() {
  Batch& batch = open_batch();
  batch.raw_size = static_cast<std::uint32_t>(batch.body.size());
  batch.compressed = compressor_.compress(batch.body, closed_ > 0);
  batch.pieces_sent = 0;
  overdue_ = false;
  ++closed_;
}

void PeeringSender::send_closed() {
  if (!ready_) return;
  while (closed_ > 0) {
    Batch& batch = batches_[first_];
    const int taken = send_pieces(batch);
    if (taken == -EAGAIN) return;
    if (taken > 0) {
      if (batch.pieces_sent == pieces_of(batch)) finish_first();
    } else {
      // A part that was taken has been numbered, and the receiver counts the loss.
      finish_first(batch.pieces_sent > 0 ? std::nullopt : std::optional(DropReason::device_refused));
    }
  }
}

void PeeringSender::discard() {
  while (closed_ > 0) {
    finish_first(batches_[first_].pieces_sent > 0 ? std::nullopt : std::optional(DropReason::portal_backlog));
  }
  if (!open_batch().body.empty()) {
    ++closed_;
    finish_first(DropReason::portal_backlog);
  }
  overdue_ = false;
}

std::size_t PeeringSender::pieces_of(const Batch& batch) const {
  return (batch.body.size() + piece_size_ - 1) / piece_size_;
}

// Offers the transport all of the batch's remaining pieces. Returns what Transport::send() returned.
int PeeringSender::send_pieces(Batch& batch) {
  const std::size_t end = pieces_of(batch);
  std::size_t count = 0;
  std::size_t bytes = 0;
  for (std::size_t piece = batch.pieces_sent; piece < end; ++piece, ++count) {
    const std::size_t offset = piece * piece_size_;
    const std::size_t length = std::min(piece_size_, batch.body.size() - offset);
    PieceHeader& header = headers_[count];
    header.datagram = {kMagic,
                       DatagramKind::piece,
                       batch.compressed ? kCompressed : std::uint8_t{0},
                       static_cast<std::uint16_t>(piece_size_),
                       config_.token,
                       config_.session};
    header.batch = next_batch_;
    header.base_time_ns = config_.clock.shown(SimTime::at_ns(batch.base_time_ns)).count_ns();
    header.first_segment = counters_.sent_packets;
    header.segments = batch.segments;
    header.body_size = static_cast<std::uint32_t>(batch.body.size());
    header.raw_size = batch.raw_size;
    header.index = static_cast<std::uint16_t>(piece);
    datagrams_[count] = {{reinterpret_cast<const std::uint8_t*>(&header), sizeof header},
                         std::span<const std::uint8_t>(batch.body).subspan(offset, length)};
    bytes += datagrams_[count].size();
  }
  const SimTime start = wall_now_();
  const int taken = transport_.send(std::span<const Transport::Datagram>(datagrams_).first(count));
  if (taken == static_cast<int>(count)) compressor_.sent(bytes, wall_now_() - start);
  if (taken > 0) count_taken(batch, static_cast<std::size_t>(taken));
  return taken;
}

void PeeringSender::count_taken(Batch& batch, std::size_t pieces) {
  const std::size_t begin = batch.pieces_sent * piece_size_;
  batch.pieces_sent += pieces;
  const std::size_t end = std::min(batch.pieces_sent * piece_size_, batch.body.size());
  counters_.sent_datagrams += pieces;
  counters_.sent_datagram_bytes += end - begin + pieces * sizeof(PieceHeader);
}

void PeeringSender::finish_first(std::optional<DropReason> dropped) {
  Batch& batch = batches_[first_];
  if (!dropped) {
    ++next_batch_;
    ++counters_.sent_batches;
    counters_.sent_packets += batch.segments;
    counters_.sent_frames += batch.frames;
    counters_.sent_bytes += batch.wire_bytes;
  } else {
    counters_.dropped.add(*dropped, batch.segments);
  }
  queued_packets_ -= batch.segments;
  batch.body.clear();
  batch.segments = 0;
  batch.frames = 0;
  batch.wire_bytes = 0;
  --closed_;
  // Where nothing waits behind it, the next one takes its memory, which the processor's caches hold.
  const std::size_t next = (first_ + 1) % kBacklog;
  if (closed_ > 0 || !batches_[next].body.empty()) first_ = next;
}

}  // namespace simcore::peering

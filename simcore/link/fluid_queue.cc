// SPDX-License-Identifier: MIT
#include "simcore/link/fluid_queue.h"

#include <algorithm>
#include <utility>

namespace simcore {

namespace {

using Work = __int128;

constexpr Work kByteWork = Work{8} * kNanosecondsPerSecond;

// A limit above these is none.
constexpr std::int64_t kMostPackets = 1'000'000'000;
constexpr std::int64_t kMostBytes = std::int64_t{1} << 40;

// So that no product leaves 128 bits.
constexpr std::int64_t kLongestFlow = 1'000 * kNanosecondsPerSecond;
constexpr Work kManyGrains = Work{1} << 120;

// Precondition: dividend >= 0, divisor > 0.
Work divided_rounding_up(Work dividend, std::int64_t divisor) { return (dividend + divisor - 1) / divisor; }

std::int64_t whole_bytes(Work work) { return static_cast<std::int64_t>(work / kByteWork); }

constexpr double kNewGap = 1.0 / 16;  // weight of a new one in the average between packets

}  // namespace

FluidQueue::FluidQueue(const Config& config, std::unique_ptr<BackgroundSource> source,
                       const RandomStream& places, SimTime now)
    : config_(config),
      rate_(config.rate.bits_per_second()),
      source_(std::move(source)),
      places_(places),
      base_(now),
      piece_until_(now) {
  room_ = room_beside(counted_, bytes_);
  next_piece();
}

SimTime FluidQueue::time_of(Work x) const {
  return base_ + Duration::ns(static_cast<std::int64_t>(x > 0 ? divided_rounding_up(x, rate_) : x / rate_));
}

FluidQueue::Work FluidQueue::position_of(SimTime time) const {
  return Work{(time - base_).count_ns()} * rate_;
}

// What so many packets of so many bytes leave of the limits to the fluid.
FluidQueue::Work FluidQueue::room_beside(std::int64_t packets, std::int64_t bytes) const {
  Work room = Work{std::min(config_.packets, kMostPackets) - packets} * kPacketSize.count();
  if (config_.bytes) room = std::min<Work>(room, std::min(config_.bytes->count(), kMostBytes) - bytes);
  return std::max<Work>(room, 0) * kByteWork * rate_;
}

void FluidQueue::advance(SimTime now) {
  const Work target = position_of(now);
  for (;;) {
    const bool packet = !waiting_.empty() && x_ >= waiting_.front().begins;
    Work end = std::min(target, x_ + Work{kLongestFlow} * rate_);
    if (!waiting_.empty()) end = std::min(end, packet ? waiting_.front().departs : waiting_.front().begins);
    if (piece_until_ <= now) end = std::min(end, position_of(piece_until_));
    flow(end - x_, packet);
    x_ = end;
    if (packet && x_ == waiting_.front().departs) {
      pop();
    } else if (piece_until_ <= now && x_ == position_of(piece_until_)) {
      next_piece();
    } else if (x_ == target && (waiting_.empty() || packet || x_ < waiting_.front().begins)) {
      return;
    }
  }
}

// The fluid moves along a line, for as much time as the transmitter needs for dx; `packet`: it is busy with one.
void FluidQueue::flow(Work dx, bool packet) {
  if (dx == 0) return;
  const Work in = Work{fluid_rate_} * dx;
  const Work out = packet ? 0 : Work{rate_} * dx;
  if (offered_.grains > kManyGrains) settle();
  const Work refused = Work{refused_rate_} * dx;
  offered_.grains += in + refused;
  lost_.grains += refused;
  piece_offered_.grains += in;
  const auto lose = [this](Work grains) {
    lost_.grains += grains;
    piece_lost_.grains += grains;
  };
  if (fluid_ > room_) {  // nothing comes in until the transmitter has sent what is too much
    const Work over = fluid_ - room_;
    if (out <= over) {
      fluid_ -= out;
      return lose(in);
    }
    // What comes while `over` is sent. In two parts: both rates times a long queue may leave 128 bits.
    const Work too_early = Work{fluid_rate_} * (over / rate_) + Work{fluid_rate_} * (over % rate_) / rate_;
    lose(too_early);
    fluid_ = room_ + (in - too_early) - (out - over);
  } else {
    fluid_ += in - out;
  }
  if (fluid_ > room_) {
    lose(fluid_ - room_);
    fluid_ = room_;
  }
  fluid_ = std::max<Work>(fluid_, 0);
}

// What has been counted is the same afterwards, and there is room for more.
void FluidQueue::settle() {
  for (Amount* const amount : {&offered_, &lost_, &piece_offered_, &piece_lost_}) {
    amount->whole += amount->grains / rate_;
    amount->grains %= rate_;
  }
}

// Takes in what comes at once.
void FluidQueue::pour(Work grains) {
  offered_.grains += grains;
  piece_offered_.grains += grains;
  const Work taken = std::clamp<Work>(room_ - fluid_, 0, grains);
  fluid_ += taken;
  lost_.grains += grains - taken;
  piece_lost_.grains += grains - taken;
}

void FluidQueue::next_piece() {
  settle();
  if (!source_) {
    piece_until_ = SimTime::never();
    source_rate_ = 0;
    fluid_rate_ = passing_rate_;
    return;
  }
  FluidFeedback seen;
  if (piece_offered_.whole > 0) {
    seen.lost = static_cast<double>(piece_lost_.whole) / static_cast<double>(piece_offered_.whole);
  }
  seen.waiting = Duration::ns(static_cast<std::int64_t>(waiting_work() / rate_));
  piece_offered_ = piece_lost_ = {};
  const FluidPiece piece = source_->next(piece_until_, seen);
  source_rate_ = std::clamp<std::int64_t>(piece.bits_per_second, 0, kMostFluidRate);
  fluid_rate_ = source_rate_ + passing_rate_;
  piece_until_ = piece.until;
  pour(Work{piece.at_once.count()} * kByteWork * rate_);
}

void FluidQueue::pop() {
  const Entry& head = waiting_.front();
  bytes_ -= head.bytes;
  if (head.bytes > 0) --counted_;
  waiting_.drop_front();
  room_ = room_beside(counted_, bytes_);
}

// Of the packets that are here, what has not been sent.
FluidQueue::Work FluidQueue::packet_work() const {
  Work work = Work{bytes_} * kByteWork;
  if (waiting_.empty()) return work;
  const Entry& head = waiting_.front();
  if (head.bytes == 0) return work + head.departs - std::max(x_, head.begins);
  return work - std::max<Work>(x_ - head.begins, 0);
}

FluidQueue::Work FluidQueue::waiting_work() const {
  return divided_rounding_up(fluid_, rate_) + packet_work();
}

std::optional<FluidQueue::Place> FluidQueue::admit(ByteCount size, SimTime now) {
  advance(now);
  note_offer();
  if (counted_ >= config_.packets) return std::nullopt;
  if (config_.bytes && bytes_ + size.count() > config_.bytes->count()) return std::nullopt;
  const Work room = room_beside(counted_ + 1, bytes_ + size.count());
  if (fluid_ > room && !wins_place(room_ - room, size)) return std::nullopt;
  return put(size);
}

void FluidQueue::note_offer() {
  const auto gap = static_cast<double>(x_ - last_offer_);
  gap_ = gap_ < 0 ? gap : gap_ + (gap - gap_) * kNewGap;
  last_offer_ = x_;
}

// Whether a packet of `size` gets one of the places for which it competes with the fluid; `place`: in grains.
bool FluidQueue::wins_place(Work place, ByteCount size) {
  const double takes = static_cast<double>(place) / static_cast<double>(rate_);
  const double load = static_cast<double>(fluid_rate_) / static_cast<double>(rate_);
  const double asked = gap_ * load + takes;
  const double freed = gap_ + takes - static_cast<double>(size.count() * kByteWork);
  const double found = std::max(0.0, gap_ * (1 - load)) / takes;
  const double share = std::max(freed, 0.0) / asked;
  double wins = 0;
  if (share >= 1) {
    wins = 1;
  } else if (share > found) {
    wins = (share - found) / (1 - found);
  }
  return places_.bernoulli(std::min(load, 1.0) * wins);
}

FluidQueue::Place FluidQueue::hold(ByteCount size, SimTime now) {
  advance(now);
  return put(size);
}

void FluidQueue::block_until(SimTime free, SimTime now) {
  advance(now);
  if (free > now) waiting_.push({x_, position_of(free), 0});
}

FluidQueue::Place FluidQueue::put(ByteCount size) {
  const Work begins = x_ + waiting_work();
  waiting_.push({begins, begins + Work{size.count()} * kByteWork, size.count()});
  ++counted_;
  bytes_ += size.count();
  room_ = room_beside(counted_, bytes_);
  return {time_of(begins), time_of(waiting_.back().departs)};
}

void FluidQueue::change(const Config& config, SimTime now) {
  advance(now);
  const std::int64_t rate = config.rate.bits_per_second();
  config_ = config;
  if (rate != rate_) {
    // Work stays what it is; from here on it is done at the other rate.
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
      waiting_[i].begins -= x_;
      waiting_[i].departs -= x_;
    }
    settle();
    for (Amount* const amount : {&offered_, &lost_, &piece_offered_, &piece_lost_}) amount->grains = 0;
    last_offer_ -= x_;
    gap_ *= static_cast<double>(rate) / static_cast<double>(rate_);
    fluid_ = fluid_ / rate_ * rate;
    base_ = now;
    x_ = 0;
    rate_ = rate;
  }
  room_ = room_beside(counted_, bytes_);
}

void FluidQueue::change_source(std::unique_ptr<BackgroundSource> source, SimTime now) {
  advance(now);
  source_ = std::move(source);
  piece_until_ = now;
  next_piece();
}

void FluidQueue::pass(std::int64_t bits_per_second, std::int64_t lost, SimTime now) {
  advance(now);
  passing_rate_ = bits_per_second;
  refused_rate_ = lost;
  fluid_rate_ = source_rate_ + passing_rate_;
}

FluidFeedback FluidQueue::observe(SimTime now) {
  advance(now);
  settle();
  const Work offered = offered_.whole - std::exchange(observed_offered_, offered_.whole);
  const Work lost = lost_.whole - std::exchange(observed_lost_, lost_.whole);
  FluidFeedback seen{.waiting = waiting(now)};
  // What packets have pushed out may have come before.
  if (offered > 0) seen.lost = std::min(1.0, static_cast<double>(lost) / static_cast<double>(offered));
  return seen;
}

void FluidQueue::clear(SimTime now) {
  advance(now);
  while (!waiting_.empty()) pop();
  bytes_ = 0;
  settle();
  lost_.grains += fluid_;
  fluid_ = 0;
  fluid_rate_ = source_rate_ = passing_rate_ = refused_rate_ = 0;
  piece_until_ = SimTime::never();
}

FluidQueue::Place FluidQueue::place(std::size_t index) const {
  const Entry& entry = waiting_[waiting_.size() - static_cast<std::size_t>(counted_) + index];
  return {time_of(entry.begins), time_of(entry.departs)};
}

std::int64_t FluidQueue::packets(SimTime now) {
  advance(now);
  return counted_;
}

ByteCount FluidQueue::bytes(SimTime now) {
  advance(now);
  return ByteCount::bytes(bytes_);
}

Duration FluidQueue::waiting(SimTime now) {
  advance(now);
  return Duration::ns(static_cast<std::int64_t>(divided_rounding_up(waiting_work(), rate_)));
}

FluidQueue::Counters FluidQueue::counters(SimTime now) {
  advance(now);
  Counters all;
  all.offered_bytes = whole_bytes(offered_.whole + offered_.grains / rate_);
  all.lost_bytes = whole_bytes(lost_.whole + lost_.grains / rate_);
  all.waiting_bytes = whole_bytes(fluid_ / rate_);
  all.served_bytes = all.offered_bytes - all.lost_bytes - all.waiting_bytes;
  return all;
}

}  // namespace simcore

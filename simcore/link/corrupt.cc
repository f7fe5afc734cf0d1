// SPDX-License-Identifier: MIT
#include "simcore/link/corrupt.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "simcore/link/probability.h"
#include "simcore/link/segment_runs.h"

namespace simcore {

namespace {

constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

// How many good bits come before the next error: geometric, by inversion.
std::uint64_t good_bits(RandomStream& random, double log_of_good) {
  const double bits = std::floor(std::log1p(-random.uniform()) / log_of_good);
  return bits < 1e18 ? static_cast<std::uint64_t>(bits) : kNever;
}

// `packet` with all of its bytes stored, or null when the pool has no room.
PacketPtr stored(PacketPtr packet, PacketPool& pool) {
  if (packet->virtual_payload == 0) return packet;
  const std::size_t before = packet->size();
  PacketPtr whole = pool.make(before + packet->virtual_payload);
  if (!whole) return nullptr;
  whole->describe_as(*packet);
  whole->virtual_payload = 0;
  std::copy(packet->bytes().begin(), packet->bytes().end(), whole->bytes().begin());
  const auto added = whole->bytes().subspan(before);
  std::fill(added.begin(), added.end(), std::uint8_t{0});
  return whole;
}

}  // namespace

ErrorModel independent_bit_errors(double rate) {
  if (!(rate >= 0 && rate < 1)) {
    throw ConfigError("make bit errors: the rate is " + std::to_string(rate) +
                      "; it is a probability below 1, of each bit");
  }
  if (rate == 0) return [](RandomStream&, std::uint64_t, std::vector<std::uint64_t>&) {};
  return [log_of_good = std::log1p(-rate), next = kNever, drawn = false](
             RandomStream& random, std::uint64_t bits, std::vector<std::uint64_t>& flipped) mutable {
    if (!drawn) next = good_bits(random, log_of_good);
    drawn = true;
    while (next < bits) {
      flipped.push_back(next);
      const std::uint64_t good = good_bits(random, log_of_good);
      next = good >= kNever - next - 1 ? kNever : next + 1 + good;
    }
    if (next != kNever) next -= bits;
  };
}

ErrorModel one_bit_errors(double probability) {
  require_probability("bit errors", "corrupt", probability);
  return [probability](RandomStream& random, std::uint64_t bits, std::vector<std::uint64_t>& flipped) {
    if (!random.bernoulli(probability) || bits == 0) return;
    flipped.push_back(
        std::min(bits - 1, static_cast<std::uint64_t>(random.uniform() * static_cast<double>(bits))));
  };
}

Corrupt::Corrupt(Simulation& simulation, PacketPool& pool, std::string_view name, ErrorModel model,
                 PacketSink& sink)
    : pool_(pool),
      random_(simulation.stream(name)),
      model_(std::move(model)),
      sink_(sink),
      later_(simulation, sink) {}

void Corrupt::accept(PacketPtr packet) {
  const SimTime now = packet->first_arrival;
  accepted_ += packet->segments;
  flips_.clear();
  // What for_each_run() takes away changes the packet, so sizes are read from a description of the whole.
  const std::uint64_t segments = packet->segments;
  const std::uint64_t usual = largest_segment(*packet);
  const std::uint64_t last = static_cast<std::uint64_t>(packet->wire_size().count()) - (segments - 1) * usual;
  std::uint64_t segment = 0;
  const auto fate_of = [&](const SegmentView&) {
    ++segment;
    return decide(segment, segment == segments ? last : usual);
  };
  const auto give = [&](PacketPtr piece, std::uint64_t fate) {
    const std::uint16_t count = piece->segments;
    if (fate != 0) piece = damaged(std::move(piece), fate);
    if (!piece) return dropped_.add(DropReason::pool_exhausted, count);
    if (piece->first_arrival <= now) return sink_.accept(std::move(piece));
    const SimTime arrival = piece->first_arrival;
    later_.insert(std::move(piece), arrival);
  };
  const std::uint16_t lost = for_each_run(std::move(packet), pool_, fate_of, give);
  if (lost > 0) dropped_.add(DropReason::pool_exhausted, lost);
}

// The fate of a segment: 0 when it stays whole, else its own number.
std::uint64_t Corrupt::decide(std::uint64_t segment, std::uint64_t bytes) {
  flipped_.clear();
  model_(random_, bytes * 8, flipped_);
  for (const std::uint64_t bit : flipped_) flips_.push_back({segment, bit});
  return flipped_.empty() ? 0 : segment;
}

PacketPtr Corrupt::damaged(PacketPtr piece, std::uint64_t segment) {
  piece = stored(std::move(piece), pool_);
  if (!piece) return nullptr;
  finish_checksum(*piece);
  for (const Flip& flip : flips_) {
    if (flip.segment != segment) continue;
    std::uint8_t& byte = piece->bytes()[flip.bit / 8];
    byte = static_cast<std::uint8_t>(byte ^ 0x80U >> flip.bit % 8);
  }
  ++corrupted_;
  return piece;
}

}  // namespace simcore

// SPDX-License-Identifier: MIT
#include "simcore/replay/replay_source.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "simcore/units/error.h"

namespace simcore {

namespace {

using Wide = __int128;

SimTime instant(Wide ns) {
  constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max() / 2;  // room to add to it
  return ns > kLast ? SimTime::never() : SimTime::at_ns(static_cast<std::int64_t>(ns));
}

}  // namespace

ReplaySource::ReplaySource(RecordedFrames frames, const Config& config)
    : frames_(std::move(frames)), config_(config) {
  const std::span<const RecordedFrames::Frame> all = frames_.frames();
  if (all.empty())
    throw ConfigError("replay recorded frames: there are none; give a file that has Ethernet frames");
  // The products below stay within 128 bits.
  constexpr std::int64_t kMost = std::int64_t{1} << 50;
  constexpr std::int64_t kMostDenominator = std::int64_t{1} << 20;
  constexpr std::uint64_t kMostLoops = std::uint64_t{1} << 32;
  constexpr Duration kLongest = Duration::seconds(1'000'000'000);
  if (config_.numerator < 1 || config_.numerator > kMost || config_.denominator < 1 ||
      config_.denominator > kMostDenominator) {
    throw ConfigError("replay recorded frames: the rate or speed is out of range; write more than 0");
  }
  if (config_.loops < 1 || config_.loops > kMostLoops) {
    throw ConfigError("replay recorded frames in " + std::to_string(config_.loops) + " loops: 1 to " +
                      std::to_string(kMostLoops) + " are possible");
  }
  if (config_.length <= Duration::zero()) throw ConfigError("replay recorded frames for 0 s; write more");
  total_ = config_.loops * all.size();
  if (config_.count > 0) total_ = std::min(total_, config_.count);

  const Duration span = all.back().at;
  if (span > kLongest) {
    throw ConfigError(
        "replay recorded frames: they were recorded over more than 30 years; give a rate, or another file");
  }
  if (config_.pace == Pace::recorded && total_ > all.size() && span == Duration::zero()) {
    throw ConfigError("replay recorded frames in loops: all have the same time; give a rate");
  }
  if (all.size() > 1) loop_time_ = span + span / static_cast<std::int64_t>(all.size() - 1);
  find();
  // The last frame is due when its number says, but for the bits of the frames in the last, broken loop, which are
  // bounded by those of a whole one.
  const Wide bits = static_cast<Wide>(total_ / all.size() + 1) * frames_.wire_bytes() * 8;
  end_ = std::min(due(total_ - 1, bits), instant(config_.length.count_ns()));
}

void ReplaySource::find() {
  next_ = taken_ < total_ ? due(taken_, bits_before_) : SimTime::never();
  if (next_ >= instant(config_.length.count_ns())) next_ = SimTime::never();
}

// When frame `number`, from 0, is due, if so many bits were before it.
SimTime ReplaySource::due(std::uint64_t number, __int128 bits_before) const {
  const Wide numerator = config_.numerator;
  const Wide denominator = config_.denominator;
  constexpr Wide kSecond = 1'000'000'000;
  switch (config_.pace) {
    case Pace::frames:
      return instant(static_cast<Wide>(number) * kSecond * denominator / numerator);
    case Pace::bits:
      return instant(bits_before * kSecond * denominator / numerator);
    case Pace::recorded:
      break;
  }
  const std::span<const RecordedFrames::Frame> all = frames_.frames();
  const Wide recorded = static_cast<Wide>(number / all.size()) * loop_time_.count_ns() +
                        all[static_cast<std::size_t>(number % all.size())].at.count_ns();
  return instant(recorded * denominator / numerator);
}

void ReplaySource::skip() {
  const auto frames = frames_.frames();
  bits_before_ += std::uint64_t{frames[static_cast<std::size_t>(taken_ % frames.size())].size} * 8;
  ++taken_;
  find();
}

PacketPtr ReplaySource::take(SimTime /*until*/, std::int64_t /*realtime_ns*/, PacketPool& pool,
                             std::vector<SimTime>& due) {
  const auto frames = frames_.frames();
  const RecordedFrames::Frame& frame = frames[static_cast<std::size_t>(taken_ % frames.size())];
  due.assign(1, next_);
  skip();
  PacketPtr packet = pool.copy_of(frames_.bytes_of(frame));
  if (!packet) return nullptr;
  packet->virtual_payload = frame.size - frame.stored;
  if (config_.destination_mac) config_.destination_mac->write_to(packet->bytes().data());
  if (config_.source_mac) config_.source_mac->write_to(packet->bytes().data() + MacAddress::kSize);
  return packet;
}

}  // namespace simcore

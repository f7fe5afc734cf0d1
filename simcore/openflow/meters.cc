// SPDX-License-Identifier: MIT
#include "simcore/openflow/meters.h"

#include <algorithm>

#include "simcore/openflow/field.h"

namespace simcore::openflow {

namespace {

constexpr std::int64_t kUnit = 1'000'000'000;
constexpr std::uint16_t kBandLength = 16;

std::int64_t capacity(const Band& band, std::uint16_t flags) {
  const bool said = (flags & meter_flag::kBurst) != 0 && band.burst != 0;
  return std::int64_t{said ? band.burst : band.rate} * kUnit;
}

}  // namespace

void Meter::begin(SimTime now) {
  filled = now;
  for (Band& band : bands) band.tokens = capacity(band, flags);
}

std::vector<Meter::Run> Meter::judge(const Packet& packet, SimTime now) {
  const std::int64_t size = packet.wire_size().count() / packet.segments;
  const std::int64_t cost = (flags & meter_flag::kPackets) != 0 ? kUnit : size * 8 * 1'000'000;
  const Duration elapsed = now - filled;
  filled = now;
  packets += packet.segments;
  bytes += static_cast<std::uint64_t>(packet.wire_size().count());
  std::vector<std::pair<std::uint16_t, Band*>> limits;  // after so many segments a band is empty
  for (Band& band : bands) {
    const FieldValue gained = FieldValue{band.rate} * static_cast<std::uint64_t>(elapsed.count_ns());
    const auto room = static_cast<std::uint64_t>(capacity(band, flags) - band.tokens);
    band.tokens = gained >= room ? capacity(band, flags) : band.tokens + static_cast<std::int64_t>(gained);
    const auto passed =
        static_cast<std::uint16_t>(std::min<std::int64_t>(packet.segments, band.tokens / cost));
    band.tokens -= passed * cost;
    if (passed < packet.segments) limits.emplace_back(passed, &band);
  }
  std::ranges::sort(limits, {}, [](const auto& limit) { return limit.first; });
  std::vector<Run> runs;
  std::uint16_t done = 0;
  Band* met = nullptr;
  const auto until = [&](std::uint16_t end) {
    if (end == done) return;
    const auto count = static_cast<std::uint16_t>(end - done);
    runs.push_back({count, met});
    if (met != nullptr) {
      met->packets += count;
      met->bytes += static_cast<std::uint64_t>(size) * count;
    }
    done = end;
  };
  for (const auto& [passed, band] : limits) {
    until(passed);
    if (met == nullptr || band->rate > met->rate) met = band;
  }
  until(packet.segments);
  return runs;
}

std::vector<Band> read_bands(Reader from, std::uint16_t flags) {
  using namespace meter_flag;
  if ((flags & ~(kKbps | kPackets | kBurst | kStats)) != 0) throw ProtocolError(error::kMeterFlags);
  if (((flags & kKbps) != 0) == ((flags & kPackets) != 0)) throw ProtocolError(error::kMeterFlags);
  if (from.empty()) throw ProtocolError(error::kOutOfBands);
  std::vector<Band> bands;
  while (!from.empty()) {
    if (from.left() < kBandLength) throw ProtocolError(error::kBadLength);
    if (bands.size() == kMostBands) throw ProtocolError(error::kOutOfBands);
    Band& band = bands.emplace_back();
    const std::uint16_t type = from.u16();
    const std::uint16_t length = from.u16();
    if (length != kBandLength) throw ProtocolError(error::kBadLength);
    if (type != 1 && type != 2) throw ProtocolError(error::kMeterBand);
    band.type = static_cast<BandType>(type);
    band.rate = from.u32();
    band.burst = from.u32();
    band.levels = from.u8();
    from.skip(3);
    if (band.rate == 0) throw ProtocolError(error::kMeterRate);
    if ((flags & kBurst) != 0 && band.burst == 0) band.burst = band.rate;
    if (type == 2 && band.levels == 0) throw ProtocolError(error::kMeterBandValue);
  }
  return bands;
}

void write_bands(Writer& to, const Meter& meter) {
  for (const Band& band : meter.bands) {
    to.u16(static_cast<std::uint16_t>(band.type));
    to.u16(kBandLength);
    to.u32(band.rate);
    to.u32(band.burst);
    to.u8(band.type == BandType::dscp_remark ? band.levels : std::uint8_t{0});
    to.zeros(3);
  }
}

std::uint8_t remarked(std::uint8_t dscp, std::uint8_t levels) {
  const unsigned assured = dscp >> 3;
  const unsigned precedence = dscp >> 1 & 3U;
  if (assured < 1 || assured > 4 || precedence == 0 || (dscp & 1U) != 0) return dscp;
  return static_cast<std::uint8_t>(assured << 3 | std::min(3U, precedence + levels) << 1);
}

}  // namespace simcore::openflow

// SPDX-License-Identifier: MIT
#include "simcore/traffic/numbered_flow.h"

#include <algorithm>
#include <string>
#include <utility>

#include "simcore/packet/byte_order.h"
#include "simcore/packet/ethernet.h"
#include "simcore/units/error.h"

namespace simcore {

namespace {

constexpr std::size_t kMostSegments = 64;  // that every kernel takes in one train (UDP_MAX_SEGMENTS)

}  // namespace

NumberedFlow::NumberedFlow(const Config& config, Schedule departures)
    : config_(config), departures_(std::move(departures)) {
  constexpr std::size_t kLeast = kHeaders + kStamp;
  constexpr std::size_t kMost = kHeaders + kLargestUdpPayload;
  if (config_.frame_bytes < kLeast || config_.frame_bytes > kMost) {
    throw ConfigError("make numbered frames of " + std::to_string(config_.frame_bytes) +
                      " bytes: " + std::to_string(kLeast) + " to " + std::to_string(kMost) + " are possible");
  }
  if (config_.trains) {
    most_in_train_ = static_cast<std::uint16_t>(
        std::clamp<std::size_t>(kLargestUdpPayload / payload_bytes(), 1, kMostSegments));
  }
  payload_.resize(most_in_train_ == 1 ? kStamp : most_in_train_ * payload_bytes());
}

SimTime NumberedFlow::next() const { return taken_ < config_.count ? departures_.next() : SimTime::never(); }

void NumberedFlow::skip() {
  ++taken_;
  departures_.advance();
}

PacketPtr NumberedFlow::take(SimTime until, std::int64_t realtime_ns, PacketPool& pool,
                             std::vector<SimTime>& due) {
  due.clear();
  const auto identification = static_cast<std::uint16_t>(taken_ + 1);
  do {
    due.push_back(next());
    skip();
    std::uint8_t* const stamp = &payload_[(due.size() - 1) * payload_bytes()];
    store_be64(stamp, taken_);
    store_be64(stamp + 8, static_cast<std::uint64_t>(realtime_ns));
  } while (due.size() < most_in_train_ && next() <= until);

  const std::size_t segments = due.size();
  const std::size_t stored = segments == 1 ? kStamp : segments * payload_bytes();
  PacketPtr packet = make_udp_frame(config_.ends, std::span(payload_).first(stored),
                                    segments * payload_bytes() - stored, identification, pool);
  if (!packet) return nullptr;
  write_ethernet(packet->bytes(), config_.destination_mac, config_.source_mac, EtherType::ipv4);
  if (segments > 1) {
    packet->train = TrainKind::udp;
    packet->segments = static_cast<std::uint16_t>(segments);
    packet->segment_payload = static_cast<std::uint16_t>(payload_bytes());
    packet->header_size = kHeaders;
  }
  return packet;
}

}  // namespace simcore

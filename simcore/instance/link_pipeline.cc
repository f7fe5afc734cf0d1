// SPDX-License-Identifier: MIT
#include "simcore/instance/link_pipeline.h"

#include <cstring>
#include <string>
#include <utility>

#include "simcore/units/error.h"

namespace simcore {

namespace {

const DataRate kRate = DataRate::gbps(100);  // so fast that only the code limits
constexpr std::size_t kMostInFlight = std::size_t{512} << 20;

std::size_t checked(std::size_t frame_bytes, std::size_t bytes_in_flight) {
  if (frame_bytes < 1 || frame_bytes > PacketPool::kLargestFrame) {
    throw ConfigError("make pipeline: frames of " + std::to_string(frame_bytes) + " bytes; 1 to " +
                      std::to_string(PacketPool::kLargestFrame) + " are possible");
  }
  if (bytes_in_flight > kMostInFlight) {
    throw ConfigError("make pipeline: " + std::to_string(bytes_in_flight) + " bytes in flight; at most " +
                      std::to_string(kMostInFlight) + " are possible");
  }
  return frame_bytes;
}

Duration interval_of(std::size_t frame_bytes) {
  return serialization(ByteCount::bytes(static_cast<std::int64_t>(frame_bytes)), kRate);
}

}  // namespace

LinkPipeline::LinkPipeline(const Config& config)
    : config_(config),
      interval_(interval_of(checked(config.frame_bytes, config.bytes_in_flight))),
      pool_(ByteCount::bytes(std::int64_t{2} << 30)),
      in_(config.frame_bytes),
      out_(config.frame_bytes, config.copies),
      link_(simulation_, pool_, "pipeline",
            {.rate = kRate, .propagation_delay = interval_ * static_cast<std::int64_t>(packets_in_flight())},
            out_) {
  run(packets_in_flight() + FrameBuffers::kFrames);
}

void LinkPipeline::run(std::uint64_t packets) {
  for (std::uint64_t i = 0; i < packets; ++i) {
    const SimTime now = simulation_.now() + interval_;
    simulation_.run_until(now);
    PacketPtr packet =
        config_.copies ? pool_.copy_of({in_.next(), config_.frame_bytes}) : pool_.make(config_.frame_bytes);
    packet->first_arrival = packet->last_arrival = now;
    link_.accept(std::move(packet));
  }
}

void LinkPipeline::Exit::accept(PacketPtr packet) {
  if (copies_) std::memcpy(buffers_.next(), packet->bytes().data(), packet->size());
  ++packets;
}

TwoCopies::TwoCopies(std::size_t frame_bytes, std::size_t bytes_in_flight)
    : frame_bytes_(checked(frame_bytes, bytes_in_flight)),
      between_((bytes_in_flight / frame_bytes + 1) * frame_bytes, 0x5a),
      in_(frame_bytes),
      out_(frame_bytes) {}

void TwoCopies::run(std::uint64_t packets) {
  for (std::uint64_t i = 0; i < packets; ++i) {
    std::uint8_t* const frame = between_.data() + at_;
    std::memcpy(out_.next(), frame, frame_bytes_);
    std::memcpy(frame, in_.next(), frame_bytes_);
    at_ += frame_bytes_;
    if (at_ == between_.size()) at_ = 0;
  }
}

}  // namespace simcore

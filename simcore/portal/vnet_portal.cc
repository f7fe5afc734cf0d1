// SPDX-License-Identifier: MIT
#include "simcore/portal/vnet_portal.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "simcore/packet/ethernet.h"
#include "simcore/portal/virtio_header.h"
#include "simcore/units/error.h"

namespace simcore {

namespace {

// What a poll should take in at most, judged by the frames of the one before. Fewer segments than a flush
// writes, or what comes in at one portal would pile up at another.
constexpr std::size_t kBytesPerPoll = 128 * 1'024;
constexpr std::size_t kFewFrames = 2;

}  // namespace

VnetPortal::VnetPortal(Simulation& simulation, RunLoop& loop, PacketPool& pool, Config config,
                       std::unique_ptr<VnetDevice> device, const VnetOptions& options)
    : EmulationPortal(simulation, loop, pool, std::move(config)),
      options_(options),
      fifo_priority_(loop.options().fifo_priority),
      device_(std::move(device)),
      source_(*device_) {
  if (options_.segments_per_flush < 1) {
    throw ConfigError("make portal " + name() + ": segments_per_flush is " +
                      std::to_string(options_.segments_per_flush) + "; it must be at least 1");
  }
  if (!config_.begins_later) take_buffers();
}

void VnetPortal::begin() { take_buffers(); }

void VnetPortal::take_buffers() {
  if (options_.capture_thread) {
    thread_ = std::make_unique<CaptureThread>(
        source_, pool_, CaptureThread::Options{options_.capture_ring_frames, fifo_priority_});
    return;
  }
  places_.resize(VnetDevice::kBatch);
  for (CapturedFrame& place : places_) {
    place.buffer = pool_.make(PacketPool::kLargestFrame);
    if (!place.buffer) {
      throw ConfigError("make portal " + name() +
                        ": the packet pool is too small for its receive buffers, 2 MB");
    }
  }
}

void VnetPortal::stop_capture() {
  if (thread_) thread_->stop();
}

void VnetPortal::drop_all() {
  EmulationPortal::drop_all();
  places_.clear();
  thread_.reset();
}

std::size_t VnetPortal::poll() {
  if (thread_) {
    const auto waiting = thread_->filled();
    const std::size_t count = std::min(waiting.size(), frames_per_poll_);
    if (count == 0) return 0;
    take_in(waiting.first(count));
    thread_->release(count);
    return count;
  }
  const auto room = std::span(places_).first(frames_per_poll_);
  const std::size_t count = source_.read(room);
  if (count > 0) take_in(room.first(count));
  return count;
}

void VnetPortal::take_in(std::span<CapturedFrame> frames) {
  arrivals_.begin_batch();
  std::size_t bytes = 0;
  for (CapturedFrame& frame : frames) {
    bytes += frame.size;
    take_in(frame);
  }
  // A poll of 32 trains would copy 2 MB, and make the events that fall due meanwhile late.
  const std::size_t fit = kBytesPerPoll * frames.size() / std::max<std::size_t>(bytes, 1);
  frames_per_poll_ = std::clamp<std::size_t>(fit, kFewFrames, VnetDevice::kBatch);
}

void VnetPortal::take_in(CapturedFrame& frame) {
  if (frame.error == EINVAL) return drop_unsupported(UnsupportedFrame::offload_kind);
  if (frame.error != 0) {
    ++counters_.capture_errors;
    return;
  }
  const std::optional<VirtioNetFields> fields = fields_of(frame.header);
  if (!fields) return drop_unsupported(UnsupportedFrame::offload_kind);
  if (frame.size > frame.buffer->size()) return drop_unsupported(UnsupportedFrame::oversize);

  PacketPtr packet = frame.take(pool_);
  if (!packet) return drop_captured(DropReason::pool_exhausted, frame.size);
  const bool sound = describe_frame(*packet, *fields) && packet->size() >= EthernetHeader::kSize;
  count_captured(*packet);
  if (!sound) {
    counters_.dropped_in.add(DropReason::malformed, packet->segments);
    return;
  }
  enter(std::move(packet), frame.realtime_ns);
}

Pollable::Flushed VnetPortal::flush() {
  Flushed flushed;
  int segments = options_.segments_per_flush;
  while (segments > 0 && egress_.ready() > 0 && !resting()) {
    const std::size_t count = fill_batch(segments);
    const VnetDevice::SendResult result = device_->send({batch_.data(), count});
    for (std::size_t i = 0; i < result.sent; ++i) {
      const PacketPtr written = egress_.pop();
      segments -= written->segments;
      refusals_.taken(*written);
      count_written(*written);
    }
    flushed.frames += result.sent;
    if (result.error == EAGAIN || (result.error == ENOBUFS && offer_again(egress_.ready(0)))) {
      ++counters_.device_busy;
      break;
    }
    if (result.error != 0) counters_.dropped_out.add(DropReason::device_refused, egress_.pop()->segments);
  }
  flushed.left = egress_.ready() > 0;
  return flushed;
}

// Describes the next frames to be written, until they have `segments` or more; says how many they are.
std::size_t VnetPortal::fill_batch(int segments) {
  std::size_t count = 0;
  while (count < VnetDevice::kBatch && count < egress_.ready() && segments > 0) {
    const Packet& packet = egress_.ready(count);
    batch_[count++] = {header_of(virtio_net_fields(packet)), packet.bytes(), packet.virtual_payload};
    segments -= packet.segments;
  }
  return count;
}

std::vector<std::pair<std::string_view, std::uint64_t>> VnetPortal::backend_counters() {
  if (!thread_) return {};
  return {{"capture_ring_full", thread_->full()}, {"capture_fifo_pauses", thread_->fifo_pauses()}};
}

}  // namespace simcore

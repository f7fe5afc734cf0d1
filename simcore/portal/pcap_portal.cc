// SPDX-License-Identifier: MIT
#include "simcore/portal/pcap_portal.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "simcore/packet/ethernet.h"
#include "simcore/packet/ipv4.h"
#include "simcore/sys/clock.h"

namespace simcore {

namespace {

constexpr std::size_t kFramesPerPoll = 64;
constexpr int kLeastBuffer = 64 * 1'024;

PcapHandle::Options handle_options(const std::string& filter, const PcapPortal::Options& options) {
  PcapHandle::Options handle;
  handle.filter = filter;
  handle.immediate = options.immediate;
  handle.timeout = options.timeout;
  handle.buffer_bytes = options.buffer_bytes;
  return handle;
}

// Of a handle that only injects: no frame is that short.
PcapHandle::Options capturing_nothing() {
  PcapHandle::Options handle;
  handle.filter = "less 1";
  handle.buffer_bytes = kLeastBuffer;
  handle.snapshot_bytes = 64;
  return handle;
}

}  // namespace

PcapPortal::PcapPortal(Simulation& simulation, RunLoop& loop, PacketPool& pool, Config config,
                       const Options& options)
    : SingleFramePortal(simulation, loop, pool, std::move(config), options.segments_per_flush),
      options_(options),
      fifo_priority_(loop.options().fifo_priority),
      handle_(device(), handle_options(config_.filter, options)) {
  if (options_.output == Output::raw_ip) raw_ip_.emplace(device());
  if (options_.capture_thread && !raw_ip_) injector_.emplace(device(), capturing_nothing());
  if (!config_.begins_later) start_capture();
}

void PcapPortal::begin() { start_capture(); }

void PcapPortal::start_capture() {
  if (!options_.capture_thread) return;
  thread_ = std::make_unique<CaptureThread>(
      source_, pool_, CaptureThread::Options{options_.capture_ring_frames, fifo_priority_});
}

void PcapPortal::stop_capture() {
  if (thread_) thread_->stop();
}

void PcapPortal::drop_all() {
  SingleFramePortal::drop_all();
  thread_.reset();
}

std::size_t PcapPortal::poll() {
  if (thread_) return poll_thread();
  arrivals_.begin_batch();
  const int count = handle_.dispatch(static_cast<int>(kFramesPerPoll), *this);
  if (count < 0) {
    ++counters_.capture_errors;
    return 0;
  }
  return static_cast<std::size_t>(count);
}

std::size_t PcapPortal::poll_thread() {
  const auto waiting = thread_->filled();
  if (waiting.empty()) return 0;
  arrivals_.begin_batch();
  const auto frames = waiting.first(std::min(waiting.size(), kFramesPerPoll));
  for (const CapturedFrame& frame : frames) {
    if (frame.error != 0) {
      ++counters_.capture_errors;
    } else {
      const auto bytes = frame.buffer->bytes();
      SingleFramePortal::receive(bytes.first(std::min(frame.size, bytes.size())), frame.size,
                                 frame.realtime_ns);
    }
  }
  thread_->release(frames.size());
  return frames.size();
}

void PcapPortal::receive(const PcapHandle::Frame& frame) {
  SingleFramePortal::receive(frame.bytes, frame.size, options_.kernel_stamps ? frame.realtime_ns : 0);
}

std::size_t PcapPortal::Source::read(std::span<CapturedFrame> room) {
  room_ = room.first(std::min(room.size(), kFramesPerPoll));
  count_ = 0;
  const std::lock_guard lock(portal_.handle_access_);
  if (portal_.handle_.dispatch(static_cast<int>(room_.size()), *this) >= 0) return count_;
  room_[0].error = EIO;
  return 1;
}

void PcapPortal::Source::receive(const PcapHandle::Frame& frame) {
  CapturedFrame& place = room_[count_++];
  const auto buffer = place.buffer->bytes();
  const std::size_t stored = std::min(frame.bytes.size(), buffer.size());
  std::memcpy(buffer.data(), frame.bytes.data(), stored);
  place.size = std::max(frame.size, frame.bytes.size());
  if (stored < place.size && place.size <= buffer.size()) place.size = buffer.size() + 1;  // it was cut
  place.realtime_ns = portal_.options_.kernel_stamps ? frame.realtime_ns : realtime_ns();
  place.error = 0;
}

std::uint64_t PcapPortal::kernel_drops() {
  const std::lock_guard lock(handle_access_);
  return handle_.kernel_drops();
}

int PcapPortal::write(std::span<const std::uint8_t> frame) {
  if (!raw_ip_) return (injector_ ? *injector_ : handle_).inject(frame);
  const auto ethernet = EthernetHeader::parse(frame);
  if (!ethernet || ethernet->tagged() || ethernet->ether_type() != EtherType::ipv4) return kNotIpv4;
  const auto packet = Ipv4Header::parse(ethernet->payload());
  if (!packet) return kNotIpv4;
  return raw_ip_->send(ethernet->payload().first(packet->total_length()));  // without the padding
}

std::vector<std::pair<std::string_view, std::uint64_t>> PcapPortal::backend_counters() {
  if (!thread_) return {};
  return {{"capture_ring_full", thread_->full()}, {"capture_fifo_pauses", thread_->fifo_pauses()}};
}

}  // namespace simcore

// SPDX-License-Identifier: MIT
#include "simcore/portal/packet_portal.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "simcore/portal/virtio_header.h"
#include "simcore/units/error.h"
#include "simcore/wire/ethernet.h"

namespace simcore {

namespace {

// Frames up to this size are copied out of the receive buffer: the copy costs less than a microsecond, and a
// 64 KB block for a small frame would exhaust the pool. It is what the pool's class of jumbo frames holds.
constexpr std::size_t kCopyBreak = 9'600;

// What a poll should take in at most, judged by the frames of the one before. Fewer segments than a flush
// writes, or what comes in at one portal would pile up at another.
constexpr std::size_t kBytesPerPoll = 128 * 1'024;
constexpr std::size_t kFewFrames = 2;

PacketSocket::Options socket_options(const std::string& filter, int receive_buffer_bytes) {
  PacketSocket::Options options;
  options.filter = filter;
  options.receive_buffer_bytes = receive_buffer_bytes;
  return options;
}

}  // namespace

PacketPortal::PacketPortal(Simulation& simulation, RunLoop& loop, PacketPool& pool, Config config,
                           const Options& options)
    : EmulationPortal(simulation, loop, pool, std::move(config)),
      options_(options),
      features_(device()),
      socket_(device(), socket_options(config_.filter, options.receive_buffer_bytes)) {
  if (options_.segments_per_flush < 1) {
    throw ConfigError("make portal " + name() + ": segments_per_flush is " +
                      std::to_string(options_.segments_per_flush) + "; it must be at least 1");
  }
  if (options_.gro_flush_timeout < Duration::zero()) {
    throw ConfigError("make portal " + name() + ": gro_flush_timeout is " +
                      std::to_string(options_.gro_flush_timeout.count_ns()) + " ns; it must not be negative");
  }
  for (std::size_t slot = 0; slot < PacketSocket::kBatch; ++slot) {
    buffers_[slot] = pool_.make(PacketPool::kLargestFrame);
    if (!buffers_[slot]) {
      throw ConfigError("make portal " + name() +
                        ": the packet pool is too small for its receive buffers, 2 MB");
    }
    socket_.provide(slot, buffers_[slot]->bytes());
  }
  prepare_device();
}

void PacketPortal::prepare_device() {
  if (socket_.receive_buffer_bytes() < options_.receive_buffer_bytes) {
    note(device() + ": the receive buffer is " + std::to_string(socket_.receive_buffer_bytes()) +
         " bytes instead of " + std::to_string(options_.receive_buffer_bytes) +
         "; raise net.core.rmem_max or run as root");
  }
  if (!options_.gro) return;
  if (!features_.set("rx-gro", true)) note(device() + ": GRO cannot be turned on");
  if (!features_.set("rx-udp-gro-forwarding", true)) note(device() + ": GRO cannot be turned on for UDP");
  if (options_.gro_flush_timeout == Duration::zero()) return;
  gro_flush_.emplace(device(), "gro_flush_timeout", options_.gro_flush_timeout.count_ns());
  if (gro_flush_->failure()) note(device() + ": gro_flush_timeout is not set: " + *gro_flush_->failure());
}

bool PacketPortal::poll() {
  const auto frames = socket_.receive(frames_per_poll_);
  if (frames.empty()) {
    if (socket_.error() == EINVAL) {
      drop_unsupported(UnsupportedFrame::offload_kind);
    } else if (socket_.error() != 0) {
      ++counters_.capture_errors;
    }
    return socket_.error() != 0;
  }
  arrivals_.begin_batch();
  std::size_t bytes = 0;
  for (std::size_t slot = 0; slot < frames.size(); ++slot) {
    bytes += frames[slot].size;
    take_in(slot, frames[slot]);
  }
  const bool more = frames.size() == frames_per_poll_;
  choose_batch(frames.size(), bytes);
  return more;
}

// A poll of 32 trains would copy 2 MB, and make the events that fall due meanwhile late.
void PacketPortal::choose_batch(std::size_t frames, std::size_t bytes) {
  const std::size_t fit = kBytesPerPoll * frames / std::max<std::size_t>(bytes, 1);
  frames_per_poll_ = std::clamp<std::size_t>(fit, kFewFrames, PacketSocket::kBatch);
}

void PacketPortal::take_in(std::size_t slot, const PacketSocket::ReceivedFrame& frame) {
  const std::optional<VirtioNetFields> fields = fields_of(frame.header);
  if (!fields) return drop_unsupported(UnsupportedFrame::offload_kind);
  if (frame.size > buffers_[slot]->size()) return drop_unsupported(UnsupportedFrame::oversize);

  PacketPtr packet = packet_from(slot, frame.size);
  if (!packet) {
    ++counters_.captured_frames;
    ++counters_.captured_segments;
    counters_.captured_bytes += frame.size;
    counters_.dropped_in.add(DropReason::pool_exhausted, 1);
    return;
  }
  const bool sound = describe_frame(*packet, *fields) && packet->size() >= EthernetHeader::kSize;
  count_captured(*packet);
  if (!sound) {
    counters_.dropped_in.add(DropReason::malformed, packet->segments);
    return;
  }
  enter(std::move(packet), frame.realtime_ns);
}

// The frame in that place, as a packet; null when the pool is exhausted. The place can then receive again.
PacketPtr PacketPortal::packet_from(std::size_t slot, std::size_t size) {
  if (size <= kCopyBreak) return pool_.copy_of(buffers_[slot]->bytes().first(size));
  PacketPtr fresh = pool_.make(PacketPool::kLargestFrame);
  if (!fresh) return nullptr;
  socket_.provide(slot, fresh->bytes());
  PacketPtr packet = std::exchange(buffers_[slot], std::move(fresh));
  packet->resize(size);
  return packet;
}

bool PacketPortal::flush() {
  int segments = options_.segments_per_flush;
  while (segments > 0 && egress_.ready() > 0) {
    const std::size_t count = fill_batch(segments);
    const PacketSocket::SendResult result = socket_.send({batch_.data(), count});
    for (std::size_t i = 0; i < result.sent; ++i) {
      const PacketPtr written = egress_.pop();
      segments -= written->segments;
      count_written(*written);
    }
    if (result.error == EAGAIN || result.error == ENOBUFS) return true;
    if (result.error != 0) counters_.dropped_out.add(DropReason::device_refused, egress_.pop()->segments);
  }
  return egress_.ready() > 0;
}

// Describes the next frames to be written, until they have `segments` or more; says how many they are.
std::size_t PacketPortal::fill_batch(int segments) {
  std::size_t count = 0;
  while (count < PacketSocket::kBatch && count < egress_.ready() && segments > 0) {
    const Packet& packet = egress_.ready(count);
    batch_[count++] = {header_of(virtio_net_fields(packet)), packet.bytes(), packet.virtual_payload};
    segments -= packet.segments;
  }
  return count;
}

}  // namespace simcore

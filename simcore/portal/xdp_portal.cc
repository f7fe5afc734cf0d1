// SPDX-License-Identifier: MIT
#include "simcore/portal/xdp_portal.h"

#include <utility>

namespace simcore {

XdpPortal::XdpPortal(Simulation& simulation, RunLoop& loop, PacketPool& pool, Config config,
                     const Options& options)
    : SingleFramePortal(simulation, loop, pool, std::move(config), options.segments_per_flush),
      socket_(device(), {options.ring_frames}) {
  if (!config_.filter.empty()) filter_.emplace(config_.filter);
  keep_tags_in_frames();
  if (!socket_.native()) {
    note(device() +
         ": its driver runs no XDP programs; the kernel does, which is slower than the packet backend");
  }
}

std::size_t XdpPortal::poll() {
  const auto frames = socket_.receive();
  arrivals_.begin_batch();
  for (const std::span<const std::uint8_t> frame : frames) {
    if (filter_ && !filter_->matches(frame)) {
      ++filtered_;
    } else {
      receive(frame, frame.size(), 0);
    }
  }
  return frames.size();
}

int XdpPortal::write(std::span<const std::uint8_t> frame) {
  return refusal_ != 0 ? refusal_ : socket_.send(frame);
}

std::uint64_t XdpPortal::kernel_drops() {
  const XdpSocket::Counters counters = socket_.counters();
  return counters.ring_full + counters.dropped;
}

std::vector<std::pair<std::string_view, std::uint64_t>> XdpPortal::backend_counters() {
  const XdpSocket::Counters counters = socket_.counters();
  return {{"filtered", filtered_},
          {"receive_ring_full", counters.ring_full},
          {"fill_ring_empty", counters.fill_ring_empty},
          {"transmit_ring_full", counters.tx_ring_full},
          {"transmit_invalid", counters.tx_invalid}};
}

}  // namespace simcore

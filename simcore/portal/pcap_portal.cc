// SPDX-License-Identifier: MIT
#include "simcore/portal/pcap_portal.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "simcore/sys/network_device.h"
#include "simcore/units/error.h"
#include "simcore/wire/ethernet.h"
#include "simcore/wire/train.h"

namespace simcore {

namespace {

constexpr int kFramesPerPoll = 64;
constexpr std::size_t kEthernetAndTags = 14 + 4 + 4;

PcapHandle::Options handle_options(const std::string& filter, const PcapPortal::Options& options) {
  PcapHandle::Options handle;
  handle.filter = filter;
  handle.immediate = options.immediate;
  handle.timeout = options.timeout;
  handle.buffer_bytes = options.buffer_bytes;
  return handle;
}

}  // namespace

PcapPortal::PcapPortal(Simulation& simulation, RunLoop& loop, PacketPool& pool, Config config,
                       const Options& options)
    : EmulationPortal(simulation, loop, pool, std::move(config)),
      options_(options),
      largest_frame_(static_cast<std::size_t>(device_mtu(device())) + kEthernetAndTags),
      own_features_(device()),
      handle_(device(), handle_options(config_.filter, options)) {
  if (options_.segments_per_flush < 1) {
    throw ConfigError("make portal " + name() + ": segments_per_flush is " +
                      std::to_string(options_.segments_per_flush) + "; it must be at least 1");
  }
  prepare_device();
}

void PcapPortal::prepare_device() {
  if (!own_features_.set("rx-gro", false))
    note(device() + ": GRO cannot be turned off; joined frames are dropped");
  const std::optional<std::string> peer = veth_peer(device());
  if (!peer) {
    note(device() +
         ": its other end is not in this namespace; turn its transmit offloads off (ethtool -K ... tx off)");
    return;
  }
  // Without transmit checksums there, the kernel finishes checksums and segments before a frame comes here.
  peer_features_.emplace(*peer);
  if (!peer_features_->set("tx-checksum-ip-generic", false)) {
    note(*peer +
         ": transmit checksums cannot be turned off; frames of local senders may come with partial ones");
  }
}

bool PcapPortal::poll() {
  arrivals_.begin_batch();
  const int count = handle_.dispatch(kFramesPerPoll, *this);
  if (count < 0) ++counters_.capture_errors;
  return count == kFramesPerPoll;
}

void PcapPortal::receive(const PcapHandle::Frame& frame) {
  if (frame.size != frame.bytes.size() || frame.size > largest_frame_) {
    drop_unsupported(UnsupportedFrame::oversize);
    return;
  }
  PacketPtr packet = pool_.copy_of(frame.bytes);
  if (!packet || frame.size < EthernetHeader::kSize) {
    ++counters_.captured_frames;
    ++counters_.captured_segments;
    counters_.captured_bytes += frame.size;
    counters_.dropped_in.add(packet ? DropReason::malformed : DropReason::pool_exhausted, 1);
    return;
  }
  count_captured(*packet);
  enter(std::move(packet), options_.kernel_stamps ? frame.realtime_ns : 0);
}

bool PcapPortal::flush() {
  for (int written = 0; written < options_.segments_per_flush; ++written) {
    if (!unsent_) {
      if (egress_.ready() == 0) return false;
      unsent_ = egress_.pop_segment(pool_);
      if (!unsent_) {
        counters_.dropped_out.add(DropReason::pool_exhausted, egress_.pop()->segments);
        continue;
      }
      finish_checksum(*unsent_);
    }
    if (!write_unsent()) return true;
  }
  return unsent_ || egress_.ready() > 0;
}

// False when the device takes nothing now.
bool PcapPortal::write_unsent() {
  std::span<const std::uint8_t> bytes = unsent_->bytes();
  if (unsent_->virtual_payload > 0) {
    frame_.assign(bytes.begin(), bytes.end());
    frame_.resize(bytes.size() + unsent_->virtual_payload);
    bytes = frame_;
  }
  const int error = handle_.inject(bytes);
  if (error == EAGAIN || error == ENOBUFS) return false;
  if (error == 0) {
    count_written(*unsent_);
  } else {
    counters_.dropped_out.add(DropReason::device_refused, 1);
  }
  unsent_.reset();
  return true;
}

}  // namespace simcore

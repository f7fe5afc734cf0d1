// SPDX-License-Identifier: MIT
#include "simcore/portal/single_frame_portal.h"

#include <cerrno>
#include <string>
#include <utility>

#include "simcore/packet/ethernet.h"
#include "simcore/packet/train.h"
#include "simcore/sys/network_device.h"
#include "simcore/units/error.h"

namespace simcore {

namespace {

constexpr std::size_t kEthernetAndTags =
    EthernetHeader::kSize + EthernetHeader::kMaxTags * EthernetHeader::kTagSize;

}  // namespace

SingleFramePortal::SingleFramePortal(Simulation& simulation, RunLoop& loop, PacketPool& pool, Config config,
                                     int segments_per_flush)
    : EmulationPortal(simulation, loop, pool, std::move(config)),
      segments_per_flush_(segments_per_flush),
      largest_frame_(static_cast<std::size_t>(device_mtu(device())) + kEthernetAndTags),
      own_features_(device()) {
  if (segments_per_flush_ < 1) {
    throw ConfigError("make portal " + name() + ": segments_per_flush is " +
                      std::to_string(segments_per_flush_) + "; it must be at least 1");
  }
  prepare_device();
}

void SingleFramePortal::prepare_device() {
  if (!own_features_.set("rx-gro", false))
    note(device() + ": GRO cannot be turned off; joined frames are dropped");
  // Nothing is written here that would be cut, and of a device that might cut libpcap keeps 64 KiB for every frame,
  // however short: its 16 MiB would hold 256 frames and not 10,000.
  for (const char* const feature : {"tx-tcp-segmentation", "tx-tcp-ecn-segmentation", "tx-tcp6-segmentation",
                                    "tx-tcp-mangleid-segmentation", "tx-generic-segmentation"})
    own_features_.set(feature, false);
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

void SingleFramePortal::keep_tags_in_frames() {
  if (!peer_features_) return;
  for (const char* const feature : {"tx-vlan-hw-insert", "tx-vlan-stag-hw-insert"})
    peer_features_->set(feature, false);
}

void SingleFramePortal::receive(std::span<const std::uint8_t> bytes, std::size_t size,
                                std::int64_t realtime_ns) {
  if (size != bytes.size() || size > largest_frame_) return drop_unsupported(UnsupportedFrame::oversize);
  if (size < EthernetHeader::kSize) return drop_captured(DropReason::malformed, size);
  PacketPtr packet = pool_.copy_of(bytes);
  if (!packet) return drop_captured(DropReason::pool_exhausted, size);
  count_captured(*packet);
  enter(std::move(packet), realtime_ns);
}

void SingleFramePortal::drop_all() {
  EmulationPortal::drop_all();
  unsent_.reset();
}

Pollable::Flushed SingleFramePortal::flush() {
  if (!unsent_ && egress_.ready() == 0 && !sending_) return {};
  begin_writing();
  int written = 0;
  for (; written < segments_per_flush_ && !resting(); ++written) {
    if (!unsent_) {
      if (egress_.ready() == 0) break;
      unsent_ = egress_.pop_segment(pool_);
      if (!unsent_) {
        counters_.dropped_out.add(DropReason::pool_exhausted, egress_.pop()->segments);
        continue;
      }
      finish_checksum(*unsent_);
    }
    if (!write_unsent()) break;
  }
  sending_ = end_writing();
  return {.frames = static_cast<std::size_t>(written), .left = sending_ || unsent_ || egress_.ready() > 0};
}

// False when the device takes nothing now.
bool SingleFramePortal::write_unsent() {
  std::span<const std::uint8_t> bytes = unsent_->bytes();
  if (unsent_->virtual_payload > 0) {
    frame_.assign(bytes.begin(), bytes.end());
    frame_.resize(bytes.size() + unsent_->virtual_payload);
    bytes = frame_;
  }
  const int error = write(bytes);
  if (error == EAGAIN || (error == ENOBUFS && offer_again(*unsent_))) {
    ++counters_.device_busy;
    return false;
  }
  if (error == 0) {
    refusals_.taken(*unsent_);
    count_written(*unsent_);
  } else if (error == kNotIpv4) {
    refuse_unsupported(UnsupportedFrame::not_ipv4);
  } else {
    counters_.dropped_out.add(DropReason::device_refused, 1);
  }
  unsent_.reset();
  return true;
}

}  // namespace simcore

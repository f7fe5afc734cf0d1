// SPDX-License-Identifier: MIT
//
// SingleFramePortal: what the emulation portals have in common that take single, finished frames only (libpcap,
// AF_XDP), which can tell neither super-packets nor partial checksums.
//
// So the portal makes its device deliver such frames (no GRO here, no transmit offloads at the other end of the veth
// pair), segments the trains that it is given, and finishes their checksums.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "simcore/portal/emulation_portal.h"
#include "simcore/sys/ethtool.h"

namespace simcore {

class SingleFramePortal : public EmulationPortal {
 public:
  Flushed flush() final;
  void drop_all() override;

 protected:
  // All must outlive the portal. `segments_per_flush`: how many a turn of the loop writes; >= 1. Throws ConfigError.
  SingleFramePortal(Simulation& simulation, RunLoop& loop, PacketPool& pool, Config config,
                    int segments_per_flush);

  static constexpr int kNotIpv4 = -1;

  // Gives one frame to the device. 0, or why that did not take it: EAGAIN is tried again, and ENOBUFS as
  // device_refusals.h says; another error drops the frame, as does kNotIpv4: it is none that this backend can carry.
  virtual int write(std::span<const std::uint8_t> frame) = 0;

  // Before and after the writes of a turn. end_writing() says whether the device has still to send some of them.
  virtual void begin_writing() {}
  virtual bool end_writing() { return false; }

  // Makes the other end of the veth pair write 802.1Q tags into its frames, where a backend would not find them
  // beside.
  void keep_tags_in_frames();

  // Takes in a frame of `size` bytes, of which the backend has `bytes`.
  void receive(std::span<const std::uint8_t> bytes, std::size_t size, std::int64_t realtime_ns);

  std::uint64_t held_segments() const final { return unsent_ ? 1 : 0; }

 private:
  void prepare_device();
  bool write_unsent();

  int segments_per_flush_;
  std::size_t largest_frame_;
  FeatureGuard own_features_;
  std::optional<FeatureGuard> peer_features_;
  bool sending_ = false;             // the device has still to send some of what was written
  PacketPtr unsent_;                 // the frame that is to be written next
  std::vector<std::uint8_t> frame_;  // for one that has virtual payload
};

}  // namespace simcore

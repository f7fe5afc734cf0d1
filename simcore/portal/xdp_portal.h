// SPDX-License-Identifier: MIT
//
// XdpPortal: the emulation portal on an AF_XDP socket, for network cards: frames go past the kernel's protocol stack,
// and nothing else of this machine sees what arrives at the device. At a veth the packet backend does more, as it
// takes super-packets whole.
//
// Frames arrive when they are read: AF_XDP has no timestamps. The capture filter runs here, and what it does not let
// through is gone, and counted.
#pragma once

#include <optional>

#include "simcore/portal/single_frame_portal.h"
#include "simcore/sys/capture_filter.h"
#include "simcore/sys/xdp_socket.h"

namespace simcore {

class XdpPortal final : public SingleFramePortal {
 public:
  struct Options {
    int segments_per_flush = 64;        // written in one turn of the loop; >= 1
    std::uint32_t ring_frames = 2'048;  // of each ring; a power of two, 64 to 32,768
  };

  // All must outlive the portal. Throws ConfigError, EnvironmentError (also when simcore was built without libxdp),
  // SystemError.
  XdpPortal(Simulation& simulation, RunLoop& loop, PacketPool& pool, Config config, const Options& options);

  int fd() const override { return socket_.fd(); }
  std::size_t poll() override;
  std::vector<std::pair<std::string_view, std::uint64_t>> backend_counters() override;

 private:
  std::uint64_t kernel_drops() override;
  void begin_writing() override { refusal_ = socket_.begin_sending(); }
  int write(std::span<const std::uint8_t> frame) override;
  bool end_writing() override { return socket_.end_sending(); }

  std::optional<CaptureFilter> filter_;
  XdpSocket socket_;
  int refusal_ = 0;  // why the device takes nothing in this turn
  std::uint64_t filtered_ = 0;
};

}  // namespace simcore

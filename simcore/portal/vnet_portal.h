// SPDX-License-Identifier: MIT
//
// VnetPortal: what the emulation portals have in common whose frames come and go with a virtio-net header.
// Super-packets come and go as trains, checksums stay partial.
//
// Frames are captured by the run loop's thread, or by a thread of its own (capture_thread.h).
//
// Sending is paced: a turn of the loop writes a bounded number of segments. A veth whose other end runs XDP
// has a ring of 256 frames, which a burst of trains would overrun.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "simcore/portal/capture_thread.h"
#include "simcore/portal/emulation_portal.h"
#include "simcore/portal/vnet_source.h"
#include "simcore/sys/vnet_device.h"

namespace simcore {

class VnetPortal : public EmulationPortal {
 public:
  struct VnetOptions {
    int segments_per_flush = 192;           // written in one turn of the loop; >= 1
    bool capture_thread = false;            // capture in a thread of its own
    std::size_t capture_ring_frames = 256;  // how many may wait between that thread and the loop; 1 to 4,096
  };

  void begin() final;
  void stop_capture() final;
  void drop_all() final;
  int fd() const final { return thread_ ? thread_->fd() : device_->fd(); }
  std::size_t poll() final;
  Flushed flush() final;
  std::vector<std::pair<std::string_view, std::uint64_t>> backend_counters() override;

 protected:
  // All must outlive the portal. Throws ConfigError.
  VnetPortal(Simulation& simulation, RunLoop& loop, PacketPool& pool, Config config,
             std::unique_ptr<VnetDevice> device, const VnetOptions& options);

  const VnetDevice& vnet_device() const { return *device_; }

 private:
  std::uint64_t kernel_drops() final { return device_->kernel_drops(); }
  void take_buffers();
  void take_in(std::span<CapturedFrame> frames);
  void take_in(CapturedFrame& frame);
  std::size_t fill_batch(int segments);

  VnetOptions options_;
  std::optional<int> fifo_priority_;  // of the capture thread
  std::unique_ptr<VnetDevice> device_;
  VnetSource source_;
  std::vector<CapturedFrame> places_;      // without a capture thread
  std::unique_ptr<CaptureThread> thread_;  // or it
  std::size_t frames_per_poll_ = VnetDevice::kBatch;
  std::array<VnetDevice::OutgoingFrame, VnetDevice::kBatch> batch_{};
};

}  // namespace simcore

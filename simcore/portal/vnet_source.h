// SPDX-License-Identifier: MIT
//
// VnetSource: a batch of frames from a VnetDevice, into the places that are given.
//
// A read offers twice as many places as the one before has filled. For each place the kernel is told of a buffer: after a
// pause none of these is in the caches, and all 32 of them would take longer than the frame itself.
#pragma once

#include "simcore/portal/capture_thread.h"
#include "simcore/sys/vnet_device.h"

namespace simcore {

class VnetSource final : public CaptureSource {
 public:
  // `device` must outlive the source.
  explicit VnetSource(VnetDevice& device) : device_(device) {}

  int fd() const override { return device_.fd(); }
  std::size_t read(std::span<CapturedFrame> room) override;

 private:
  static constexpr std::size_t kFewFrames = 2;

  VnetDevice& device_;
  std::size_t most_ = kFewFrames;  // places that the next read offers
};

}  // namespace simcore

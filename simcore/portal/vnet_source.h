// SPDX-License-Identifier: MIT
//
// VnetSource: a batch of frames from a VnetDevice, into the places that are given.
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
  VnetDevice& device_;
};

}  // namespace simcore

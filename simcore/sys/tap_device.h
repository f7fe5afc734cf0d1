// SPDX-License-Identifier: MIT
//
// TapDevice: a TAP device: what the kernel sends through it is received here, and what is sent here arrives at it.
//
// A device that this object made is gone when the object is. One that was there before (ip tuntap add) stays.
// With the virtio-net header and every offload that the kernel knows: super-packets and partial checksums come
// as they are. The kernel does not say when it sent a frame.
#pragma once

#include <sys/uio.h>
#include <optional>
#include <string>

#include "simcore/sys/file_descriptor.h"
#include "simcore/sys/vnet_device.h"

namespace simcore {

class TapDevice final : public VnetDevice {
 public:
  struct Options {
    std::string filter;        // of pcap-filter(7), for what is received; empty: everything
    std::optional<int> mtu;    // of the device; nothing: as it is
    int queue_frames = 1'000;  // how many may wait to be received
  };

  // Makes the device and brings it up, or takes the one that exists. Throws EnvironmentError without CAP_NET_ADMIN,
  // without /dev/net/tun, or when the device is no TAP or in use; ConfigError for options out of range or a filter
  // that cannot be compiled; SystemError.
  TapDevice(const std::string& device, const Options& options);

  int fd() const override { return fd_.get(); }
  using VnetDevice::receive;
  std::span<const ReceivedFrame> receive(std::size_t most) override;
  SendResult send(std::span<const OutgoingFrame> frames) override;
  std::uint64_t kernel_drops() override;

  bool made() const { return made_; }                    // and so gone in the end
  bool takes_udp_trains() const { return udp_trains_; }  // kernels before 6.2 do not

 private:
  void set_offloads();
  int send_one(const OutgoingFrame& frame);

  std::string device_;
  bool made_ = false;
  bool udp_trains_ = true;
  FileDescriptor fd_;
  std::uint64_t drops_before_ = 0;
  std::uint64_t drops_ = 0;
  std::array<ReceivedFrame, kBatch> received_{};
};

}  // namespace simcore

// SPDX-License-Identifier: MIT
//
// PacketSocket: reads and writes whole Ethernet frames at one device, by recvmmsg and sendmmsg. VLAN tags that the
// kernel stripped are put back. Frames that this machine sends through the device are not captured.
#pragma once

#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "simcore/sys/capture_filter.h"
#include "simcore/sys/file_descriptor.h"
#include "simcore/sys/virtio_net_header.h"
#include "simcore/sys/vnet_device.h"

namespace simcore {

class PacketSocket final : public VnetDevice {
 public:
  struct Options {
    std::string filter;                             // of pcap-filter(7); empty captures everything
    int receive_buffer_bytes = 64 * 1'024 * 1'024;  // asked for; see receive_buffer_bytes()
  };

  // Captures at `device`. Throws EnvironmentError when it does not exist or without CAP_NET_RAW; ConfigError
  // for a filter that cannot be compiled; SystemError.
  PacketSocket(const std::string& device, const Options& options);

  int fd() const override { return fd_.get(); }
  using VnetDevice::receive;
  std::span<const ReceivedFrame> receive(std::size_t most) override;
  SendResult send(std::span<const OutgoingFrame> frames) override;
  std::uint64_t kernel_drops() override;

  // What the kernel granted: half of its own accounting, in bytes.
  int receive_buffer_bytes() const { return receive_buffer_bytes_; }

 private:
  // Room for the two control messages: auxiliary data (VLAN) and the timestamp.
  struct alignas(cmsghdr) Control {
    std::array<std::byte, 128> bytes;
  };

  void configure(const std::string& device, const Options& options);
  ReceivedFrame take(std::size_t slot);

  FileDescriptor fd_;
  int receive_buffer_bytes_ = 0;
  std::uint64_t kernel_drops_ = 0;

  std::array<VirtioNetHeader, kBatch> in_headers_{};
  std::array<std::array<iovec, 2>, kBatch> in_parts_{};
  std::array<Control, kBatch> control_;
  std::array<mmsghdr, kBatch> in_{};
  std::array<ReceivedFrame, kBatch> received_{};

  std::array<std::array<iovec, 3>, kBatch> out_parts_{};
  std::array<mmsghdr, kBatch> out_{};
};

}  // namespace simcore

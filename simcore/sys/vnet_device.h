// SPDX-License-Identifier: MIT
//
// VnetDevice: whatever reads and writes whole Ethernet frames in batches, each with a virtio-net header in front:
// a packet socket, a TAP device.
//
//   receive():  up to kBatch frames, into the buffers that were provided
//   send():     up to kBatch frames
//
// The header lets the kernel hand over and take GSO super-packets and partial checksums. Receiving and sending share
// nothing, so one thread may do the one while another does the other.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>

#include "simcore/sys/virtio_net_header.h"

namespace simcore {

class VnetDevice {
 public:
  static constexpr std::size_t kBatch = 32;
  // Bytes that a buffer needs beyond the frame, for a tag to be put back.
  static constexpr std::size_t kVlanTag = 4;

  struct ReceivedFrame {
    std::size_t size;          // bytes in the buffer, VLAN tag included; more than it holds if truncated
    VirtioNetHeader header;    // offsets count the VLAN tag
    std::int64_t realtime_ns;  // when the kernel took it in; 0 when it did not say
  };

  struct OutgoingFrame {
    VirtioNetHeader header;
    std::span<const std::uint8_t> bytes;
    std::size_t zeros;  // bytes of zero that follow
  };

  struct SendResult {
    std::size_t sent;  // frames, from the first
    int error;         // 0, or why the next one was not taken: EAGAIN, ENOBUFS, EMSGSIZE, ENETDOWN, ...
  };

  virtual ~VnetDevice() = default;
  VnetDevice(const VnetDevice&) = delete;
  VnetDevice& operator=(const VnetDevice&) = delete;

  virtual int fd() const = 0;

  // Where the frame in place `slot` of a batch is to be put. The buffer must live until it is replaced.
  void provide(std::size_t slot, std::span<std::uint8_t> buffer) {
    assert(buffer.size() > 12 + kVlanTag);
    buffers_[slot] = buffer;
  }

  // Takes what has arrived, without blocking, at most one frame per slot, in order; empty when there is
  // nothing. error() then says why: 0 (nothing there), EINVAL (a super-packet of a kind that virtio-net
  // cannot describe, which the kernel has thrown away), ENETDOWN. Precondition: these slots were provided.
  virtual std::span<const ReceivedFrame> receive(std::size_t most) = 0;
  std::span<const ReceivedFrame> receive() { return receive(kBatch); }
  int error() const { return error_; }

  // Sends at most kBatch frames, without blocking.
  virtual SendResult send(std::span<const OutgoingFrame> frames) = 0;

  // Frames that found the capture buffer full, since the object was made.
  virtual std::uint64_t kernel_drops() = 0;

 protected:
  VnetDevice() = default;

  static constexpr std::size_t kZeros = 65'536;  // the most of OutgoingFrame::zeros
  static const std::array<std::uint8_t, kZeros> kZeroBytes;

  std::array<std::span<std::uint8_t>, kBatch> buffers_;
  int error_ = 0;
};

}  // namespace simcore

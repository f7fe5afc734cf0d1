// SPDX-License-Identifier: MIT
//
// PacketSocket: reads and writes whole Ethernet frames at one device, in batches, with a virtio-net
// header in front.
//
//   receive():  recvmmsg, up to kBatch frames into the buffers that were provided
//   send():     sendmmsg, up to kBatch frames
//
// The virtio-net header lets the kernel hand over and take GSO super-packets and partial checksums. VLAN tags
// that the kernel stripped are put back. Frames that this machine sends through the device are not captured.
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

namespace simcore {

class PacketSocket {
 public:
  static constexpr std::size_t kBatch = 32;
  // Bytes that a buffer needs beyond the frame, for a tag to be put back.
  static constexpr std::size_t kVlanTag = 4;

  struct Options {
    std::string filter;                             // of pcap-filter(7); empty captures everything
    int receive_buffer_bytes = 64 * 1'024 * 1'024;  // asked for; see receive_buffer_bytes()
  };

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

  // Captures at `device`. Throws EnvironmentError when it does not exist or without CAP_NET_RAW; ConfigError
  // for a filter that cannot be compiled; SystemError.
  PacketSocket(const std::string& device, const Options& options);

  int fd() const { return fd_.get(); }

  // Where the frame in place `slot` of a batch is to be put. The buffer must live until it is replaced.
  void provide(std::size_t slot, std::span<std::uint8_t> buffer);

  // Takes what has arrived, without blocking, at most one frame per slot, in order; empty when there is
  // nothing. error() then says why: 0 (nothing there), EINVAL (a super-packet of a kind that virtio-net
  // cannot describe, which the kernel has thrown away), ENETDOWN. Precondition: all slots were provided.
  std::span<const ReceivedFrame> receive(std::size_t most = kBatch);
  int error() const { return error_; }

  // Sends at most kBatch frames, without blocking.
  SendResult send(std::span<const OutgoingFrame> frames);

  // Frames that found the receive buffer full, since the socket was made.
  std::uint64_t kernel_drops();

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
  int error_ = 0;
  std::uint64_t kernel_drops_ = 0;

  std::array<std::span<std::uint8_t>, kBatch> buffers_;
  std::array<VirtioNetHeader, kBatch> in_headers_{};
  std::array<std::array<iovec, 2>, kBatch> in_parts_{};
  std::array<Control, kBatch> control_;
  std::array<mmsghdr, kBatch> in_{};
  std::array<ReceivedFrame, kBatch> received_{};

  std::array<std::array<iovec, 3>, kBatch> out_parts_{};
  std::array<mmsghdr, kBatch> out_{};
};

}  // namespace simcore

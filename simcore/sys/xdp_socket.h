// SPDX-License-Identifier: MIT
//
// XdpSocket: reads and writes single Ethernet frames at one device through AF_XDP, past the kernel's protocol stack.
//
//   receive():  frames that arrived, in the memory that the kernel shares
//   send():     copies one frame there; end_sending() tells the kernel
//
// A program of six instructions at the device redirects all it receives to the socket. It is attached by a BPF link,
// so it goes with the process, however that ends. Frames have neither a virtio-net header nor a timestamp; their tags
// are in them only if the sender does not leave that to its device (`tx-vlan-hw-insert`).
//
// Needs libxdp and libbpf when simcore is built; without them the constructor says so.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace simcore {

class XdpSocket {
 public:
  static constexpr std::size_t kBatch = 64;
  static constexpr std::size_t kLargestFrame = 4'096 - 256;  // what the kernel leaves of a page

  struct Options {
    std::uint32_t ring_frames = 2'048;  // of each ring: a power of two, 64 to 32,768
  };

  // Frames that did not come, and why; since the socket was made.
  struct Counters {
    std::uint64_t ring_full = 0;        // the ring of received frames was full
    std::uint64_t dropped = 0;          // no free memory, or too large
    std::uint64_t fill_ring_empty = 0;  // how often the kernel found no free memory
    std::uint64_t tx_ring_full = 0;     // how often send() had to refuse
    std::uint64_t tx_invalid = 0;       // frames to be sent that the kernel threw away
  };

  // Takes over what arrives at `device`. Throws EnvironmentError when it does not exist, has several receive queues
  // (AF_XDP reads one) or an MTU that does not fit, without privilege, or when simcore was built without libxdp;
  // ConfigError for options out of range; SystemError.
  XdpSocket(const std::string& device, const Options& options);
  XdpSocket(const XdpSocket&) = delete;
  XdpSocket& operator=(const XdpSocket&) = delete;
  ~XdpSocket();

  int fd() const;

  // At most kBatch frames, without blocking; valid until the next call.
  std::span<const std::span<const std::uint8_t>> receive();

  // 0, or why nothing can be sent now: ENETDOWN, ENXIO, ...
  int begin_sending();

  // Takes a copy. 0, EAGAIN (the ring is full) or EMSGSIZE. The kernel sees it at end_sending().
  int send(std::span<const std::uint8_t> frame);

  // Lets the kernel send what was taken. True when some of it has still to be sent.
  bool end_sending();

  Counters counters() const;

  // Whether the device's driver runs the program; otherwise the kernel does, later and slower.
  bool native() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace simcore

// SPDX-License-Identifier: MIT
//
// PcapHandle: captures and injects single Ethernet frames through libpcap, the way the papers'
// emulation portal did.
#pragma once

#include <pcap/pcap.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "simcore/units/time.h"

namespace simcore {

class PcapHandle {
 public:
  struct Options {
    std::string filter;     // of pcap-filter(7); empty captures everything
    bool immediate = true;  // deliver each frame at once, not when a buffer fills
    // Without `immediate`: how long the kernel may gather frames; >= 1 ms.
    Duration timeout = Duration::ms(1);
    int buffer_bytes = 16 * 1'024 * 1'024;  // of the kernel's ring
    int snapshot_bytes = 65'549;  // of a frame that are captured: the largest IP packet and its header
  };

  struct Frame {
    std::span<const std::uint8_t> bytes;  // valid until the next frame is taken
    std::size_t size;                     // on the wire; more than bytes.size() when it was cut
    std::int64_t realtime_ns;             // when the kernel took it in
  };

  // Takes frames one by one.
  class Receiver {
   public:
    virtual void receive(const Frame& frame) = 0;

   protected:
    ~Receiver() = default;
  };

  // Captures what arrives at `device`. Throws EnvironmentError when there is no such device or no privilege,
  // ConfigError for options out of range or a filter that cannot be compiled, SystemError.
  PcapHandle(const std::string& device, const Options& options);

  int fd() const { return fd_; }

  // Hands at most `most` frames that wait to `receiver`, without blocking; says how many, or -1 when the
  // capture broke (the device is gone).
  int dispatch(int most, Receiver& receiver);

  // 0, or why the kernel refused the frame: EAGAIN, ENOBUFS, EMSGSIZE, ENETDOWN, ...
  int inject(std::span<const std::uint8_t> frame);

  // Frames that found the ring full, since the capture began.
  std::uint64_t kernel_drops();

 private:
  std::unique_ptr<pcap_t, decltype(&::pcap_close)> handle_;
  int fd_ = -1;
  std::int64_t ns_per_fraction_ = 1;  // of a timestamp: 1 or 1,000
  std::uint32_t last_drops_ = 0;
  std::uint64_t kernel_drops_ = 0;
};

}  // namespace simcore

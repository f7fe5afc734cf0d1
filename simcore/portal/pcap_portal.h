// SPDX-License-Identifier: MIT
//
// PcapPortal: the emulation portal of the papers, on libpcap. It runs wherever libpcap does, and is what the
// packet backend is compared with.
//
// Single frames only: libpcap tells neither super-packets nor partial checksums. So the portal makes its
// device deliver single, finished frames (no GRO here, no transmit offloads at the other end of the veth
// pair), segments the trains that it is given, and finishes their checksums.
#pragma once

#include <optional>

#include "simcore/portal/emulation_portal.h"
#include "simcore/sys/ethtool.h"
#include "simcore/sys/pcap_handle.h"

namespace simcore {

class PcapPortal final : public EmulationPortal, private PcapHandle::Receiver {
 public:
  struct Options {
    bool immediate = true;               // deliver each frame at once
    Duration timeout = Duration::ms(1);  // without `immediate`: how long frames are gathered; >= 1 ms
    // A frame arrives when the kernel took it in; false: when it is read, as in INET, whose frames were late
    // by however long they were gathered.
    bool kernel_stamps = true;
    int buffer_bytes = 16 * 1'024 * 1'024;  // of the capture
    int segments_per_flush = 64;            // written in one turn of the loop; >= 1
  };

  // All must outlive the portal. Throws ConfigError, EnvironmentError.
  PcapPortal(Simulation& simulation, RunLoop& loop, PacketPool& pool, Config config, const Options& options);

  int fd() const override { return handle_.fd(); }
  bool poll() override;
  bool flush() override;

 private:
  std::uint64_t kernel_drops() override { return handle_.kernel_drops(); }
  std::uint64_t held_segments() const override { return unsent_ ? 1 : 0; }
  void receive(const PcapHandle::Frame& frame) override;
  void prepare_device();
  bool write_unsent();

  Options options_;
  std::size_t largest_frame_;
  FeatureGuard own_features_;
  std::optional<FeatureGuard> peer_features_;
  PcapHandle handle_;
  PacketPtr unsent_;                 // the frame that is to be written next
  std::vector<std::uint8_t> frame_;  // for one that has virtual payload
};

}  // namespace simcore

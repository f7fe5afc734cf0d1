// SPDX-License-Identifier: MIT
//
// PacketPortal: the emulation portal on a packet socket. Super-packets come and go as trains,
// checksums stay partial.
//
// Receiving: each place of a batch has a 64 KB buffer that is a packet of the pool. A large frame is given
// away in it, and a new one takes its place; a small frame is copied into a packet of its size, so that what
// waits in the simulation takes the memory that it needs.
//
// GRO is turned on at the device, for UDP too, and put back in the end: a flow of single frames
// then arrives as trains.
//
// Sending is paced: a turn of the loop writes a bounded number of segments. A veth whose other end runs XDP
// has a ring of 256 frames, which a burst of trains would overrun.
#pragma once

#include <array>
#include <optional>

#include "simcore/portal/emulation_portal.h"
#include "simcore/sys/ethtool.h"
#include "simcore/sys/packet_socket.h"
#include "simcore/sys/sysfs_setting.h"

namespace simcore {

class PacketPortal final : public EmulationPortal {
 public:
  struct Options {
    bool gro = true;  // turn GRO on at the device
    // How long GRO may hold a frame; 0: until the end of its batch. A time of 50 us carries a tenth more through a
    // saturated machine, but the kernel then holds datagrams until 64 have gathered or a jiffy has passed.
    Duration gro_flush_timeout = Duration::zero();
    int receive_buffer_bytes = 64 * 1'024 * 1'024;  // of the kernel's accounting, for bursts
    int segments_per_flush = 192;                   // written in one turn of the loop; >= 1
  };

  // All must outlive the portal. Throws ConfigError, EnvironmentError, SystemError.
  PacketPortal(Simulation& simulation, RunLoop& loop, PacketPool& pool, Config config,
               const Options& options);

  int fd() const override { return socket_.fd(); }
  bool poll() override;
  bool flush() override;

 private:
  std::uint64_t kernel_drops() override { return socket_.kernel_drops(); }
  void prepare_device();
  void take_in(std::size_t slot, const PacketSocket::ReceivedFrame& frame);
  PacketPtr packet_from(std::size_t slot, std::size_t size);
  void choose_batch(std::size_t frames, std::size_t bytes);
  std::size_t fill_batch(int segments);

  Options options_;
  FeatureGuard features_;
  std::optional<SysfsSetting> gro_flush_;
  PacketSocket socket_;
  std::array<PacketPtr, PacketSocket::kBatch> buffers_;
  std::size_t frames_per_poll_ = PacketSocket::kBatch;
  std::array<PacketSocket::OutgoingFrame, PacketSocket::kBatch> batch_{};
};

}  // namespace simcore

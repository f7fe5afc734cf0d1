// SPDX-License-Identifier: MIT
//
// PcapPortal: the emulation portal of the papers, on libpcap. It runs wherever libpcap does, and is what the
// packet backend is compared with.
#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "simcore/portal/capture_thread.h"
#include "simcore/portal/single_frame_portal.h"
#include "simcore/sys/pcap_handle.h"
#include "simcore/sys/raw_ip_socket.h"

namespace simcore {

class PcapPortal final : public SingleFramePortal, private PcapHandle::Receiver {
 public:
  enum class Output : std::uint8_t {
    inject,  // whole frames, through libpcap
    raw_ip,  // IPv4 packets, through a raw socket, as INET does: the kernel routes them and makes their Ethernet
             // headers; what is not IPv4 is dropped
  };

  struct Options {
    bool immediate = true;               // deliver each frame at once
    Duration timeout = Duration::ms(1);  // without `immediate`: how long frames are gathered; >= 1 ms
    // A frame arrives when the kernel took it in; false: when it is read, as in INET, whose frames were late
    // by however long they were gathered.
    bool kernel_stamps = true;
    int buffer_bytes = 16 * 1'024 * 1'024;  // of the capture
    Output output = Output::inject;
    int segments_per_flush = 64;            // written in one turn of the loop; >= 1
    bool capture_thread = false;            // capture in a thread of its own
    std::size_t capture_ring_frames = 256;  // how many may wait between that thread and the loop; 1 to 4,096
  };

  // All must outlive the portal. Throws ConfigError, EnvironmentError.
  PcapPortal(Simulation& simulation, RunLoop& loop, PacketPool& pool, Config config, const Options& options);

  void begin() override;
  void stop_capture() override;
  void drop_all() override;
  int fd() const override { return thread_ ? thread_->fd() : handle_.fd(); }
  std::size_t poll() override;
  std::vector<std::pair<std::string_view, std::uint64_t>> backend_counters() override;

 private:
  // What the capture thread reads: frames copied out of libpcap's buffer.
  class Source final : public CaptureSource, private PcapHandle::Receiver {
   public:
    explicit Source(PcapPortal& portal) : portal_(portal) {}

    int fd() const override { return portal_.handle_.fd(); }
    std::size_t read(std::span<CapturedFrame> room) override;

   private:
    void receive(const PcapHandle::Frame& frame) override;

    PcapPortal& portal_;
    std::span<CapturedFrame> room_;
    std::size_t count_ = 0;
  };

  void start_capture();
  std::size_t poll_thread();
  std::uint64_t kernel_drops() override;
  void receive(const PcapHandle::Frame& frame) override;
  int write(std::span<const std::uint8_t> frame) override;

  Options options_;
  std::optional<int> fifo_priority_;  // of the capture thread
  PcapHandle handle_;
  std::optional<PcapHandle> injector_;  // with a capture thread, since a handle is for one thread
  std::optional<RawIpSocket> raw_ip_;
  std::mutex handle_access_;  // with a capture thread: it reads, the run loop's asks for drops
  Source source_{*this};
  std::unique_ptr<CaptureThread> thread_;
};

}  // namespace simcore

// SPDX-License-Identifier: MIT
//
// EmulationPortal: where real frames enter and leave an instance, at one network device.
//
//   device --poll()--> packets, stamped with their arrival --emit()--> link
//   link --accept()--> egress queue --flush()--> device
//
// What is common to the backends: the egress queue, the arrival clock, the counters. A backend
// reads and writes frames.
//
// Counters balance:  captured_segments = emitted + dropped_in
//                    accepted_segments = written_segments + dropped_out + in_flight
// What the kernel dropped was never captured.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "simcore/link/drop_counters.h"
#include "simcore/link/port.h"
#include "simcore/packet/packet_pool.h"
#include "simcore/portal/arrival_clock.h"
#include "simcore/portal/device_refusals.h"
#include "simcore/portal/egress_queue.h"
#include "simcore/realtime/pollable.h"
#include "simcore/realtime/run_loop.h"

namespace simcore {

// Frames that a backend cannot carry, and why. Each is a drop with the reason `unsupported`.
enum class UnsupportedFrame : std::uint8_t {
  offload_kind,  // a super-packet of a kind that the virtio-net header or a train cannot describe
  oversize,      // larger than a frame that the backend can take whole
  not_ipv4,      // on the way out through a raw IP socket
  count_,
};

constexpr std::size_t kUnsupportedFrames = static_cast<std::size_t>(UnsupportedFrame::count_);

// The name under which a kind is reported: its own.
std::string_view name_of(UnsupportedFrame kind);

class EmulationPortal;

// Who sees to it that the device of a portal is as its link.
class PortalLinkWatcher {
 public:
  virtual void portal_link_changed(EmulationPortal& portal, bool up) = 0;

 protected:
  ~PortalLinkWatcher() = default;
};

class EmulationPortal : public Port, public Pollable {
 public:
  struct Config {
    std::string name;
    std::string device;  // a network device of the namespace in which the instance runs
    std::string filter;  // captures only what matches, in pcap-filter(7); empty: everything
    std::uint64_t backlog_segments = 16'384;  // how much may wait for the device: 20 ms at 10 Gbit/s; >= 1
    // It is made by another thread than the loop's, while that runs: begin() then takes what it needs of the pool.
    bool begins_later = false;
  };

  struct Counters {
    std::uint64_t captured_frames = 0;    // as read: a train is one
    std::uint64_t captured_segments = 0;  // as they would be on a wire
    std::uint64_t captured_bytes = 0;     // wire bytes of those segments
    std::uint64_t kernel_drops = 0;       // frames that found the capture buffer full
    std::uint64_t capture_errors = 0;  // reads that the kernel answered with an error: the device went down
    DropCounters dropped_in;           // captured, and not given to the link
    std::array<std::uint64_t, kUnsupportedFrames> unsupported{};

    std::uint64_t accepted_segments = 0;  // from the link
    std::uint64_t written_frames = 0;
    std::uint64_t written_segments = 0;
    std::uint64_t written_bytes = 0;
    std::uint64_t device_busy =
        0;  // writes that the device did not take (EAGAIN, ENOBUFS) and that are tried again
    DropCounters dropped_out;     // accepted, and not written
    std::uint64_t in_flight = 0;  // segments in the egress queue now
  };

  virtual ~EmulationPortal() = default;

  // On the loop's thread, before the loop watches it, where the configuration says so. Throws ConfigError: the pool is too
  // small.
  virtual void begin() {}

  // The end of a portal that the loop does not watch any more, and that no link leads to. stop_capture() ends its thread
  // and waits for that, on any thread; then drop_all(), on the loop's, drops and counts what waits and gives packets back
  // to the pool. The rest, which takes system calls, is its destructor's, on any thread.
  virtual void stop_capture() {}
  virtual void drop_all();

  void accept(PacketPtr packet) final;
  bool stamps_arrivals() const final { return true; }
  void link_changed(bool up) final {
    if (link_watcher_ != nullptr) link_watcher_->portal_link_changed(*this, up);
  }
  // Null: nobody. It must outlive the portal's last change.
  void watch_link(PortalLinkWatcher* watcher) { link_watcher_ = watcher; }

  const std::string& name() const { return config_.name; }
  const std::string& device() const { return config_.device; }
  Counters counters();

  // Accepted from the link, and not yet written or dropped.
  std::uint64_t waiting_segments() const { return egress_.segments() + held_segments(); }

  // The kernel's timestamp of the frame that is being given to the link, CLOCK_REALTIME; 0: the frame has none.
  std::int64_t entering_realtime_ns() const { return entering_realtime_ns_; }

  // What only this backend counts, by name; each is a figure of the portal's row in a snapshot.
  virtual std::vector<std::pair<std::string_view, std::uint64_t>> backend_counters() { return {}; }

  // What this portal asked of its device or of the kernel and did not get, a sentence each:
  // it works without, slower.
  const std::vector<std::string>& notes() const { return notes_; }

 protected:
  // All must outlive the portal. Throws ConfigError when a value is out of its range.
  EmulationPortal(Simulation& simulation, RunLoop& loop, PacketPool& pool, Config config);

  virtual std::uint64_t kernel_drops() = 0;

  // Segments that the backend has taken from the egress queue and not yet written.
  virtual std::uint64_t held_segments() const { return 0; }

  // Gives a packet that arrived with this kernel timestamp to the link.
  void enter(PacketPtr packet, std::int64_t realtime_ns);
  void count_captured(const Packet& packet);
  // A frame of `bytes` that came and has become no packet.
  void drop_captured(DropReason reason, std::size_t bytes);
  void drop_unsupported(UnsupportedFrame kind);
  void refuse_unsupported(UnsupportedFrame kind);  // one that was to be written
  void count_written(const Packet& packet);
  // After the device refused `packet` with ENOBUFS: see device_refusals.h.
  bool offer_again(const Packet& packet) { return refusals_.offer_again(packet, loop_.turn_now()); }
  // The device has just refused the next frame, which is not to be offered now.
  bool resting() const { return refusals_.refusing() && refusals_.next_offer() > loop_.turn_now(); }
  void note(std::string sentence) { notes_.push_back(std::move(sentence)); }

  const Config config_;
  PacketPool& pool_;
  RunLoop& loop_;
  ArrivalClock arrivals_;
  EgressQueue egress_;
  DeviceRefusals refusals_;
  Counters counters_;

 private:
  PortalLinkWatcher* link_watcher_ = nullptr;
  std::int64_t entering_realtime_ns_ = 0;
  std::vector<std::string> notes_;
};

}  // namespace simcore

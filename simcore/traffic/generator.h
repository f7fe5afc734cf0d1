// SPDX-License-Identifier: MIT
//
// Generator: sends the frames of a source at one network device, each when it is due: an emulation portal's output
// stage, with a schedule in front of it instead of a network.
//
//   source --when due--> egress queue --flush()--> device
//
// How late each frame left, from the instant at which it was due to the return of the call that wrote it, goes into a
// histogram. What is due is sent, however late; who wants it no more bounds the time: `patience` after the last frame
// was due the rest is given up, and counted.
//
// Counters balance:  due = sent + dropped + waiting;  what was due and not taken from the source is unsent.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "simcore/kernel/simulation.h"
#include "simcore/link/ring.h"
#include "simcore/network/snapshot.h"
#include "simcore/packet/packet_pool.h"
#include "simcore/portal/emulation_portal_factory.h"
#include "simcore/realtime/lateness.h"
#include "simcore/realtime/run_loop.h"
#include "simcore/traffic/traffic_source.h"

namespace simcore {

class Generator final : private Pollable {
 public:
  struct Config {
    std::string device;
    std::string backend = "packet";
    EmulationPortalOptions portal;
    RunLoop::Options realtime;
    // Frames due within this time leave together: fewer system calls, and each up to so much later. 0 to 1 ms.
    Duration gather = Duration::zero();
    Duration patience = Duration::seconds(1);  // >= 0
  };

  struct Report {
    SnapshotRow frames;  // what became of them
    SnapshotRow portal;
    SnapshotRow loop;
    SnapshotHistogram lateness;
  };

  // Throws ConfigError, and what the portal's backend throws.
  Generator(Config config, std::unique_ptr<TrafficSource> source);

  // Sends until the source has no more, stop() or the end of the patience. Called once. Throws what RunLoop::run throws.
  void run();

  // From any thread or signal handler.
  void stop() { loop_.stop(); }

  // From any thread: answered between two turns of the loop.
  Report report();

 private:
  // Whatever comes in at the device while sending is none of ours: the portal's filter lets nothing of it pass, and
  // what passed before the filter was there is let go.
  struct Nowhere final : PacketSink {
    void accept(PacketPtr /*packet*/) override {}
  };

  int fd() const override { return portal_->fd(); }
  std::size_t poll() override { return portal_->poll(); }
  Flushed flush() override;
  bool stamps_arrivals() const override { return portal_->stamps_arrivals(); }

  void depart();
  void send_group(SimTime until);
  void schedule_next();
  void settle();
  void give_up();
  Report read();

  Config config_;
  Simulation simulation_{0};
  PacketPool pool_;
  RunLoop loop_;
  std::unique_ptr<TrafficSource> source_;
  std::unique_ptr<EmulationPortal> portal_;
  Nowhere nowhere_;

  std::vector<SimTime> due_;    // of the frames of one packet, from the beginning of the source
  Ring<std::int64_t> waiting_;  // ns of the loop's clock at which the segments in the egress queue were due
  std::uint64_t taken_ = 0;     // frames, from the source
  std::mutex reading_;          // guards the two around it, when the loop does not any more
  std::uint64_t unsent_ = 0;    // given up, or due when it was stopped
  DropCounters dropped_;        // before the portal
  bool held_ = false;           // the departure that is due waits for room
  SimTime deadline_ = SimTime::never();
  Lateness lateness_;
  SimTime first_left_ = SimTime::never();
  SimTime last_left_ = SimTime::zero();
  EventFor<Generator, &Generator::depart> departure_{*this};
  EventFor<Generator, &Generator::give_up> end_of_patience_{*this};
};

}  // namespace simcore

// SPDX-License-Identifier: MIT
//
// Receiver: counts the numbered UDP frames that arrive at one network device, whoever they are for: an emulation portal's
// capture, with a count behind it instead of a network.
//
// Per sender (address and port) it knows which numbers came; of all together how long they were on their way, from the
// stamp in the frame to the kernel's stamp of its arrival, both CLOCK_REALTIME: meaningful where sender and receiver
// share a clock.
//
// Counters balance:  captured = numbered + foreign + dropped
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <unordered_map>

#include "simcore/kernel/simulation.h"
#include "simcore/network/snapshot.h"
#include "simcore/packet/packet_pool.h"
#include "simcore/portal/emulation_portal_factory.h"
#include "simcore/realtime/run_loop.h"
#include "simcore/traffic/sequence_count.h"
#include "simcore/units/log_histogram.h"

namespace simcore {

class Receiver {
 public:
  static constexpr std::size_t kMostSenders = 64;  // told apart; frames of others are foreign

  struct Config {
    std::string device;
    std::string backend = "packet";
    EmulationPortalOptions portal;
    RunLoop::Options realtime;
    std::uint16_t port;                       // of UDP, to which the frames go
    std::uint64_t count = 0;                  // ends when so many different ones have come; 0: does not
    Duration silence = Duration::infinite();  // ends when after the first none has come for so long; > 0
  };

  struct Report {
    SnapshotRow frames;  // what came
    SnapshotRow portal;
    SnapshotRow loop;
    SnapshotHistogram delay;
  };

  // Throws ConfigError, and what the portal's backend throws.
  explicit Receiver(Config config);

  // Counts until stop(), the count or the silence. Called once. Throws what RunLoop::run throws.
  void run() { loop_.run(); }

  // From any thread or signal handler.
  void stop() { loop_.stop(); }

  // From any thread: answered between two turns of the loop.
  Report report();

 private:
  struct Entrance final : PacketSink {
    explicit Entrance(Receiver& receiver) : owner(receiver) {}
    void accept(PacketPtr packet) override { owner.take(*packet); }
    Receiver& owner;
  };

  void take(const Packet& packet);
  void add(std::uint64_t sender, std::uint64_t number, std::int64_t sent_ns, SimTime arrival,
           std::size_t bytes);
  SequenceCount* flow(std::uint64_t sender);
  void look_for_silence();
  Report read();

  Config config_;
  Simulation simulation_{0};
  PacketPool pool_;
  RunLoop loop_;
  std::unique_ptr<EmulationPortal> portal_;
  Entrance entrance_{*this};

  std::unordered_map<std::uint64_t, SequenceCount> flows_;
  std::uint64_t last_sender_ = 0;  // and its flow: most frames are of the sender of the one before
  SequenceCount* last_flow_ = nullptr;
  std::uint64_t numbered_ = 0;
  std::uint64_t distinct_ = 0;
  std::uint64_t foreign_ = 0;
  std::uint64_t damaged_ = 0;  // their checksum is wrong, so nothing that they say counts
  std::uint64_t bytes_ = 0;    // of numbered frames, headers included
  LogHistogram delays_;
  std::int64_t least_delay_ns_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t longest_delay_ns_ = std::numeric_limits<std::int64_t>::min();
  std::int64_t to_realtime_ns_ = 0;  // of simulated time, when it was
  SimTime clocks_compared_ = SimTime::at_ns(std::numeric_limits<std::int64_t>::min() / 2);
  SimTime first_ = SimTime::never();
  SimTime last_ = SimTime::zero();
  EventFor<Receiver, &Receiver::look_for_silence> silence_{*this};
};

}  // namespace simcore

// SPDX-License-Identifier: MIT
//
// PortalRecorder: writes down everything that crosses the portals of a simulation, in both directions and with both clocks, so
// that it can be replayed (replay.h).
//
//   PortalRecorder recorder(simulation, "m1.pcapng", plan);
//   port.attach(recorder.tap("p1", link, FrameDirection::inbound, stamp));      what comes in at portal p1
//   Link to_portal(..., recorder.tap("p1", port, FrameDirection::outbound));    what leaves there
//   recorder.begin(epoch_ns);  ...  recorder.close();
//
// Inbound is what enters the simulation. A tap may be made again for a portal, when its link has changed.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "simcore/kernel/simulation.h"
#include "simcore/network/snapshot.h"
#include "simcore/packet/packet.h"
#include "simcore/trace/record_writer.h"

namespace simcore {

class PortalRecorder {
 public:
  // The wall clock's time of what crosses now, in nanoseconds since 1970.
  using WallClock = std::function<std::int64_t()>;

  // `plan` is what a replay builds. `writing`: queued in real time. `simulation` must outlive the recorder. Throws as RecordWriter.
  PortalRecorder(Simulation& simulation, const std::string& path, std::string plan,
                 RecordWriter::Writing writing, WallClock wall_clock);

  // A sink that writes down what crosses `portal` and gives it to `next`, which must outlive the recorder. `wall_clock`:
  // of this tap alone. A portal that has had no tap yet is taken before begin() only.
  PacketSink& tap(const std::string& portal, PacketSink& next, FrameDirection direction,
                  WallClock wall_clock = nullptr);

  // `epoch_ns`: the wall clock at simulated time zero.
  void begin(std::int64_t epoch_ns);
  // As RecordWriter's.
  void clock_runs(std::int64_t epoch_ns) { writer_.clock_runs(epoch_ns); }

  // Something was changed that is not a frame: `text` tells a replay what.
  void note_change(std::string_view text) { writer_.write_change(text, simulation_.now()); }

  // Ends the file. Does not throw; failure() says why it could not be written.
  void close();
  std::string failure() const { return writer_.failure(); }
  const std::string& path() const { return writer_.path(); }

  SnapshotRow row() const;

 private:
  class Tap final : public PacketSink {
   public:
    Tap(PortalRecorder& recorder, std::uint32_t portal, PacketSink& next, FrameDirection direction,
        WallClock wall_clock)
        : recorder_(recorder),
          portal_(portal),
          next_(next),
          direction_(direction),
          wall_clock_(std::move(wall_clock)) {}
    void accept(PacketPtr packet) override;

   private:
    PortalRecorder& recorder_;
    std::uint32_t portal_;
    PacketSink& next_;
    FrameDirection direction_;
    WallClock wall_clock_;
  };

  Simulation& simulation_;
  RecordWriter writer_;
  std::string plan_;
  WallClock wall_clock_;
  std::map<std::string, std::uint32_t> portals_;
  std::vector<std::unique_ptr<Tap>> taps_;
};

}  // namespace simcore

// SPDX-License-Identifier: MIT
#include "simcore/network/portal_recorder.h"

#include <utility>

namespace simcore {

PortalRecorder::PortalRecorder(Simulation& simulation, const std::string& path, std::string plan,
                               RecordWriter::Writing writing, WallClock wall_clock)
    : simulation_(simulation),
      writer_(path, writing),
      plan_(std::move(plan)),
      wall_clock_(std::move(wall_clock)) {}

PacketSink& PortalRecorder::tap(const std::string& portal, PacketSink& next, FrameDirection direction,
                                WallClock wall_clock) {
  auto found = portals_.find(portal);
  if (found == portals_.end()) found = portals_.emplace(portal, writer_.add_interface(portal)).first;
  taps_.push_back(std::make_unique<Tap>(*this, found->second, next, direction,
                                        wall_clock ? std::move(wall_clock) : wall_clock_));
  return *taps_.back();
}

void PortalRecorder::begin(std::int64_t epoch_ns) { writer_.begin(plan_, epoch_ns); }

void PortalRecorder::close() { writer_.close(simulation_.now(), wall_clock_()); }

SnapshotRow PortalRecorder::row() const {
  const RecordWriter::Counters& counters = writer_.counters();
  std::vector<std::pair<std::string_view, std::string>> labels;
  if (std::string failure = this->failure(); !failure.empty()) {
    labels.emplace_back("failure", std::move(failure));
  }
  const auto plain = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
  return {.name = writer_.path(),
          .labels = std::move(labels),
          .figures = {{"recorded_frames", plain(counters.recorded_frames)},
                      {"recorded_changes", plain(counters.recorded_changes)},
                      {"queue_full", plain(counters.queue_full)},
                      {"write_failed", plain(counters.write_failed)}},
          .dropped = {}};
}

void PortalRecorder::Tap::accept(PacketPtr packet) {
  recorder_.writer_.write(portal_, direction_, *packet, recorder_.simulation_.now(), wall_clock_());
  next_.accept(std::move(packet));
}

}  // namespace simcore

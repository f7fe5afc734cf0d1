// SPDX-License-Identifier: MIT
#include "simcore/instance/running_captures.h"

#include <algorithm>
#include <span>
#include <utility>

#include "simcore/sys/capture_filter.h"
#include "simcore/units/error.h"

namespace simcore {

void RunningCaptures::start(const std::string& interface, const std::string& file, const std::string& filter,
                            std::uint64_t most_bytes) {
  const std::string attempt = "capture at " + interface + " into " + file;
  if (closed_) throw ConfigError(attempt + ": the instance has ended");
  Taps& taps = network_.taps();
  Interface& port = network_.nodes().interface(interface, attempt);
  const auto place = network_.links().place_of(port);
  if (!place) throw ConfigError(attempt + ": no link joins it, so nothing passes there");
  const auto running = taps.all_running().find(interface);
  if (running != taps.all_running().end()) {
    throw ConfigError(attempt + ": one into " + running->second->writer().path() +
                      " runs there; end that before");
  }
  if (taps.writes(file))
    throw ConfigError(attempt + ": something is written there already; choose another file");
  CaptureOptions options{.queue_bytes = CaptureOptions::kQueueBytes, .most_bytes = most_bytes};
  if (!filter.empty()) {
    options.wanted = [compiled = std::make_shared<const CaptureFilter>(filter)](
                         std::span<const std::uint8_t> frame) { return compiled->matches(frame); };
  }
  auto capture = std::make_unique<Capture>(file, interface, std::move(options));
  capture->writer().flush();  // who has no room for the beginning learns of it now
  // On this thread: the writing one must not have the priority of the loop's.
  capture->writer().begin(loop_.call([&taps] { return taps.epoch_ns(); }));
  loop_.call([&] {
    taps.add_running(interface, std::move(capture));
    network_.links().tap(*place, port);
  });
}

RunningCaptures::State RunningCaptures::stop(const std::string& file) {
  for (const State& each : running()) {
    if (each.file == file) take(each.interface);
  }
  const auto found = std::ranges::find(ended_, file, &State::file);
  if (found == ended_.end()) throw ConfigError("end the capture into " + file + ": there is none");
  return *found;
}

std::vector<RunningCaptures::State> RunningCaptures::all() {
  for (const State& each : running()) {
    if (each.counters.write_failed > 0) take(each.interface);
  }
  std::vector<State> all = running();
  all.insert(all.end(), ended_.begin(), ended_.end());
  return all;
}

RunningCaptures::Lost RunningCaptures::lost() {
  Lost lost = lost_by_ended_;
  for (const State& each : running()) {
    lost.queue_full += each.counters.queue_full;
    lost.write_failed += each.counters.write_failed;
  }
  return lost;
}

void RunningCaptures::settle() {
  for (const auto& [interface, capture] : network_.taps().take_left()) end(interface, *capture);
}

void RunningCaptures::close() {
  closed_ = true;
  for (const State& each : running()) take(each.interface);
}

// What is captured on the loop's thread is counted there.
std::vector<RunningCaptures::State> RunningCaptures::running() {
  std::vector<State> running;
  loop_.call([&] {
    for (const auto& [interface, capture] : network_.taps().all_running()) {
      const CaptureWriter& writer = capture->writer();
      running.push_back({.interface = interface, .file = writer.path(), .counters = writer.counters()});
    }
  });
  return running;
}

// Precondition: a capture runs there.
void RunningCaptures::take(const std::string& interface) {
  Interface& port = network_.nodes().interface(interface, "end the capture at " + interface);
  const auto place = network_.links().place_of(port);
  const std::unique_ptr<Capture> capture = loop_.call([&] {
    std::unique_ptr<Capture> taken = network_.taps().take_running(interface);
    if (place) network_.links().tap(*place, port);
    return taken;
  });
  end(interface, *capture);
}

void RunningCaptures::end(const std::string& interface, Capture& capture) {
  State state{.interface = interface, .file = capture.writer().path(), .running = false, .counters = {}};
  try {
    capture.writer().close();
  } catch (const SystemError& error) {
    state.failure = error.what();
  }
  state.counters = capture.writer().counters();
  if (!state.failure.empty() && state.counters.write_failed == 0)
    state.counters.write_failed = 1;  // what was in the file's buffer
  lost_by_ended_.queue_full += state.counters.queue_full;
  lost_by_ended_.write_failed += state.counters.write_failed;
  ended_.push_front(std::move(state));
  if (ended_.size() > kRemembered) ended_.pop_back();
}

}  // namespace simcore

// SPDX-License-Identifier: MIT
#include "simcore/network/taps.h"

#include <algorithm>
#include <exception>
#include <string_view>
#include <utility>

#include "simcore/units/error.h"

namespace simcore {

void Taps::add_capture(const std::string& interface, const std::string& file, CaptureOptions options) {
  captures_[interface] = std::make_unique<Capture>(file, interface, std::move(options));
}

void Taps::add_trace(const std::string& interface) { traces_[interface] = std::make_unique<TcpdumpText>(); }

PacketSink& Taps::on(const std::string& interface, PacketSink& sink, FrameDirection direction) {
  PacketSink* way_in = &sink;
  if (const auto found = captures_.find(interface); found != captures_.end()) {
    way_in = &found->second->tap(*way_in, direction);
  }
  if (const auto found = traces_.find(interface); found != traces_.end()) {
    way_in = &found->second->tap(*way_in);
  }
  if (messages_) way_in = &messages_->tap(interface, *way_in, direction);
  if (hashes_) {
    HashesOf& of_interface = (*hashes_)[interface];
    std::unique_ptr<TraceHash>& hash =
        direction == FrameDirection::outbound ? of_interface.sent : of_interface.arrived;
    // A link's entrance may change, and then what has passed counts on.
    hash = std::make_unique<TraceHash>(*way_in, hash ? hash->digest() : TraceHash::Digest{});
    way_in = hash.get();
  }
  return *way_in;
}

std::vector<Taps::Hashed> Taps::hashes() const {
  std::vector<Hashed> all;
  if (!hashes_) return all;
  const auto digest = [](const std::unique_ptr<TraceHash>& of) {
    return of ? of->digest() : TraceHash::Digest{};
  };
  for (const auto& [name, of] : *hashes_) all.push_back({name, digest(of.sent), digest(of.arrived)});
  return all;
}

PacketSink& Taps::crossing(const std::string& portal, PacketSink& sink, FrameDirection direction,
                           const PortalRecorder::WallClock& wall_clock) {
  return recorder_ ? recorder_->tap(portal, sink, direction, wall_clock) : sink;
}

void Taps::begin(std::int64_t epoch_ns) {
  epoch_ns_ = epoch_ns;
  for (auto& [interface, capture] : captures_) capture->writer().begin(epoch_ns);
  if (recorder_) recorder_->begin(epoch_ns);
}

void Taps::clock_runs(std::int64_t epoch_ns) {
  epoch_ns_ = epoch_ns;
  for (auto& [interface, capture] : captures_) capture->writer().set_epoch(epoch_ns);
  if (recorder_) recorder_->clock_runs(epoch_ns);
}

void Taps::close() {
  // One that cannot be written keeps no other from its end.
  std::exception_ptr first;
  for (auto& [interface, capture] : captures_) {
    try {
      capture->writer().close();
    } catch (const SystemError&) {
      if (!first) first = std::current_exception();
    }
  }
  if (recorder_) recorder_->close();
  if (first) std::rethrow_exception(first);
}

void Taps::add_running(const std::string& interface, std::unique_ptr<Capture> capture) {
  running_[interface] = std::move(capture);
}

std::unique_ptr<Capture> Taps::take_running(const std::string& interface) {
  const auto found = running_.find(interface);
  if (found == running_.end()) return nullptr;
  std::unique_ptr<Capture> taken = std::move(found->second);
  running_.erase(found);
  return taken;
}

PacketSink& Taps::running(const std::string& interface, PacketSink& sink, FrameDirection direction) {
  const auto found = running_.find(interface);
  return found == running_.end() ? sink : found->second->tap(sink, direction);
}

void Taps::leave(const std::string& interface) {
  if (std::unique_ptr<Capture> capture = take_running(interface)) left_[interface] = std::move(capture);
}

std::vector<SnapshotRow> Taps::rows() const {
  const auto plain = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
  std::vector<SnapshotRow> rows;
  rows.reserve(captures_.size());
  for (const auto& [interface, capture] : captures_) {
    const CaptureWriter::Counters& counters = capture->writer().counters();
    std::vector<std::pair<std::string_view, std::string>> labels = {{"file", capture->writer().path()}};
    if (std::string failure = capture->writer().failure(); !failure.empty()) {
      labels.emplace_back("failure", std::move(failure));
    }
    rows.push_back({.name = interface,
                    .labels = std::move(labels),
                    .figures = {{"captured_frames", plain(counters.written)},
                                {"queue_full", plain(counters.queue_full)},
                                {"write_failed", plain(counters.write_failed)}},
                    .dropped = {}});
  }
  return rows;
}

bool Taps::writes(const std::string& file) const {
  const auto there = [&file](const auto& captures) {
    return std::ranges::any_of(captures,
                               [&file](const auto& each) { return each.second->writer().path() == file; });
  };
  return there(captures_) || there(running_) || (recorder_ && recorder_->path() == file);
}

const std::string& Taps::trace(const std::string& interface) const {
  const auto found = traces_.find(interface);
  if (found == traces_.end()) {
    throw ConfigError("read the trace of " + interface + ": there is none; add it before its link");
  }
  return found->second->text();
}

}  // namespace simcore

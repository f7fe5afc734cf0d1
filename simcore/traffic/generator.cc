// SPDX-License-Identifier: MIT
#include "simcore/traffic/generator.h"

#include <utility>

#include "simcore/network/snapshot_rows.h"
#include "simcore/sys/clock.h"
#include "simcore/units/error.h"

namespace simcore {

namespace {

// The source begins so long after the loop, whose first turns are slow.
constexpr Duration kBeginning = Duration::ms(20);

constexpr Duration kMostGathered = Duration::ms(1);

// A frame that no device has sent: what the portal is to capture of what comes in. libpcap refuses a filter that says
// openly that nothing matches.
constexpr const char* kNothing = "ether host 00:00:00:00:00:00 and ether proto 0";

// Segments in the egress queue beyond which nothing is put there: more than a turn of the loop writes.
constexpr std::uint64_t kMostWaiting = 256;

constexpr int kEventsPerTurn =
    64;  // so that frames which became due together are written soon after they were made

Generator::Config checked(Generator::Config config) {
  if (config.gather < Duration::zero() || config.gather > kMostGathered) {
    throw ConfigError("generate at " + config.device + ": frames are gathered for " +
                      std::to_string(config.gather.count_ns()) + " ns; 0 to 1,000,000 are possible");
  }
  if (config.patience < Duration::zero()) {
    throw ConfigError("generate at " + config.device + ": the patience is negative; write 0 s or more");
  }
  config.portal.packet.gro = false;  // nothing is captured
  config.realtime.events_per_turn = kEventsPerTurn;
  return config;
}

}  // namespace

Generator::Generator(Config config, std::unique_ptr<TrafficSource> source)
    : config_(checked(std::move(config))),
      loop_(simulation_, config_.realtime),
      source_(std::move(source)),
      portal_(make_emulation_portal(config_.backend, simulation_, loop_, pool_,
                                    {.name = config_.device, .device = config_.device, .filter = kNothing},
                                    config_.portal)) {
  portal_->attach(nowhere_);
  loop_.add(*this);
  schedule_next();
  if (source_->end() != SimTime::never()) {
    deadline_ = source_->end() + kBeginning + config_.gather + config_.patience;
    simulation_.schedule(end_of_patience_, deadline_);
  }
}

void Generator::run() {
  loop_.run();
  // Reports are read by whoever asks for them from now on.
  const std::lock_guard lock(reading_);
  const SimTime now = loop_.wall_now();
  for (; source_->next() != SimTime::never() && source_->next() + kBeginning <= now; source_->skip())
    ++unsent_;
}

Generator::Report Generator::report() {
  return loop_.call([this] { return read(); });
}

void Generator::schedule_next() {
  if (source_->next() == SimTime::never()) return;
  simulation_.schedule(departure_, source_->next() + kBeginning + config_.gather);
}

void Generator::depart() {
  // An overloaded loop is behind: its events, the end of patience among them, fire in their order.
  if (loop_.wall_now() > deadline_) return give_up();
  // What the device does not take waits in the source, not in the egress queue, whose bound would drop it.
  held_ = portal_->waiting_segments() >= kMostWaiting;
  if (held_) return;
  send_group(simulation_.now() - kBeginning);
  schedule_next();
}

// Hands everything that is due to the portal.
void Generator::send_group(SimTime until) {
  const std::int64_t realtime = realtime_ns();
  while (source_->next() <= until) {
    PacketPtr packet = source_->take(until, realtime, pool_, due_);
    taken_ += due_.size();
    if (!packet) {
      dropped_.add(DropReason::pool_exhausted, due_.size());
      continue;
    }
    packet->first_arrival = packet->last_arrival = simulation_.now();
    const std::uint64_t before = portal_->waiting_segments();
    portal_->accept(std::move(packet));
    if (portal_->waiting_segments() == before) continue;  // the portal has dropped and counted it
    for (const SimTime due : due_) waiting_.push((due + kBeginning).count_ns());
  }
}

Pollable::Flushed Generator::flush() {
  const Flushed flushed = portal_->flush();
  settle();
  return flushed;
}

// What the egress queue holds no more has left, first in, first out.
void Generator::settle() {
  const std::uint64_t waiting = portal_->waiting_segments();
  if (waiting_.size() > waiting) {
    const SimTime now = loop_.wall_now();
    if (first_left_ == SimTime::never()) first_left_ = now;
    last_left_ = now;
    for (; waiting_.size() > waiting; waiting_.drop_front())
      lateness_.record(now - SimTime::at_ns(waiting_.front()));
  }
  if (held_ && waiting < kMostWaiting) {
    held_ = false;
    simulation_.schedule(departure_, simulation_.now());
  }
  if (waiting_.empty() && source_->next() == SimTime::never()) loop_.stop();
}

void Generator::give_up() { loop_.stop(); }

Generator::Report Generator::read() {
  const std::lock_guard lock(reading_);
  const EmulationPortal::Counters portal = portal_->counters();
  Report report;
  report.frames.name = config_.device;
  const auto add_figure = [&report](std::string_view name, auto value) {
    report.frames.figures.emplace_back(name, static_cast<std::int64_t>(value));
  };
  add_figure("due_packets", taken_ + unsent_);
  add_figure("sent_packets", portal.written_segments);
  add_figure("sent_frames", portal.written_frames);
  add_figure("sent_bytes", portal.written_bytes);
  add_figure("waiting_packets", portal.in_flight);
  add_figure("unsent_packets", unsent_);
  add_figure("first_sent_ns", first_left_ == SimTime::never() ? 0 : first_left_.count_ns());
  add_figure("last_sent_ns", last_left_.count_ns());
  add_figure("time_ns", loop_.wall_now().count_ns());
  add_to(report.frames.dropped, dropped_);
  add_to(report.frames.dropped, portal.dropped_out);
  report.portal = row_of(*portal_);
  report.loop = row_of(loop_);
  report.lateness = histogram_of(lateness_);
  return report;
}

}  // namespace simcore

// SPDX-License-Identifier: MIT
#include "simcore/parallel/partition.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "simcore/network/snapshot_reader.h"
#include "simcore/sys/clock.h"
#include "simcore/units/error.h"

namespace simcore {

namespace {

// Bytes for one partition, beyond which a window ends early: this bounds what is under way, and stays in the cache.
constexpr std::size_t kMostUnderWay = std::size_t{1} << 20;

// So many events fire between two looks at these bytes: few enough to pass them by little.
constexpr std::uint64_t kEventsPerLook = 16;

}  // namespace

Partition::Partition(std::uint64_t seed, std::size_t own, std::size_t partitions)
    : network_(seed), own_(own), outboxes_(partitions) {}

void Partition::add_link(const std::string& name, std::uint32_t number, const std::string& a,
                         const std::string& b, const LinkModel& a_to_b, const LinkModel& b_to_a) {
  const std::string attempt = "add link " + name;
  network_.add_link(name, network_.end(a, attempt), network_.end(b, attempt), a_to_b, b_to_a, number);
}

void Partition::add_cut_link(const std::string& name, const CutLink& cut, const LinkModel& a_to_b,
                             const LinkModel& b_to_a) {
  add_cut_link(name, cut, network_.end(cut.near, "add link " + name), a_to_b, b_to_a);
}

void Partition::add_cut_link(const std::string& name, const CutLink& cut, const Links::End& near,
                             const LinkModel& a_to_b, const LinkModel& b_to_a) {
  const std::string attempt = "add link " + name;
  const LinkModel& outgoing = cut.near_is_a ? a_to_b : b_to_a;
  if (outgoing.link.propagation_delay <= Duration::zero()) {
    throw ConfigError(attempt + ": it is cut, and has no delay; only links with a delay can be cut");
  }
  if (cut.partition >= outboxes_.size() || cut.partition == own_) {
    throw ConfigError(attempt + ": it leads from partition " + std::to_string(own_) + " to " +
                      std::to_string(cut.partition) + ", of " + std::to_string(outboxes_.size()));
  }
  if (ends_.size() <= cut.number) ends_.resize(cut.number + std::size_t{1});
  ends_[cut.number] = std::make_unique<CutEnd>(
      network_.simulation(), cut.number, Links::rank(cut.number, !cut.near_is_a), outboxes_[cut.partition]);
  CutEnd& end = *ends_[cut.number];
  const Links::End far{.port = &end, .name = cut.far, .peer = true, .ahead = true, .emitted = &end.emitted()};
  network_.add_link(name, cut.near_is_a ? near : far, cut.near_is_a ? far : near, a_to_b, b_to_a, cut.number);
}

SimTime Partition::next_event() {
  const SimTime own = network_.simulation().next_event_time();
  return companion_ == nullptr ? own : std::min(own, companion_->next_event());
}

void Partition::run_before(SimTime bound) {
  if (companion_ == nullptr) return fire_before(bound);
  while (!full()) {
    const SimTime event = std::min(network_.simulation().next_event_time(), bound);
    if (companion_->next_event() < event) {
      companion_->run_before(event);
    } else if (event < bound) {
      fire_before(event + Duration::ns(1));
    } else {
      return;
    }
  }
}

void Partition::fire_before(SimTime bound) {
  Simulation& simulation = network_.simulation();
  const SimTime last = bound - Duration::ns(1);
  while (const std::uint64_t fired = simulation.fire(last, kEventsPerLook)) {
    standstill_.look(simulation.now(), fired);
    if (full()) return;
  }
}

bool Partition::full() const {
  return std::ranges::any_of(outboxes_,
                             [](const Outbox& each) { return each.bytes.size() >= kMostUnderWay; });
}

void Partition::meet(Exchange& exchange, bool stop, Exchange::Round& round) {
  for (const Outbox& each : outboxes_) {
    counters_.sent_parcels += each.parcels;
    counters_.sent_bytes += each.bytes.size();
  }
  ++counters_.windows;
  const std::int64_t begun = monotonic_ns();
  exchange.meet(own_, next_event(), stop, outboxes_, round);
  counters_.waited_ns += monotonic_ns() - begun;
  for (const auto& bytes : round.arrived) take_in(bytes);
}

void Partition::take_in(std::span<const std::uint8_t> bytes) {
  Inbox inbox(bytes);
  while (!inbox.empty()) {
    Inbox::Parcel parcel = inbox.take(network_.pool());
    CutEnd& end = *ends_[parcel.link];
    parcel.packet ? end.receive(std::move(parcel.packet)) : end.lose(parcel.segments);
  }
}

Snapshot Partition::snapshot() const {
  Snapshot snapshot;
  snapshot.name = "partition " + std::to_string(own_);
  snapshot.time_ns = now().count_ns();
  snapshot.ready = true;
  read_all(network_, snapshot);
  for (std::size_t host = 0; host < network_.nodes().applications().size(); ++host) {
    network_.nodes().read_connections_into(snapshot, host);
  }
  return snapshot;
}

std::vector<SnapshotRow> Partition::arrived() const {
  std::vector<SnapshotRow> rows;
  for (std::size_t i = 0; i < network_.links().directions(); ++i) {
    network_.links().read_arrived_into(rows, i);
  }
  return rows;
}

}  // namespace simcore

// SPDX-License-Identifier: MIT
#include "simcore/network/snapshot_rows.h"

#include <cmath>
#include <concepts>

#include "simcore/datapath/openflow_switch.h"

namespace simcore {

namespace {

std::int64_t plain(std::integral auto value) { return static_cast<std::int64_t>(value); }
std::int64_t plain(Duration value) { return value.count_ns(); }
std::int64_t plain(ByteCount value) { return value.count(); }

void add(SnapshotRow& row, std::string_view name, const auto& value) {
  row.figures.emplace_back(name, plain(value));
}

}  // namespace

void add_to(DropCounters& sum, const DropCounters& more) {
  for (std::size_t i = 0; i < kDropReasons; ++i) {
    const auto reason = static_cast<DropReason>(i);
    sum.add(reason, more.of(reason));
  }
}

SnapshotRow row_of(const RunLoop& loop) {
  const RunLoop::Counters c = loop.counters();
  SnapshotRow row{
      .name = "loop", .labels = {{"wait", name_of(loop.wait_policy())}}, .figures = {}, .dropped = {}};
  add(row, "turns", c.turns);
  add(row, "sleeps", c.sleeps);
  add(row, "overruns", c.overruns);
  add(row, "moderated", c.moderated);
  add(row, "looked_ns", c.looked);
  add(row, "fifo_pauses", c.fifo_pauses);
  add(row, "stalls", c.stalls);
  add(row, "stalled_ns", c.stalled);
  add(row, "cpu_ns", c.cpu_time);
  add(row, "wall_ns", c.wall_time);
  add(row, "fifo_refused", loop.fifo_refused());
  add(row, "shallow_idle_refused", loop.shallow_idle_refused());
  return row;
}

SnapshotRow row_of(const TimeSlices& slices) {
  SnapshotRow row{.name = "slices", .labels = {}, .figures = {}, .dropped = {}};
  row.histograms.emplace_back("lateness_p999", histogram_of(slices.lateness_p999()));
  row.histograms.emplace_back("longest_stall", histogram_of(slices.longest_stall()));
  row.histograms.emplace_back("late_share", histogram_of(slices.late_ppm()));
  row.histograms.back().second.unit = "ppm";
  return row;
}

SnapshotRow row_of(const PacketPool& pool) {
  SnapshotRow row{.name = "pool", .labels = {}, .figures = {}, .dropped = {}};
  add(row, "in_use", pool.in_use());
  add(row, "reserved_bytes", pool.reserved());
  add(row, "limit_bytes", pool.limit());
  add(row, "exhausted", pool.exhausted());
  add(row, "refused_share", pool.refused_share());
  return row;
}

SnapshotRow row_of(ModelledLink& link, const std::string& from, const std::string& to) {
  const Link::Counters c = link.counters();
  SnapshotRow row{
      .name = link.name(), .labels = {{"from", from}, {"to", to}}, .figures = {}, .dropped = c.dropped};
  if (!link.up()) row.labels.emplace_back("status", "down");
  add(row, "accepted_packets", c.accepted_packets);
  add(row, "accepted_bytes", c.accepted_bytes);
  add(row, "delivered_packets", c.delivered_packets);
  add(row, "delivered_bytes", c.delivered_bytes);
  add(row, "in_flight", link.in_flight());
  if (link.duplicated() > 0) add(row, "duplicated_packets", link.duplicated());
  if (link.corrupted() > 0) add(row, "corrupted_packets", link.corrupted());
  add(row, "queue_packets", link.backlog_packets());
  add(row, "queue_bytes", link.backlog_bytes());
  if (const std::optional<FluidQueue::Counters> background = link.background()) {
    add(row, "background_offered_bytes", background->offered_bytes);
    add(row, "background_served_bytes", background->served_bytes);
    add(row, "background_lost_bytes", background->lost_bytes);
    add(row, "background_queue_bytes", background->waiting_bytes);
  }
  if (const QueueDiscipline* const queue = link.queue()) {
    const QueueDiscipline::Counters& q = queue->counters();
    add(row, "queue_most_packets", q.most_waiting);
    add(row, "queue_marked_packets", q.marked);
    add(row, "queue_sojourn_longest_ns", q.sojourn_longest);
    const auto left = static_cast<std::int64_t>(q.delivered);
    add(row, "queue_sojourn_mean_ns", left > 0 ? q.sojourn_total / left : Duration::zero());
  }
  if (const auto marked = link.marked_beside_fluid()) add(row, "queue_marked_packets", *marked);
  if (const QueueStatistics* const queue = link.statistics()) {
    add(row, "queue_sojourn_p50_ns", queue->sojourn_ns().quantile(0.5));
    add(row, "queue_sojourn_p99_ns", queue->sojourn_ns().quantile(0.99));
    add(row, "queue_others_p50_packets", queue->others().quantile(0.5));
    add(row, "queue_others_p99_packets", queue->others().quantile(0.99));
    row.histograms.emplace_back("queue_sojourn", histogram_of(queue->sojourn_ns()));
    row.histograms.emplace_back("queue_others", histogram_of(queue->others())).second.unit = "packets";
  }
  return row;
}

SnapshotRow row_of(const FluidFlows& fluids, std::size_t flow) {
  const FluidFlows::Counters c = fluids.counters(flow);
  SnapshotRow row{.name = fluids.name(flow), .labels = {}, .figures = {}, .dropped = {}};
  add(row, "offered_bytes", c.offered_bytes);
  add(row, "delivered_bytes", c.delivered_bytes);
  add(row, "lost_bytes", c.lost_bytes);
  add(row, "under_way_bytes", c.under_way_bytes);
  if (c.window_bytes == 0) return row;
  add(row, "window_bytes", c.window_bytes);
  add(row, "round_trip_ns", c.round_trip);
  return row;
}

void add_to(SnapshotRow& fluid, const BackgroundForms& forms, std::size_t place) {
  const BackgroundForms::Figures of = forms.figures(place);
  add(fluid, "is_fluid", of.form == FlowForm::fluid ? 1 : 0);
  add(fluid, "changes_of_form", of.changes);
  add(fluid, "as_fluid_ns", of.as_fluid);
  add(fluid, "acknowledged_bytes", of.acknowledged_bytes);
  add(fluid, "sent_segments", of.segments_sent);
  if (of.allowed) add(fluid, "allowed_ppm", std::llround(*of.allowed * 1e6));
  if (const auto more = forms.difference(place)) add(fluid, "difference_ppm", std::llround(*more * 1e6));
}

SnapshotRow row_of(EmulationPortal& portal) {
  const EmulationPortal::Counters c = portal.counters();
  SnapshotRow row{
      .name = portal.name(), .labels = {{"device", portal.device()}}, .figures = {}, .dropped = {}};
  std::string notes;
  for (const std::string& note : portal.notes()) notes += (notes.empty() ? "" : "; ") + note;
  if (!notes.empty()) row.labels.emplace_back("notes", notes);
  add(row, "captured_frames", c.captured_frames);
  add(row, "captured_segments", c.captured_segments);
  add(row, "captured_bytes", c.captured_bytes);
  add(row, "captured_dropped", c.dropped_in.total());
  add(row, "capture_errors", c.capture_errors);
  add(row, "kernel_drops", c.kernel_drops);
  for (std::size_t i = 0; i < kUnsupportedFrames; ++i) {
    add(row, name_of(static_cast<UnsupportedFrame>(i)), c.unsupported[i]);
  }
  add(row, "accepted_segments", c.accepted_segments);
  add(row, "written_frames", c.written_frames);
  add(row, "written_segments", c.written_segments);
  add(row, "written_bytes", c.written_bytes);
  add(row, "written_dropped", c.dropped_out.total());
  add(row, "device_busy", c.device_busy);
  add(row, "in_flight", c.in_flight);
  for (const auto& [name, count] : portal.backend_counters()) add(row, name, count);
  add_to(row.dropped, c.dropped_in);
  add_to(row.dropped, c.dropped_out);
  return row;
}

SnapshotRow row_of(const PeeringPortal& peer) {
  const PeeringPortal::Counters c = peer.counters();
  SnapshotRow row{.name = peer.name(), .labels = {}, .figures = {}, .dropped = {}};
  add(row, "synchronized", c.synchronized);
  add(row, "peer_silent", c.peer_silent);
  add(row, "clock_offset_ns", c.clock_offset);
  add(row, "clock_drift_ppb", std::llround(c.clock_drift_ppm * 1e3));
  add(row, "least_round_trip_ns", c.least_round_trip);
  add(row, "asymmetry_bound_ns", c.asymmetry_bound);
  add(row, "transit_p50_ns", peer.transit().percentile(50.0));
  add(row, "transit_p999_ns", peer.transit().percentile(99.9));
  add(row, "accepted_packets", c.sent.accepted_packets);
  add(row, "sent_packets", c.sent.sent_packets);
  add(row, "sent_bytes", c.sent.sent_bytes);
  add(row, "sent_batches", c.sent.sent_batches);
  add(row, "sent_datagrams", c.sent.sent_datagrams);
  add(row, "sent_datagram_bytes", c.sent.sent_datagram_bytes);
  add(row, "sent_dropped", c.sent.dropped.total());
  add(row, "queued_packets", c.queued_packets);
  add(row, "received_packets", c.received_packets);
  add(row, "received_bytes", c.received_bytes);
  add(row, "received_batches", c.received_batches);
  add(row, "received_datagrams", c.received_datagrams);
  add(row, "received_datagram_bytes", c.received_datagram_bytes);
  add(row, "received_dropped", c.dropped_received.total());
  add(row, "datagrams_dropped", c.dropped_datagrams.total());
  add(row, "pending_packets", c.pending_packets);
  add(row, "in_flight", c.in_flight);
  add(row, "late_packets", c.late_packets);
  add(row, "lost_packets", c.lost_packets);
  add(row, "kernel_drops", c.kernel_drops);
  add(row, "unreachable", c.unreachable);
  add(row, "syscalls", c.syscalls);
  add(row, "sessions", c.sessions);
  add(row, "bulk_sent_packets", c.bulk_sent_packets);
  add(row, "rekeyed", c.rekeyed);
  add(row, "compressed_raw_bytes", c.compressed_raw_bytes);
  add(row, "compressed_carried_bytes", c.compressed_carried_bytes);
  add_to(row.dropped, c.sent.dropped);
  add_to(row.dropped, c.dropped_received);
  add_to(row.dropped, c.dropped_datagrams);
  return row;
}

SnapshotRow row_of(const Node& node) {
  SnapshotRow row{.name = node.name(), .labels = {}, .figures = {}, .dropped = node.dropped()};
  const auto* const of = dynamic_cast<const OpenFlowSwitch*>(&node);
  if (of == nullptr) return row;
  const openflow::Switch& control = of->control();
  const openflow::Switch::Counters& c = control.counters();
  add(row, "connected", control.connected());
  add(row, "flows", control.tables().size());
  add(row, "flow_mods", c.flow_mods);
  add(row, "flows_timed_out", c.flows_removed);
  add(row, "packet_ins", c.packet_ins);
  add(row, "packet_ins_dropped", c.packet_ins_dropped);
  add(row, "notices_dropped", c.notices_dropped);
  add(row, "packet_outs", c.packet_outs);
  add(row, "errors_sent", c.errors);
  add(row, "messages_dropped", c.messages_dropped);
  add(row, "cache_hits", control.pipeline().hits);
  add(row, "cache_misses", control.pipeline().misses);
  return row;
}

SnapshotRow row_of(const Interface& interface) {
  const Interface::Counters& c = interface.counters();
  SnapshotRow row{
      .name = interface.name(), .labels = {{"node", interface.node().name()}}, .figures = {}, .dropped = {}};
  add(row, "in_packets", c.in_packets);
  add(row, "in_bytes", c.in_bytes);
  add(row, "out_packets", c.out_packets);
  add(row, "out_bytes", c.out_bytes);
  return row;
}

}  // namespace simcore

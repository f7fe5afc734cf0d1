// SPDX-License-Identifier: MIT
//
// What is told of flows and tables.
#include <string>

#include "simcore/openflow/action_codec.h"
#include "simcore/openflow/flow_filter.h"
#include "simcore/openflow/switch.h"

namespace simcore::openflow {

Switch::FlowFilter Switch::read_filter(Reader body, Version version) const {
  FlowFilter filter;
  if (version == Version::v10) {
    filter.match = read_match10(body);
    filter.table = body.u8();
    body.skip(1);
    filter.out_port = port_of10(body.u16());
  } else {
    filter.table = body.u8();
    body.skip(3);
    filter.out_port = body.u32();
    filter.out_group = body.u32();
    body.skip(4);
    filter.cookie = body.u64();
    filter.cookie_mask = body.u64();
    filter.match = read_match(body);
  }
  body.end();
  check_out_port(filter.out_port);
  if (filter.table >= kTables && filter.table != kAllTables) throw ProtocolError(error::kBadTable);
  return filter;
}

void Switch::write_flow(Writer& to, const Flow& flow, Version version) const {
  const std::size_t begin = to.size();
  const bool v13 = version == Version::v13;
  to.u16(0);
  to.u8(flow.table);
  to.zeros(1);
  if (!v13) write_match10(to, flow.match);
  write_age(to, host_.now() - flow.created);
  to.u16(flow.priority);
  to.u16(flow.idle_timeout);
  to.u16(flow.hard_timeout);
  if (v13) {
    to.u16(flow.flags & (flow_flag::kNoByteCounts * 2 - 1));
    to.zeros(4);
  } else {
    to.zeros(6);
  }
  to.u64(flow.cookie);
  to.u64(flow.packets);
  to.u64(flow.bytes);
  if (v13) {
    write_match(to, flow.match);
    write_instructions(to, flow.instructions);
  } else {
    write_instructions10(to, flow.instructions);
  }
  to.set16(begin, to.size() - begin);
}

Entries Switch::flow_counters(Reader body, Version version) const {
  const FlowFilter filter = read_filter(body, version);
  return [this, filter, version, at = Tables::Walk{filter.table}](Writer& to, Effort& effort) mutable {
    const Flow* const flow = tables_.next(at);
    if (flow == nullptr) return false;
    effort.spend(kLookEffort);
    if (filter.chooses(*flow)) write_flow(to, *flow, version);
    return true;
  };
}

Entries Switch::aggregate_counters(Reader body, Version version) const {
  const FlowFilter filter = read_filter(body, version);
  struct Sum {
    std::uint64_t packets = 0;
    std::uint64_t bytes = 0;
    std::uint32_t flows = 0;
  };
  return [this, filter, at = Tables::Walk{filter.table}, sum = Sum{}](Writer& to, Effort& effort) mutable {
    if (const Flow* const flow = tables_.next(at)) {
      effort.spend(kLookEffort);
      if (!filter.chooses(*flow)) return true;
      sum.packets += flow->packets;
      sum.bytes += flow->bytes;
      ++sum.flows;
      return true;
    }
    to.u64(sum.packets);
    to.u64(sum.bytes);
    to.u32(sum.flows);
    to.zeros(4);
    return false;
  };
}

Entries Switch::table_counters(Version version) const {
  return [this, version, number = std::uint8_t{0}](Writer& to, Effort&) mutable {
    const FlowTable* const table = tables_.at(number);
    to.u8(number);
    to.zeros(3);
    if (version == Version::v10) {
      to.text("table" + std::to_string(number), 32);
      to.u32(kWildcards10);
      to.u32(static_cast<std::uint32_t>(tables_.most_flows()));
    }
    to.u32(table == nullptr ? 0 : static_cast<std::uint32_t>(table->flows().size()));
    to.u64(table == nullptr ? 0 : table->lookups);
    to.u64(table == nullptr ? 0 : table->matched);
    return ++number < kTables;
  };
}

}  // namespace simcore::openflow

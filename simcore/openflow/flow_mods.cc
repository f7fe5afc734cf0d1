// SPDX-License-Identifier: MIT
//
// Modifications of flows. Each is checked as a whole before anything changes.
#include <algorithm>
#include <utility>

#include "simcore/openflow/action_codec.h"
#include "simcore/openflow/flow_filter.h"
#include "simcore/openflow/message_type.h"
#include "simcore/openflow/switch.h"

namespace simcore::openflow {

namespace {

constexpr std::size_t kMostTold = 64'000;  // bytes of a flow's instructions; a message holds 65,535

template <class Predicate>
bool any_action(const Instructions& instructions, Predicate predicate) {
  const auto in = [&predicate](const std::optional<Actions>& actions) {
    return actions && std::ranges::any_of(*actions, predicate);
  };
  return in(instructions.apply) || in(instructions.write);
}

// What no message could tell again is refused. In memory each action is larger than in a message.
void check_tellable(const Instructions& instructions) {
  std::size_t memory = 0;
  for (const auto* const list : {&instructions.apply, &instructions.write})
    memory += *list ? memory_of(**list) : 0;
  if (memory <= kMostTold) return;
  std::vector<std::uint8_t> written;
  Writer to(written);
  write_instructions(to, instructions);
  if (written.size() > kMostTold) throw ProtocolError(error::kActionTooMany);
}

}  // namespace

bool goes_to_port(const Instructions& instructions, std::uint32_t port) {
  return any_action(instructions, [port](const Action& action) {
    return action.type == ActionType::output && action.port == port;
  });
}

bool goes_to_group(const Instructions& instructions, std::uint32_t group) {
  return any_action(instructions, [group](const Action& action) {
    return action.type == ActionType::group && action.port == group;
  });
}

bool goes_to_groups(const Instructions& instructions) {
  return any_action(instructions, [](const Action& action) { return action.type == ActionType::group; });
}

Switch::FlowMod Switch::read_flow_mod(Reader body, Version version) const {
  FlowMod mod;
  std::uint16_t command = 0;
  bool exact10 = false;
  if (version == Version::v13) {
    mod.cookie = body.u64();
    mod.filter.cookie_mask = body.u64();
    mod.filter.table = body.u8();
    command = body.u8();
    mod.idle_timeout = body.u16();
    mod.hard_timeout = body.u16();
    mod.filter.priority = body.u16();
    mod.buffer = body.u32();
    mod.filter.out_port = body.u32();
    mod.filter.out_group = body.u32();
    mod.flags = body.u16();
    body.skip(2);
    mod.filter.match = read_match(body);
  } else {
    mod.v10 = true;
    exact10 = (Reader(body).u32() & kWildcards10) == 0;
    mod.filter.match = read_match10(body);
    mod.cookie = body.u64();
    command = body.u16();
    mod.idle_timeout = body.u16();
    mod.hard_timeout = body.u16();
    mod.filter.priority = body.u16();
    mod.buffer = body.u32();
    mod.filter.out_port = port_of10(body.u16());
    mod.flags = body.u16();
    mod.filter.table = command == 0 ? std::uint8_t{0} : kAllTables;
    if (exact10) mod.filter.priority = 0xffff;  // it comes before those with wildcards
  }
  if (command > static_cast<std::uint16_t>(FlowMod::Command::erase_strict))
    throw ProtocolError(error::kFlowCommand);
  mod.command = static_cast<FlowMod::Command>(command);
  const bool erases = mod.erases();
  mod.filter.strict =
      mod.command == FlowMod::Command::modify_strict || mod.command == FlowMod::Command::erase_strict;
  check_out_port(mod.filter.out_port);
  if (!erases) mod.filter.out_port = port_no::kAny, mod.filter.out_group = kAnyGroup;
  mod.filter.cookie = mod.cookie;
  if (mod.command == FlowMod::Command::add) mod.filter.cookie_mask = 0;
  if (mod.filter.table == kTables) throw ProtocolError(error::kPermission);
  if (mod.filter.table == kAllTables && !erases && version == Version::v13)
    throw ProtocolError(error::kFlowTable);
  using namespace flow_flag;
  if (version == Version::v13) {
    if ((mod.flags & ~(kSendRemoved | kCheckOverlap | kResetCounts | kNoPacketCounts | kNoByteCounts)) != 0)
      throw ProtocolError(error::kFlowFlags);
    mod.instructions = read_instructions(body, mod.filter.table);
  } else {
    if ((mod.flags & ~(kSendRemoved | kCheckOverlap | kEmergency10)) != 0)
      throw ProtocolError(error::kFlowFlags);
    const bool times_out = mod.idle_timeout != 0 || mod.hard_timeout != 0;
    if ((mod.flags & kEmergency10) != 0)
      throw ProtocolError(times_out ? error::kFlowTimeout : error::kTableFull);
    if (mod.command == FlowMod::Command::add) mod.flags |= kResetCounts;
    if (Actions actions = read_actions(body, version); !actions.empty())
      mod.instructions.apply = std::move(actions);
  }
  if (erases) mod.instructions = {};  // they had to be well formed, and that is all
  return mod;
}

void Switch::check_references(const Actions& actions) const {
  for (const Action& action : actions) {
    if (action.type == ActionType::group && !groups_.contains(action.port))
      throw ProtocolError(error::kActionOutGroup);
  }
}

void Switch::check_flow_mod(const FlowMod& mod) const {
  check_tellable(mod.instructions);
  for (const std::optional<Actions>* const list : {&mod.instructions.apply, &mod.instructions.write}) {
    if (!*list) continue;
    check_references(**list);
  }
  // What an action set is done to is not known before.
  if (mod.instructions.apply && !mod.v10) check_actions(*mod.instructions.apply, mod.filter.match.value);
  const auto& meter = mod.instructions.meter;
  if (meter && (*meter > kMaxMeter || !meters_.contains(*meter))) throw ProtocolError(error::kInvalidMeter);
  if (!mod.erases() && mod.buffer != kNoBuffer) throw ProtocolError(error::kBufferUnknown);
}

// What does not need a walk over flows is done at once.
void Switch::flow_mod(Session& session, Reader body) {
  ++counters_.flow_mods;
  FlowMod mod = read_flow_mod(body, session.version());
  check_flow_mod(mod);
  if (mod.command == FlowMod::Command::add) return add(session, std::move(mod));
  if (!mod.filter.strict) return change_flows(session, std::move(mod));
  bool found = false;
  for (std::uint8_t number = 0; number < kTables; ++number) {
    if (mod.filter.table != kAllTables && mod.filter.table != number) continue;
    const FlowTable* const table = tables_.at(number);
    Flow* const same = table == nullptr ? nullptr : table->find(mod.filter.match, mod.filter.priority);
    if (same == nullptr || !mod.filter.chooses(*same)) continue;
    found = true;
    change_flow(mod, *same);
  }
  if (!found && mod.adds_without_flows()) return add(session, std::move(mod));
  judge_trains();
}

void Switch::add(Session& session, FlowMod mod) {
  if (mod.filter.table == kAllTables) mod.filter.table = 0;  // 1.0 names none
  const FlowTable* const table = tables_.at(mod.filter.table);
  const bool overlaps = table != nullptr && table->find(mod.filter.match, mod.filter.priority) == nullptr &&
                        mod.checks_overlap();
  if (overlaps) return add_without_overlap(session, std::move(mod));
  add_flow(mod);
  judge_trains();
}

void Switch::add_without_overlap(Session& session, FlowMod mod) {
  const auto kept = std::make_shared<FlowMod>(std::move(mod));
  walk(
      session, kept->filter.table, [kept](const Flow& flow) { return kept->filter.overlaps(flow); },
      [](Flow&) { throw ProtocolError(error::kOverlap); },
      [this, kept] {
        add_flow(*kept);
        judge_trains();
      });
}

void Switch::change_flows(Session& session, FlowMod mod) {
  const auto kept = std::make_shared<FlowMod>(std::move(mod));
  const auto found = std::make_shared<bool>(false);
  const auto overlaps = std::make_shared<bool>(false);  // with the flow that it adds if it finds none
  walk(
      session, kept->filter.table,
      [kept, overlaps](const Flow& flow) {
        if (kept->adds_without_flows() && flow.table == 0) *overlaps |= kept->filter.overlaps(flow);
        return kept->filter.chooses(flow);
      },
      [this, kept, found](Flow& flow) {
        *found = true;
        change_flow(*kept, flow);
      },
      [this, kept, found, overlaps] {
        if (!*found && kept->adds_without_flows()) {
          if (*overlaps && kept->checks_overlap()) throw ProtocolError(error::kOverlap);
          kept->filter.table = 0;
          add_flow(*kept);
        }
        judge_trains();
      });
}

void Switch::walk(Session& session, std::uint8_t table, std::function<bool(const Flow&)> chooses,
                  std::function<void(Flow&)> act, std::function<void()> last) {
  session.task_modifies = true;
  session.task = [this, at = Tables::Walk{table}, chooses = std::move(chooses), act = std::move(act),
                  last = std::move(last)](Effort& effort) mutable {
    while (!effort.spent()) {
      Flow* const flow = tables_.next(at);
      if (flow == nullptr) {
        last();
        return true;
      }
      effort.spend(kLookEffort);
      if (!chooses(*flow)) continue;
      effort.spend(kRemovalEffort);
      act(*flow);
    }
    return false;
  };
}

void Switch::add_flow(FlowMod& mod) {
  FlowTable& table = tables_.make(mod.filter.table);
  const SimTime now = host_.now();
  if (Flow* const old = table.find(mod.filter.match, mod.filter.priority)) {
    if (!tables_.replace(*old, mod.instructions)) throw ProtocolError(error::kTableFull);
    old->cookie = mod.cookie;
    old->flags = mod.flags;
    old->idle_timeout = mod.idle_timeout;
    old->hard_timeout = mod.hard_timeout;
    old->created = old->modified = old->used = now;
    if ((mod.flags & flow_flag::kResetCounts) != 0) old->packets = old->bytes = 0;
    tables_.schedule(*old);
    return;
  }
  auto flow = std::make_unique<Flow>();
  flow->match = mod.filter.match;
  flow->priority = mod.filter.priority;
  flow->table = mod.filter.table;
  flow->flags = mod.flags;
  flow->idle_timeout = mod.idle_timeout;
  flow->hard_timeout = mod.hard_timeout;
  flow->cookie = mod.cookie;
  flow->instructions = std::move(mod.instructions);
  if (tables_.add(std::move(flow), now) == nullptr) throw ProtocolError(error::kTableFull);
}

void Switch::change_flow(const FlowMod& mod, Flow& flow) {
  if (mod.erases()) return remove_flow(flow, RemovedReason::erased);
  Instructions instructions = mod.instructions;
  if (!tables_.replace(flow, instructions)) throw ProtocolError(error::kTableFull);
  if (mod.v10) flow.cookie = mod.cookie;
  if (!mod.v10 && (mod.flags & flow_flag::kResetCounts) != 0) flow.packets = flow.bytes = 0;
  flow.modified = host_.now();
  tables_.schedule(flow);
}

bool Switch::FlowFilter::overlaps(const Flow& flow) const {
  return flow.priority == priority && flow.match.overlaps(match);
}

bool Switch::FlowFilter::chooses(const Flow& flow) const {
  const bool right = strict ? flow.priority == priority && flow.match == match : match.contains(flow.match);
  return right && ((flow.cookie ^ cookie) & cookie_mask) == 0 &&
         (out_port == port_no::kAny || goes_to_port(flow.instructions, out_port)) &&
         (out_group == kAnyGroup || goes_to_group(flow.instructions, out_group));
}

void Switch::remove_flow(Flow& flow, RemovedReason reason) {
  const std::unique_ptr<Flow> removed = tables_.take(flow);
  if ((removed->flags & flow_flag::kSendRemoved) != 0) tell_removed(*removed, reason);
}

void Switch::unlearn(Effort& effort) {
  while (!effort.spent()) {
    if (!unlearning_) {
      const auto next = tables_.next_unlearned();
      if (!next) return;
      unlearning_.emplace(*next, Tables::Walk{next->table});
    }
    auto& [learned, at] = *unlearning_;
    effort.spend(kLookEffort);
    Flow* const flow = tables_.next(at);
    if (flow == nullptr) {
      unlearning_.reset();
      judge_trains();
    } else if (flow->cookie == learned.cookie) {
      effort.spend(kRemovalEffort);
      remove_flow(*flow, RemovedReason::erased);
    }
  }
}

void Switch::tell_removed(const Flow& flow, RemovedReason reason) {
  const Duration age = host_.now() - flow.created;
  for (const auto& session : sessions_) {
    const bool v13 = session->version() == Version::v13;
    if (!v13 && reason == RemovedReason::group_erased) continue;
    if (!session->wants(session->asynchronous.flow_removed, static_cast<unsigned>(reason))) continue;
    if (session->congested()) {
      ++counters_.notices_dropped;
      continue;
    }
    session->send(type::kFlowRemoved, 0, [&](Writer& to) {
      if (!v13) write_match10(to, flow.match);
      to.u64(flow.cookie);
      to.u16(flow.priority);
      to.u8(static_cast<std::uint8_t>(reason));
      to.u8(v13 ? flow.table : std::uint8_t{0});
      to.u32(static_cast<std::uint32_t>(age.count_ns() / 1'000'000'000));
      to.u32(static_cast<std::uint32_t>(age.count_ns() % 1'000'000'000));
      to.u16(flow.idle_timeout);
      if (v13) {
        to.u16(flow.hard_timeout);
      } else {
        to.zeros(2);
      }
      to.u64(flow.packets);
      to.u64(flow.bytes);
      if (v13) write_match(to, flow.match);
    });
  }
}

}  // namespace simcore::openflow

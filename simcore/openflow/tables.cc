// SPDX-License-Identifier: MIT
#include "simcore/openflow/tables.h"

#include <algorithm>

namespace simcore::openflow {

namespace {

void add_read(const Subfield& of, FlowKey& mask) {
  if (of.field != nullptr) of.field->set(mask, of.field->get(mask) | of.all_bits() << of.first);
}

// The bits that actions read, so that what they write may depend on them.
FlowKey read_by_actions(const Flow& flow) {
  FlowKey mask;
  if (!flow.instructions.apply) return mask;
  for (const Action& action : *flow.instructions.apply) {
    if (action.type == ActionType::move) add_read(action.source, mask);
    if (action.type == ActionType::learn) {
      for (const Learn::Spec& spec : action.learned->specs) add_read(spec.source, mask);
    }
  }
  return mask;
}

// Each once.
std::vector<std::uint32_t> groups_of(const Instructions& instructions) {
  std::vector<std::uint32_t> named;
  for (const auto* const list : {&instructions.apply, &instructions.write}) {
    if (!*list) continue;
    for (const Action& action : **list) {
      if (action.type == ActionType::group) named.push_back(action.port);
    }
  }
  std::sort(named.begin(), named.end());
  named.erase(std::unique(named.begin(), named.end()), named.end());
  return named;
}

// Each once.
std::vector<Tables::Learned> learned_by(const Instructions& instructions) {
  std::vector<Tables::Learned> named;
  if (!instructions.apply) return named;
  for (const Action& action : *instructions.apply) {
    const bool takes_along =
        action.type == ActionType::learn && (action.learned->flags & Learn::kEraseLearned) != 0;
    if (takes_along) named.push_back({action.learned->table, action.learned->cookie});
  }
  std::sort(named.begin(), named.end());
  named.erase(std::unique(named.begin(), named.end()), named.end());
  return named;
}

// True: it was none before, or is none now.
template <class Users>
bool tally(Users& users, const typename Users::key_type& of, int change) {
  if (change > 0) return ++users[of] == 1;
  const auto found = users.find(of);
  if (--found->second != 0) return false;
  users.erase(found);
  return true;
}

}  // namespace

FlowTable& Tables::make(std::uint8_t number) {
  if (!tables_[number]) tables_[number] = std::make_unique<FlowTable>();
  return *tables_[number];
}

// What the instructions of a flow ask for, when it comes (1) or goes (-1).
void Tables::count(const Flow& flow, int change) {
  if (needs_single_frames(flow.instructions))
    single_frame_flows_ += change > 0 ? std::size_t{1} : ~std::size_t{0};
  for (const std::uint32_t group : groups_of(flow.instructions)) tally(group_users_, group, change);
  if (flow.instructions.meter) tally(meter_users_, *flow.instructions.meter, change);
  for (const Learned& learned : learned_by(flow.instructions)) {
    if (tally(learners_, learned, change) && change < 0) unlearned_.push_back(learned);
  }
  const FlowKey read = read_by_actions(flow);
  if (read != FlowKey{} && tally(readers_, read, change)) ++readers_changed_;
}

std::optional<Tables::Learned> Tables::next_unlearned() {
  while (!unlearned_.empty()) {
    const Learned learned = unlearned_.back();
    unlearned_.pop_back();
    if (!learners_.contains(learned)) return learned;
  }
  return std::nullopt;
}

bool Tables::has_room(const Flow& flow) const {
  if (flows_ >= most_flows_ || bytes_ + flow.memory() > most_bytes_ || readers_.size() >= kMostMasks)
    return false;
  const FlowTable* const into = at(flow.table);
  return masks_ < kMostMasks || (into != nullptr && into->has_mask(flow.match.mask));
}

Flow* Tables::add(std::unique_ptr<Flow> flow, SimTime now) {
  if (!has_room(*flow)) return nullptr;
  flow->created = flow->modified = flow->used = now;
  flow->serial = ++serial_;
  FlowTable& table = make(flow->table);
  masks_ -= table.masks();
  Flow& added = table.add(std::move(flow));
  masks_ += table.masks();
  ++flows_;
  bytes_ += added.memory();
  ++version_;
  count(added, 1);
  schedule(added);
  return &added;
}

bool Tables::replace(Flow& flow, Instructions& instructions) {
  const std::size_t before = flow.memory();
  count(flow, -1);
  std::swap(flow.instructions, instructions);
  const bool fits = bytes_ - before + flow.memory() <= most_bytes_;
  if (!fits) std::swap(flow.instructions, instructions);
  count(flow, 1);
  bytes_ += flow.memory() - before;
  ++version_;
  return fits;
}

std::unique_ptr<Flow> Tables::take(Flow& flow) {
  if (flow.due != SimTime::never()) due_.erase({flow.due, flow.serial});
  --flows_;
  bytes_ -= flow.memory();
  ++version_;
  count(flow, -1);
  FlowTable& table = *tables_[flow.table];
  masks_ -= table.masks();
  std::unique_ptr<Flow> taken = table.take(flow);
  masks_ += table.masks();
  return taken;
}

SimTime Tables::due_of(const Flow& flow) {
  SimTime due = SimTime::never();
  if (flow.idle_timeout != 0) due = flow.used + Duration::seconds(flow.idle_timeout);
  if (flow.hard_timeout != 0) due = std::min(due, flow.modified + Duration::seconds(flow.hard_timeout));
  return due;
}

void Tables::schedule(Flow& flow) {
  if (flow.due != SimTime::never()) due_.erase({flow.due, flow.serial});
  flow.due = due_of(flow);
  if (flow.due != SimTime::never()) due_[{flow.due, flow.serial}] = &flow;
}

std::pair<Flow*, RemovedReason> Tables::next_expired(SimTime now, Effort& effort) {
  while (!effort.spent() && !due_.empty() && due_.begin()->first.first <= now) {
    effort.spend(kLookEffort);
    Flow& flow = *due_.begin()->second;
    if (due_of(flow) <= now) {
      const bool hard = flow.hard_timeout != 0 && flow.modified + Duration::seconds(flow.hard_timeout) <= now;
      return {&flow, hard ? RemovedReason::hard_timeout : RemovedReason::idle_timeout};
    }
    schedule(flow);  // it was used meanwhile
  }
  return {nullptr, RemovedReason::idle_timeout};
}

Flow* Tables::learn(const Learn& learn, const FlowKey& key, SimTime now) {
  Match match;
  Actions actions;
  for (const Learn::Spec& spec : learn.specs) {
    const FieldValue value = spec.source.field == nullptr ? spec.value : spec.source.get(key);
    switch (spec.target) {
      case Learn::Target::match: {
        const Field& into = *spec.into.field;
        const FieldValue bits = spec.into.all_bits() << spec.into.first;
        match.set(into, into.get(match.value) | value << spec.into.first, into.get(match.mask) | bits);
        break;
      }
      case Learn::Target::load: {
        Action& action = actions.emplace_back();
        action.type = ActionType::set_field;
        action.field = spec.into.field;
        action.value = value << spec.into.first;
        action.mask = spec.into.all_bits() << spec.into.first;
        break;
      }
      case Learn::Target::output: {
        Action& action = actions.emplace_back();
        action.port = spec.bits <= 16 ? port_of10(static_cast<std::uint16_t>(value))
                                      : static_cast<std::uint32_t>(value);
        break;
      }
    }
  }
  FlowTable* const into = at(learn.table);
  if (Flow* const there = into == nullptr ? nullptr : into->find(match, learn.priority)) {
    const auto same = [](const Action& a, const Action& b) {
      return a.type == b.type && a.port == b.port && a.field == b.field && a.value == b.value &&
             a.mask == b.mask;
    };
    if (!there->instructions.apply || !std::ranges::equal(*there->instructions.apply, actions, same))
      return replace_learned(*there, std::move(actions), now);
    there->used = there->modified = now;
    return there;
  }
  auto flow = std::make_unique<Flow>();
  flow->match = match;
  flow->priority = learn.priority;
  flow->table = learn.table;
  flow->cookie = learn.cookie;
  flow->flags = learn.flags & flow_flag::kSendRemoved;
  flow->idle_timeout = learn.idle_timeout;
  flow->hard_timeout = learn.hard_timeout;
  flow->instructions.apply = std::move(actions);
  return add(std::move(flow), now);
}

Flow* Tables::replace_learned(Flow& old, Actions actions, SimTime now) {
  auto flow = std::make_unique<Flow>();
  flow->match = old.match;
  flow->priority = old.priority;
  flow->table = old.table;
  flow->cookie = old.cookie;
  flow->flags = old.flags;
  flow->idle_timeout = old.idle_timeout;
  flow->hard_timeout = old.hard_timeout;
  flow->packets = old.packets;
  flow->bytes = old.bytes;
  flow->instructions.apply = std::move(actions);
  if (bytes_ - old.memory() + flow->memory() > most_bytes_) return nullptr;
  const SimTime created = old.created;
  retired_.push_back(take(old));
  Flow* const added = add(std::move(flow), now);
  if (added != nullptr) added->created = created;
  return added;
}

std::uint64_t Tables::shape() const {
  std::uint64_t shape = readers_changed_;
  for (const auto& table : tables_) shape += table ? table->shape() : 0;
  return shape;
}

void Tables::look_again() {
  looked_version_ = version_;
  const std::uint64_t now = shape();
  if (now == shape_) return;
  shape_ = now;
  FlowKey mask;
  for (const auto& table : tables_) {
    if (table) table->add_looked_at(mask);
  }
  for (const auto& [read, flows] : readers_) {
    for (std::size_t at = 0; at < FlowKey::kWords; ++at) mask.words[at] |= read.words[at];
  }
  looked_at_ = words_of(mask);
}

// Downwards: where a flow goes, the last of its table takes its place, which the walk has seen.
Flow* Tables::next(Walk& walk) const {
  for (; walk.table < walk.end; ++walk.table, walk.left = ~std::size_t{0}) {
    const FlowTable* const table = at(walk.table);
    if (table == nullptr) continue;
    walk.left = std::min(walk.left, table->flows().size());
    if (walk.left > 0) return table->flows()[--walk.left].get();
  }
  return nullptr;
}

}  // namespace simcore::openflow

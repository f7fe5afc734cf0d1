// SPDX-License-Identifier: MIT
#include "simcore/openflow/flow_table.h"

#include <algorithm>

namespace simcore::openflow {

std::size_t Flow::memory() const {
  std::size_t taken = sizeof(Flow);
  if (instructions.apply) taken += memory_of(*instructions.apply);
  if (instructions.write) taken += memory_of(*instructions.write);
  return taken;
}

KeyWords words_of(const FlowKey& mask) {
  KeyWords words;
  for (std::size_t at = 0; at < FlowKey::kWords; ++at) {
    if (mask.words[at] != 0) words.emplace_back(static_cast<std::uint8_t>(at), mask.words[at]);
  }
  return words;
}

std::uint64_t FlowTable::Tuple::hash(const FlowKey& key) const {
  std::uint64_t hash = 0;
  for (const auto& [at, mask_word] : words) hash = mix(hash, key.words[at] & mask_word);
  return hash;
}

Flow* FlowTable::lookup(const FlowKey& key) const {
  Flow* best = nullptr;
  for (const auto& tuple : tuples_) {
    if (best != nullptr && best->priority > tuple->highest()) break;
    const auto found = tuple->flows.find(tuple->hash(key));
    if (found == tuple->flows.end()) continue;
    for (Flow* flow = found->second; flow != nullptr; flow = flow->next) {
      if (!flow->match.covers(key)) continue;
      const bool better = best == nullptr || flow->priority > best->priority ||
                          (flow->priority == best->priority && flow->serial < best->serial);
      if (better) best = flow;
      break;  // the others of this key are of lower priority
    }
  }
  return best;
}

FlowTable::Tuple* FlowTable::tuple(const FlowKey& mask) const {
  const auto found = std::ranges::find_if(tuples_, [&mask](const auto& each) { return each->mask == mask; });
  return found == tuples_.end() ? nullptr : found->get();
}

Flow* FlowTable::find(const Match& match, std::uint16_t priority) const {
  const Tuple* const of = tuple(match.mask);
  if (of == nullptr) return nullptr;
  const auto found = of->flows.find(of->hash(match.value));
  if (found == of->flows.end()) return nullptr;
  for (Flow* flow = found->second; flow != nullptr; flow = flow->next) {
    if (flow->priority == priority && flow->match.value == match.value) return flow;
  }
  return nullptr;
}

void FlowTable::order() {
  std::ranges::stable_sort(tuples_, [](const auto& a, const auto& b) { return a->highest() > b->highest(); });
}

Flow& FlowTable::add(std::unique_ptr<Flow> flow) {
  Flow& added = *flow;
  Tuple* into = tuple(added.match.mask);
  if (into == nullptr) {
    tuples_.push_back(std::make_unique<Tuple>());
    into = tuples_.back().get();
    into->mask = added.match.mask;
    into->words = words_of(added.match.mask);
    ++shape_;
  }
  added.hash = into->hash(added.match.value);
  const auto [entry, fresh] = into->flows.try_emplace(added.hash, nullptr);
  Flow** place = &entry.value();
  while (*place != nullptr && (*place)->priority >= added.priority) place = &(*place)->next;
  added.next = *place;
  *place = &added;
  ++into->count;
  const bool higher = into->priorities.empty() || added.priority > into->highest();
  ++into->priorities[added.priority];
  if (higher) order();
  added.place = flows_.size();
  flows_.push_back(std::move(flow));
  return added;
}

std::unique_ptr<Flow> FlowTable::take(Flow& flow) {
  Tuple& of = *tuple(flow.match.mask);
  const auto entry = of.flows.find(flow.hash);
  Flow** place = &entry.value();
  while (*place != &flow) place = &(*place)->next;
  *place = flow.next;
  if (entry.value() == nullptr) of.flows.erase(entry);
  const std::uint16_t highest = of.highest();
  const auto priority = of.priorities.find(flow.priority);
  if (--priority->second == 0) of.priorities.erase(priority);
  if (--of.count == 0) {
    std::erase_if(tuples_, [&of](const auto& each) { return each.get() == &of; });
    ++shape_;
  } else if (of.highest() != highest) {
    order();
  }
  std::unique_ptr<Flow> taken = std::move(flows_[flow.place]);
  if (flow.place + 1 != flows_.size()) {
    flows_[flow.place] = std::move(flows_.back());
    flows_[flow.place]->place = flow.place;
  }
  flows_.pop_back();
  return taken;
}

void FlowTable::add_looked_at(FlowKey& mask) const {
  for (const auto& each : tuples_) {
    for (const auto& [at, word] : each->words) mask.words[at] |= word;
  }
}

}  // namespace simcore::openflow

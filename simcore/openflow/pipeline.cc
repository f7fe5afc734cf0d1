// SPDX-License-Identifier: MIT
//
// The way of a packet through the tables, and the cache of ways. What actions do: pipeline_actions.cc.
#include "simcore/openflow/pipeline.h"

#include <algorithm>
#include <utility>

#include "simcore/openflow/frame_edit.h"
#include "simcore/packet/train.h"

namespace simcore::openflow {

namespace {

// The order in which an action set is done (OpenFlow 1.3.5, section 5.10).
constexpr ActionType kSetOrder[] = {
    ActionType::copy_ttl_in,  ActionType::pop_vlan,  ActionType::pop_mpls,  ActionType::pop_pbb,
    ActionType::push_mpls,    ActionType::push_pbb,  ActionType::push_vlan, ActionType::copy_ttl_out,
    ActionType::dec_mpls_ttl, ActionType::dec_ip_ttl};

bool ordered_first(ActionType type) { return std::ranges::find(kSetOrder, type) != std::end(kSetOrder); }

bool sets(ActionType type) {
  return type == ActionType::set_field || type == ActionType::set_mpls_ttl ||
         type == ActionType::set_ip_ttl || type == ActionType::move || type == ActionType::set_vlan_vid ||
         type == ActionType::set_vlan_pcp;
}

// As an action set: one of each kind, in the set's order; with a group there is no output.
Actions in_set_order(const Actions& actions) {
  Actions ordered;
  for (const ActionType type : kSetOrder) {
    const auto found = std::ranges::find(actions.rbegin(), actions.rend(), type, &Action::type);
    if (found != actions.rend()) ordered.push_back(*found);
  }
  for (const Action& action : actions) {
    if (sets(action.type)) ordered.push_back(action);
  }
  for (const ActionType type : {ActionType::group, ActionType::output}) {
    const auto found = std::ranges::find(actions.rbegin(), actions.rend(), type, &Action::type);
    if (found == actions.rend()) continue;
    ordered.push_back(*found);
    break;
  }
  return ordered;
}

}  // namespace

void Pipeline::receive(std::uint32_t in_port, PacketPtr packet, SimTime now) {
  if (!single_frames_) return run_whole(in_port, std::move(packet), now);
  while (packet->segments > 1) {
    PacketPtr front = split_front(*packet, 1, pool_);
    if (!front) return outlet_.drop(DropReason::pool_exhausted, *packet);
    finish_checksum(*front);
    run_whole(in_port, std::move(front), now);
  }
  finish_checksum(*packet);
  run_whole(in_port, std::move(packet), now);
}

Pipeline::Context Pipeline::begin(std::uint32_t in_port, PacketPtr packet, SimTime now,
                                  Allowance& allowance) const {
  Context context{.packet = std::move(packet),
                  .key = {},
                  .layout = {},
                  .now = now,
                  .set = {},
                  .pending = std::nullopt,
                  .allowance = &allowance};
  context.key.set32(at::kInPort, in_port);
  context.layout = parse(context.packet->bytes(), context.packet->virtual_payload, context.key);
  return context;
}

void Pipeline::run_whole(std::uint32_t in_port, PacketPtr packet, SimTime now) {
  tables_.forget_retired();
  Allowance allowance;
  Context context = begin(in_port, std::move(packet), now, allowance);
  if (hides(context.key)) {  // the cache would take it for the packet that flows see
    run(context, 0);
    return finish(context);
  }
  std::uint64_t hash = 0;
  Way* const hit = cached(context.key, hash);
  if (hit != nullptr) {
    ++hits;
    Way way = *hit;  // the packet may come around, and the cache with it
    const Flow* const learned = way.learned;
    context.way = &way;
    run(context, 0);
    finish(context);
    if (way.learned != learned) {
      Way* const again = cached_again(hash, way.version);
      if (again != nullptr) {
        again->learning = way.learning;
        again->learned = way.learned;
      }
    }
    return;
  }
  ++misses;
  Way way;
  way.version = tables_.version();
  way.hash = hash;
  const FlowKey key = context.key;
  context.way = &way;
  context.recording = true;
  run(context, 0);
  finish(context);
  if (way.version == tables_.version()) store(way, key);
}

bool Pipeline::knows(const FlowKey& key) {
  std::uint64_t hash = 0;
  return cached(key, hash) != nullptr;
}

// The way in the cache, or null; `hash` is told in any case.
Pipeline::Way* Pipeline::cached(const FlowKey& key, std::uint64_t& hash) {
  const KeyWords& words = tables_.looked_at();
  if (cache_.empty() || key_words_ != words.size()) {
    key_words_ = words.size();
    const std::size_t size = std::max(cache_.size(), kSmallestCache);
    cache_.assign(size, Way{});
    keys_.assign(size * key_words_, 0);
  }
  hash = 1;
  for (const auto& [at, mask] : words) hash = mix(hash, key.words[at] & mask);
  const std::size_t place = hash & (cache_.size() - 1);
  Way& way = cache_[place];
  if (way.hash != hash || way.version != tables_.version()) return nullptr;
  const std::uint64_t* known = keys_.data() + place * key_words_;
  for (const auto& [at, mask] : words) {
    if ((key.words[at] & mask) != *known++) return nullptr;
  }
  return &way;
}

Pipeline::Way* Pipeline::cached_again(std::uint64_t hash, std::uint64_t version) {
  Way& way = cache_[hash & (cache_.size() - 1)];
  return way.hash == hash && way.version == version && version == tables_.version() ? &way : nullptr;
}

void Pipeline::store(const Way& way, const FlowKey& key) {
  const KeyWords& words = tables_.looked_at();
  if (cache_.empty() || key_words_ != words.size()) return;
  std::size_t place = way.hash & (cache_.size() - 1);
  if (cache_[place].version == way.version && ++evicted_ > cache_.size() / 4 &&
      cache_.size() < kLargestCache) {
    const std::size_t size = cache_.size() * 4;
    cache_.assign(size, Way{});
    keys_.assign(size * key_words_, 0);
    evicted_ = 0;
    place = way.hash & (cache_.size() - 1);
  }
  cache_[place] = way;
  std::uint64_t* into = keys_.data() + place * key_words_;
  for (const auto& [at, mask] : words) *into++ = key.words[at] & mask;
}

Flow* Pipeline::look_up(Context& context, std::uint8_t table) const {
  const FlowTable* const from = tables_.at(table);
  if (from == nullptr || !spend(context, 1 + from->masks() / 2)) return nullptr;
  if (!hides(context.key)) return from->lookup(context.key);
  FlowKey seen = context.key;
  seen.set16(at::kPortSrc, 0);
  seen.set16(at::kPortDst, 0);
  return from->lookup(seen);
}

Flow* Pipeline::next_flow(Context& context, std::uint8_t table) {
  Way* const way = context.way;
  if (way == nullptr || context.step >= kLongestWay) return look_up(context, table);
  if (!context.recording && context.step < way->length) return way->flows[context.step++];
  if (!context.recording && way->missed && context.step == way->length) return nullptr;
  Flow* const found = look_up(context, table);
  if (!context.recording) {
    context.way = nullptr;
    return found;
  }
  if (found == nullptr) {
    way->missed = true;
  } else {
    way->flows[context.step++] = found;
    way->length = static_cast<std::uint8_t>(context.step);
  }
  return found;
}

void Pipeline::run(Context& context, std::uint8_t table) {
  if (--context.allowance->lookups < 0) return;
  context.table = table;
  FlowTable& from = tables_.make(table);
  const std::uint16_t segments = context.packet->segments;
  if (fragments_ == Fragments::drop && hides(context.key)) {  // as if some flow without actions matched
    from.lookups += segments;
    from.matched += segments;
    return;
  }
  Flow* const flow = next_flow(context, table);
  if (context.allowance->work < 0) return give_up(context);
  from.lookups += segments;
  if (flow == nullptr) {
    context.flow = nullptr;
    PacketInCause cause;
    cause.reason = PacketInReason::no_match;
    cause.table = table;
    cause.implicit_miss = true;
    const SwitchPort* const port = ports_.find(context.key.u32(at::kInPort));
    if (port == nullptr || (port->config & port_config::kNoPacketIn) == 0)
      outlet_.to_controllers(*context.packet, context.key, cause);
    return;
  }
  from.matched += segments;
  flow->packets += segments;
  flow->bytes += context.bytes();
  flow->used = context.now;
  perform_flow(context, *flow, false);
}

bool Pipeline::spend(Context& context, std::size_t work) {
  context.allowance->work -= static_cast<int>(std::min<std::size_t>(work, Allowance::kWork));
  if (context.allowance->work >= 0) return true;
  context.allowance->work = -1;
  return false;
}

bool Pipeline::write_into(Context& context, const Actions& written) {
  Actions& set = context.set;
  for (const Action& action : written) {
    if (!spend(context, 1 + set.size() / 8)) return false;
    const auto same = [&action](const Action& there) {
      if (there.type != action.type) return false;
      return action.type != ActionType::set_field ||
             (there.field == action.field && (there.mask & ~action.mask) == 0);
    };
    if (action.type != ActionType::move) std::erase_if(set, same);
    if (ordered_first(action.type) || sets(action.type) || action.type == ActionType::group ||
        action.type == ActionType::output)
      set.push_back(action);
  }
  return true;
}

void Pipeline::perform_flow(Context& context, Flow& flow, bool metered) {
  const Instructions& instructions = flow.instructions;
  if (instructions.meter && !metered && !meter(context, *instructions.meter, flow)) return;
  context.flow = &flow;
  if (instructions.apply) {
    const bool last = !instructions.go_to && !instructions.write && context.set.empty() && context.depth == 0;
    if (!apply(context, *instructions.apply, last)) return;
    if (!context.packet) return;
  }
  if (instructions.clear) context.set.clear();
  if (instructions.write && !write_into(context, *instructions.write)) return give_up(context);
  if (instructions.metadata) {
    const auto [value, mask] = *instructions.metadata;
    const std::uint64_t before = context.key.u64(at::kMetadata);
    context.key.set64(at::kMetadata, (before & ~mask) | (value & mask));
  }
  if (instructions.go_to) run(context, *instructions.go_to);
}

// False: nothing of the packet is left here, or it has gone on by itself.
bool Pipeline::meter(Context& context, std::uint32_t number, Flow& flow) {
  const auto found = meters_.find(number);
  if (found == meters_.end()) return true;
  settle(context);
  const std::vector<Meter::Run> runs = found->second.judge(*context.packet, context.now);
  for (std::size_t at = 0; at < runs.size(); ++at) {
    const Meter::Run& run = runs[at];
    const bool drops = run.band != nullptr && run.band->type == BandType::drop;
    const bool rest = at + 1 == runs.size();
    if (rest && drops) {
      outlet_.drop(DropReason::metered, *context.packet);
      context.packet.reset();
      return false;
    }
    PacketPtr part = rest ? nullptr : split_front(*context.packet, run.segments, pool_);
    if (!rest && (!part || drops)) {
      if (part) outlet_.drop(DropReason::metered, *part);
      continue;
    }
    const auto remark = [&](Context& of) {
      if (run.band == nullptr || !holds(Needs::ip, of.key)) return;
      const Field& dscp = field(FieldId::ip_dscp);
      const auto before = static_cast<std::uint8_t>(dscp.get(of.key));
      set_field(of, dscp, remarked(before, run.band->levels), dscp.all_bits());
    };
    if (rest) {
      remark(context);
      return true;
    }
    Context own{.packet = std::move(part),
                .key = context.key,
                .layout = context.layout,
                .now = context.now,
                .set = context.set,
                .pending = std::nullopt,
                .sent = false,
                .added = context.added,
                .table = context.table,
                .flow = context.flow,
                .depth = context.depth,
                .allowance = context.allowance};
    remark(own);
    perform_flow(own, flow, true);
    finish(own);
  }
  return false;
}

// The action set, and then nothing more.
void Pipeline::finish(Context& context) {
  if (context.packet && !context.set.empty()) {
    const Actions ordered = in_set_order(context.set);
    context.set.clear();
    context.way = nullptr;
    apply(context, ordered, true);
  }
  end(context);
}

void Pipeline::end(Context& context) {
  if (!context.packet) return;
  if (context.pending) {
    SwitchPort* const port = ports_.find(*context.pending);
    context.pending.reset();
    if (port != nullptr) return outlet_.transmit(*port, std::move(context.packet));
  }
  if (!context.sent) outlet_.drop(DropReason::no_flow, *context.packet);
  context.packet.reset();
}

std::size_t Pipeline::perform(const Actions& actions, std::uint32_t in_port, PacketPtr packet, SimTime now) {
  tables_.forget_retired();
  Allowance allowance;
  Context context = begin(in_port, std::move(packet), now, allowance);
  apply(context, actions, true);
  finish(context);
  return static_cast<std::size_t>(Allowance::kWork - allowance.work);
}

void Pipeline::forward_normally(std::uint32_t in_port, PacketPtr packet, SimTime now) {
  Allowance allowance;
  Context context = begin(in_port, std::move(packet), now, allowance);
  normal(context);
  finish(context);
}

void Pipeline::bucket(Context& context, Bucket& bucket, bool last) {
  bucket.packets += context.packet->segments;
  bucket.bytes += context.bytes();
  if (!spend(context, bucket.actions.size())) return give_up(context);
  const Actions ordered = in_set_order(bucket.actions);
  if (last) {
    context.way = nullptr;
    ++context.depth;
    apply(context, ordered, true);
    --context.depth;
    return;
  }
  PacketPtr own = copy(context);
  if (!own) return;
  Context inner{.packet = std::move(own),
                .key = context.key,
                .layout = context.layout,
                .now = context.now,
                .set = {},
                .pending = std::nullopt,
                .sent = false,
                .added = context.added,
                .table = context.table,
                .flow = context.flow,
                .depth = context.depth + 1,
                .allowance = context.allowance};
  apply(inner, ordered, true);
  context.sent = context.sent || inner.sent || inner.pending.has_value();
  inner.sent = true;  // what is left of a copy is no drop
  finish(inner);
}

}  // namespace simcore::openflow

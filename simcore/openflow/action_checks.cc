// SPDX-License-Identifier: MIT
//
// What actions ask of the packets that they get.
#include <algorithm>

#include "simcore/openflow/action.h"

namespace simcore::openflow {

namespace {

constexpr int kMostTags = 2;  // of VLAN, that a list can push

}  // namespace

void check_actions(const Actions& actions, const FlowKey& match) {
  FlowKey key = match;
  int tags = match.tagged() ? 1 : 0;
  const auto tag = [&key](bool there) { key.set16(at::kVlan, there ? 0x1000 : 0); };
  const auto need = [&key](Needs needs) {
    if (!holds(needs, key)) throw ProtocolError(error::kActionInconsistent);
  };
  for (const Action& action : actions) {
    switch (action.type) {
      case ActionType::set_field:
        if (action.field->id == FieldId::vlan_vid || action.field->id == FieldId::vlan_pcp) {
          need(Needs::tag);
        } else {
          need(action.field->needs);
        }
        break;
      case ActionType::move:
        need(action.source.field->needs);
        need(action.target.field->needs);
        break;
      case ActionType::output_field:
        need(action.source.field->needs);
        break;
      case ActionType::set_vlan_vid:
      case ActionType::set_vlan_pcp:
        tags = std::max(tags, 1);
        tag(true);
        break;
      case ActionType::push_vlan:
        if (++tags > kMostTags) throw ProtocolError(error::kActionTag);
        tag(true);
        break;
      case ActionType::pop_vlan:
        need(Needs::tag);
        tag(--tags > 0);
        break;
      case ActionType::push_mpls:
        key.set16(at::kEtherType, action.number);
        break;
      case ActionType::pop_mpls:
        need(Needs::mpls);
        key.set16(at::kEtherType, action.number);
        break;
      case ActionType::set_mpls_ttl:
      case ActionType::dec_mpls_ttl:
        need(Needs::mpls);
        break;
      case ActionType::set_ip_ttl:
      case ActionType::dec_ip_ttl:
        need(Needs::ip);
        break;
      case ActionType::push_pbb:
        key.set16(at::kEtherType, ethertype::kPbb);
        tags = 0;
        tag(false);
        break;
      case ActionType::pop_pbb:
        need(Needs::pbb);
        break;
      case ActionType::learn:
        for (const Learn::Spec& spec : action.learned->specs) {
          if (spec.source.field != nullptr) need(spec.source.field->needs);
        }
        break;
      default:
        break;
    }
  }
}

bool needs_single_frames(const Actions& actions) {
  return std::ranges::any_of(actions, [](const Action& action) {
    return action.type == ActionType::push_mpls || action.type == ActionType::pop_mpls ||
           action.type == ActionType::push_pbb || action.type == ActionType::pop_pbb;
  });
}

bool needs_single_frames(const Instructions& instructions) {
  return (instructions.apply && needs_single_frames(*instructions.apply)) ||
         (instructions.write && needs_single_frames(*instructions.write));
}

std::size_t memory_of(const Actions& actions) {
  std::size_t bytes = actions.size() * sizeof(Action);
  for (const Action& action : actions) {
    if (action.text) bytes += sizeof(std::vector<std::uint8_t>) + action.text->size();
    if (action.learned) bytes += sizeof(Learn) + action.learned->specs.size() * sizeof(Learn::Spec);
  }
  return bytes;
}

}  // namespace simcore::openflow

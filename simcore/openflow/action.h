// SPDX-License-Identifier: MIT
//
// Action and Instructions: what a flow does with a packet, as values; and their reading and writing for OpenFlow 1.3 and
// 1.0, with those of Nicira's extensions that Ryu apps use.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "simcore/openflow/field.h"
#include "simcore/openflow/match.h"
#include "simcore/openflow/wire.h"

namespace simcore::openflow {

enum class ActionType : std::uint8_t {
  output,
  group,
  set_queue,  // ports have one queue: accepted, and without effect
  set_field,
  copy_ttl_out,
  copy_ttl_in,
  set_mpls_ttl,
  dec_mpls_ttl,
  push_vlan,
  pop_vlan,
  push_mpls,
  pop_mpls,
  set_ip_ttl,
  dec_ip_ttl,
  push_pbb,
  pop_pbb,
  move,          // Nicira: from one field to another
  output_field,  // Nicira: to the port that a field says
  resubmit,      // Nicira: look up again
  learn,         // Nicira: add a flow
  pop_queue,     // Nicira: the usual queue again; without effect, as set_queue
  note,          // Nicira: says something to who reads the flow
  set_vlan_vid,  // 1.0: pushes a tag where there is none
  set_vlan_pcp,  // 1.0: as that
};

// Some bits of a field.
struct Subfield {
  const Field* field = nullptr;
  std::uint16_t first = 0;  // bit, from the lowest
  std::uint16_t bits = 0;

  FieldValue all_bits() const { return bits >= 128 ? ~FieldValue{0} : (FieldValue{1} << bits) - 1; }
  FieldValue get(const FlowKey& key) const { return field->get(key) >> first & all_bits(); }
};

struct Learn;

struct Action {
  ActionType type = ActionType::output;
  std::uint8_t table = kAllTables;  // of resubmit; kAllTables: the one that it is in
  std::uint16_t number = 0;         // EtherType, TTL, VLAN, most bytes to a controller
  std::uint32_t port = 0;           // or group, or queue
  Subfield source{};                // of move, output_field
  Subfield target{};                // of move
  const Field* field = nullptr;     // of set_field
  FieldValue value = 0;
  FieldValue mask = 0;
  std::optional<std::uint32_t> queue{};                     // of output: it was 1.0's enqueue
  std::shared_ptr<const Learn> learned{};                   // of learn
  std::shared_ptr<const std::vector<std::uint8_t>> text{};  // of note
};

using Actions = std::vector<Action>;

// Nicira's `learn`: the flow that it makes of a packet.
struct Learn {
  enum class Target : std::uint8_t { match, load, output };
  struct Spec {
    Target target = Target::match;
    Subfield source{};  // field null: `value`
    FieldValue value = 0;
    Subfield into{};  // of match and load
    std::uint16_t bits = 0;
  };
  std::uint16_t idle_timeout = 0;
  std::uint16_t hard_timeout = 0;
  std::uint16_t priority = 0;
  std::uint64_t cookie = 0;
  static constexpr std::uint16_t kEraseLearned = 1U << 1;  // of `flags`: its flows go when it does

  std::uint16_t flags = 0;
  std::uint8_t table = 0;
  std::uint16_t fin_idle_timeout = 0;
  std::uint16_t fin_hard_timeout = 0;
  std::vector<Spec> specs{};
};

struct Instructions {
  std::optional<std::uint32_t> meter{};
  std::optional<Actions> apply{};
  bool clear = false;
  std::optional<Actions> write{};
  struct Metadata {
    std::uint64_t value = 0;
    std::uint64_t mask = 0;
  };
  std::optional<Metadata> metadata{};
  std::optional<std::uint8_t> go_to{};
};

inline constexpr std::size_t kMostActions = 4'096;  // of one list

// Up to the end of `from`. Throws what OpenFlow says of malformed and unsupported ones.
Actions read_actions(Reader from, Version version);
void write_actions(Writer& to, const Actions& actions, Version version);
Instructions read_instructions(Reader from, std::uint8_t table);
void write_instructions(Writer& to, const Instructions& instructions);

// As 1.0 tells them: its actions, and Nicira's for the rest, as far as there are some.
void write_instructions10(Writer& to, const Instructions& instructions);

// Nicira's, behind type, length and vendor. Throws as read_actions.
Action read_nicira(Reader from);
void write_nicira(Writer& to, const Action& action);

// That the actions make sense for packets of `match`, and for each other. Throws OFPBAC_MATCH_INCONSISTENT and its like.
void check_actions(const Actions& actions, const FlowKey& match);

// Whether some action takes headers apart which a train must keep.
bool needs_single_frames(const Actions& actions);
bool needs_single_frames(const Instructions& instructions);

// About what they take.
std::size_t memory_of(const Actions& actions);

}  // namespace simcore::openflow

// SPDX-License-Identifier: MIT
//
// Match: which packets a flow is for: a value and a mask over the FlowKey. Read from OXM and from OpenFlow 1.0's fixed
// structure, and written as both.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "simcore/openflow/field.h"
#include "simcore/openflow/flow_key.h"
#include "simcore/openflow/wire.h"

namespace simcore::openflow {

struct Match {
  FlowKey value;  // zero where the mask is
  FlowKey mask;

  // One more condition; earlier ones on the same bits are replaced.
  void set(const Field& of, FieldValue with, FieldValue under);
  void set(const Field& of, FieldValue with) { set(of, with, of.all_bits()); }

  bool covers(const FlowKey& key) const;
  // Every packet of `narrower` is one of this.
  bool contains(const Match& narrower) const;
  // Some packet is of both.
  bool overlaps(const Match& other) const;
  bool operator==(const Match&) const = default;
};

// One OXM field, with its header. Throws the errors of OFPET_BAD_MATCH. `value` is within `mask`.
struct OxmField {
  const Field* field;
  FieldValue value;
  FieldValue mask;
};
OxmField read_oxm(Reader& from);
void write_oxm(Writer& to, const Field& of, FieldValue value, FieldValue mask);
// Fields up to the end of `from`, each with what it needs before it and none twice.
Match read_oxms(Reader from);
void write_oxms(Writer& to, const Match& match);

// OpenFlow 1.3's ofp_match, padding included.
Match read_match(Reader& from);
void write_match(Writer& to, const Match& match);

// OpenFlow 1.0's, 40 bytes. What the packet's kind does not have is left out.
inline constexpr std::uint32_t kWildcards10 = (1U << 22) - 1;  // all that 1.0 has
Match read_match10(Reader& from);
void write_match10(Writer& to, const Match& match);

// Ports of 16 bits, and those of 32. Throws `error` for one that no 1.0 switch has.
std::uint32_t port_of10(std::uint16_t number);
std::uint16_t port_in10(std::uint32_t number);

}  // namespace simcore::openflow

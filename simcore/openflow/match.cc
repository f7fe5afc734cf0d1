// SPDX-License-Identifier: MIT
#include "simcore/openflow/match.h"

namespace simcore::openflow {

namespace {

constexpr std::uint16_t kExperimenterClass = 0xffff;
constexpr std::uint8_t kTcpFlags = 42;       // among the fields of the Open Networking Foundation
constexpr std::uint16_t kStandardMatch = 0;  // of 1.1
constexpr std::uint16_t kOxmMatch = 1;

bool valid(const Field& of, FieldValue value) {
  if (value > of.all_bits()) return false;
  switch (of.id) {
    case FieldId::in_port: {
      const auto port = static_cast<std::uint32_t>(value);
      return port < port_no::kMax10 || port >= port_no::kMax;
    }
    case FieldId::arp_op:
      return value <= 0xff;
    case FieldId::ip_tos:
      return (value & 3) == 0;
    default:
      return true;
  }
}

}  // namespace

void Match::set(const Field& of, FieldValue with, FieldValue under) {
  of.set(value, with & under);
  of.set(mask, under);
}

bool Match::covers(const FlowKey& key) const {
  std::uint64_t differs = 0;
  for (std::size_t at = 0; at < FlowKey::kWords; ++at)
    differs |= (key.words[at] ^ value.words[at]) & mask.words[at];
  return differs == 0;
}

bool Match::contains(const Match& narrower) const {
  for (std::size_t at = 0; at < FlowKey::kWords; ++at) {
    if ((mask.words[at] & ~narrower.mask.words[at]) != 0) return false;
    if (((value.words[at] ^ narrower.value.words[at]) & mask.words[at]) != 0) return false;
  }
  return true;
}

bool Match::overlaps(const Match& other) const {
  for (std::size_t at = 0; at < FlowKey::kWords; ++at) {
    if (((value.words[at] ^ other.value.words[at]) & mask.words[at] & other.mask.words[at]) != 0)
      return false;
  }
  return true;
}

OxmField read_oxm(Reader& from) {
  const std::uint16_t oxm_class = from.u16();
  const std::uint8_t numbered = from.u8();
  std::uint8_t length = from.u8();
  Reader payload = from.sub(length, error::kMatchLength);
  const bool masked = (numbered & 1U) != 0;
  const auto number = static_cast<std::uint8_t>(numbered >> 1);
  const Field* found = nullptr;
  if (oxm_class == kExperimenterClass) {
    if (payload.u32() != kOnf || number != kTcpFlags) throw ProtocolError(error::kMatchField);
    length = static_cast<std::uint8_t>(length - 4);
    found = &field(FieldId::tcp_flags);
  } else {
    found = find_field(oxm_class, number);
  }
  if (found == nullptr) throw ProtocolError(error::kMatchField);
  if (length != found->size * (masked ? 2 : 1)) throw ProtocolError(error::kMatchField);
  OxmField read{found, read_value(payload.take(found->size)), found->all_bits()};
  if (found->id == FieldId::ip_tos) read.mask = 0xfc;
  if (!valid(*found, read.value)) throw ProtocolError(error::kMatchValue);
  if (!masked) return read;
  const FieldValue mask = read_value(payload.take(found->size));
  const FieldValue every_bit = found->size == 16 ? ~FieldValue{0} : (FieldValue{1} << 8 * found->size) - 1;
  if ((read.value & ~mask) != 0) throw ProtocolError(error::kMatchWildcards);
  if (!found->maskable && mask != 0 && mask != every_bit) throw ProtocolError(error::kMatchMask);
  read.mask &= mask;
  return read;
}

void write_oxm(Writer& to, const Field& of, FieldValue value, FieldValue mask) {
  const bool masked = mask != of.all_bits() && of.id != FieldId::ip_tos;
  const bool experimental = of.id == FieldId::tcp_flags;  // in 1.3; OXM's own name is of 1.5
  to.u16(experimental ? kExperimenterClass : of.oxm_class);
  to.u8(static_cast<std::uint8_t>((experimental ? kTcpFlags : of.oxm_field) << 1 | (masked ? 1 : 0)));
  to.u8(static_cast<std::uint8_t>((experimental ? 4 : 0) + of.size * (masked ? 2 : 1)));
  if (experimental) to.u32(kOnf);
  std::uint8_t bytes[16];
  const std::span<std::uint8_t> place(bytes, of.size);
  write_value(place, value);
  to.bytes(place);
  if (!masked) return;
  write_value(place, mask);
  to.bytes(place);
}

Match read_oxms(Reader from) {
  Match match;
  while (!from.empty()) {
    const OxmField read = read_oxm(from);
    if (!holds(read.field->needs, match.value)) throw ProtocolError(error::kMatchPrerequisite);
    if (read.field->get(match.mask) != 0) throw ProtocolError(error::kMatchDuplicate);
    match.set(*read.field, read.value, read.mask);
  }
  return match;
}

void write_oxms(Writer& to, const Match& match) {
  for (const Field& each : match_fields()) {
    const FieldValue mask = each.get(match.mask);
    if (mask != 0 && holds(each.needs, match.value)) write_oxm(to, each, each.get(match.value), mask);
  }
}

Match read_match(Reader& from) {
  const std::uint16_t type = from.u16();
  const std::uint16_t length = from.u16();
  if (type != kOxmMatch && type != kStandardMatch) throw ProtocolError(error::kMatchType);
  if (type == kStandardMatch || length < 4) throw ProtocolError(error::kMatchLength);
  Match match = read_oxms(from.sub(length - 4U, error::kMatchLength));
  from.skip((8 - length % 8) % 8);
  return match;
}

void write_match(Writer& to, const Match& match) {
  const std::size_t begin = to.size();
  to.u16(kOxmMatch);
  to.u16(0);
  write_oxms(to, match);
  to.set16(begin + 2, to.size() - begin);
  to.pad(begin);
}

}  // namespace simcore::openflow

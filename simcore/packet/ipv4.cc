// SPDX-License-Identifier: MIT
#include "simcore/packet/ipv4.h"

#include <algorithm>
#include <cassert>

#include "simcore/packet/checksum.h"

namespace simcore {

std::optional<Ipv4Header> Ipv4Header::parse(std::span<const std::uint8_t> bytes, std::size_t unstored) {
  if (bytes.size() < kSize || bytes[0] >> 4 != 4) return std::nullopt;
  const Ipv4Header whole(bytes);
  const std::size_t total = whole.total_length();
  if (whole.size() < kSize || whole.size() > bytes.size()) return std::nullopt;
  if (total < whole.size() || total > bytes.size() + unstored) return std::nullopt;
  return Ipv4Header(bytes.first(std::min(total, bytes.size())));
}

bool Ipv4Header::checksum_correct() const {
  ChecksumSum sum;
  sum.add(bytes_.first(size()));
  return sum.folded() == 0xffff;
}

bool Ipv4Header::transport_checksum_correct() const {
  ChecksumSum sum;
  sum.add_pseudo_header(source(), destination(), protocol(), payload_length());
  sum.add(payload());
  return sum.folded() == 0xffff;
}

void write_ipv4(std::span<std::uint8_t> bytes, const Ipv4Fields& fields) {
  assert(bytes.size() >= Ipv4Header::kSize);
  std::uint8_t* const at = bytes.data();
  at[0] = 0x45;
  at[1] = fields.type_of_service;
  store_be16(at + 2, static_cast<std::uint16_t>(Ipv4Header::kSize + fields.payload_length));
  store_be16(at + 4, fields.identification);
  store_be16(at + 6, fields.dont_fragment ? 0x4000 : 0);
  at[Ipv4Header::kTtlOffset] = fields.ttl;
  at[9] = fields.protocol;
  store_be16(at + Ipv4Header::kChecksumOffset, 0);
  fields.source.write_to(at + Ipv4Header::kSourceOffset);
  fields.destination.write_to(at + Ipv4Header::kDestinationOffset);
  ChecksumSum sum;
  sum.add(bytes.first(Ipv4Header::kSize));
  store_be16(at + Ipv4Header::kChecksumOffset, sum.checksum());
}

void set_ipv4_fragment(std::span<std::uint8_t> bytes, std::uint16_t total_length, std::uint16_t offset,
                       bool more_fragments) {
  assert(offset % 8 == 0);
  std::uint8_t* const at = bytes.data();
  store_be16(at + 2, total_length);
  store_be16(at + 6, static_cast<std::uint16_t>(offset / 8 | (more_fragments ? 0x2000 : 0)));
  store_be16(at + Ipv4Header::kChecksumOffset, 0);
  ChecksumSum sum;
  sum.add(bytes.first(std::size_t{4} * (at[0] & 0xfU)));
  store_be16(at + Ipv4Header::kChecksumOffset, sum.checksum());
}

void decrement_ttl(std::span<std::uint8_t> header) {
  std::uint8_t* const word = header.data() + Ipv4Header::kTtlOffset;  // TTL and protocol
  const std::uint16_t before = load_be16(word);
  assert(word[0] != 0);
  --word[0];
  std::uint8_t* const checksum = header.data() + Ipv4Header::kChecksumOffset;
  store_be16(checksum, updated_checksum(load_be16(checksum), before, load_be16(word)));
}

}  // namespace simcore

// SPDX-License-Identifier: MIT
#include "simcore/packet/ip_header.h"

#include <cassert>

#include "simcore/packet/checksum.h"

namespace simcore {

namespace {

void add_pseudo_header_of(ChecksumSum& sum, const IpAddress& source, const IpAddress& destination,
                          std::uint8_t protocol, std::size_t length) {
  if (source.is_v4()) {
    sum.add_pseudo_header(source.v4(), destination.v4(), protocol, static_cast<std::uint16_t>(length));
  } else {
    sum.add_pseudo_header(source.v6(), destination.v6(), protocol, static_cast<std::uint32_t>(length));
  }
}

}  // namespace

IpHeader::IpHeader(const Ipv4Header& header)
    : source_(header.source()),
      destination_(header.destination()),
      protocol_(header.protocol()),
      traffic_class_(header.type_of_service()),
      ttl_(header.ttl()),
      size_(header.size()),
      payload_(header.payload()),
      payload_length_(header.payload_length()) {}

IpHeader::IpHeader(const Ipv6Header& header, const Ipv6Header::UpperLayer& upper)
    : source_(header.source()),
      destination_(header.destination()),
      protocol_(upper.protocol),
      traffic_class_(header.traffic_class()),
      ttl_(header.hop_limit()),
      size_(upper.offset),
      payload_(header.stored().subspan(upper.offset)),
      payload_length_(header.total_length() - upper.offset) {}

std::optional<IpHeader> IpHeader::parse(std::span<const std::uint8_t> bytes, std::size_t unstored) {
  if (const auto ipv4 = Ipv4Header::parse(bytes, unstored)) return IpHeader(*ipv4);
  const auto ipv6 = Ipv6Header::parse(bytes, unstored);
  const auto upper = ipv6 ? ipv6->upper_layer() : std::nullopt;
  return upper ? std::optional(IpHeader(*ipv6, *upper)) : std::nullopt;
}

bool IpHeader::transport_checksum_correct() const {
  ChecksumSum sum;
  add_pseudo_header_of(sum, source_, destination_, protocol_, payload_length_);
  sum.add(payload_);
  return sum.folded() == 0xffff;
}

void write_ip(std::span<std::uint8_t> bytes, const IpFields& fields) {
  assert(fields.source.is_v4() == fields.destination.is_v4());
  if (fields.source.is_v6()) {
    return write_ipv6(bytes, {.source = fields.source.v6(),
                              .destination = fields.destination.v6(),
                              .protocol = fields.protocol,
                              .payload_length = fields.payload_length,
                              .hop_limit = fields.ttl,
                              .traffic_class = fields.traffic_class});
  }
  write_ipv4(bytes, {.source = fields.source.v4(),
                     .destination = fields.destination.v4(),
                     .protocol = fields.protocol,
                     .payload_length = fields.payload_length,
                     .identification = fields.identification,
                     .dont_fragment = fields.dont_fragment,
                     .ttl = fields.ttl,
                     .type_of_service = fields.traffic_class});
}

void add_pseudo_header(ChecksumSum& sum, const IpFields& fields) {
  add_pseudo_header_of(sum, fields.source, fields.destination, fields.protocol, fields.payload_length);
}

}  // namespace simcore

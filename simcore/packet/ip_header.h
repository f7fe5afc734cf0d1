// SPDX-License-Identifier: MIT
//
// What a transport protocol sees of the datagram that it came in, and says of one that it sends: the same over
// IPv4 and IPv6.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "simcore/packet/ip_address.h"
#include "simcore/packet/ipv4.h"
#include "simcore/packet/ipv6.h"

namespace simcore {

class ChecksumSum;

// A view of a datagram, whose bytes must outlive it.
class IpHeader {
 public:
  explicit IpHeader(const Ipv4Header& header);
  // `upper` is what the header's extension headers lead to.
  IpHeader(const Ipv6Header& header, const Ipv6Header::UpperLayer& upper);

  // The datagram of either version at the start of `bytes`, behind which `unstored` bytes are virtual payload.
  // None when it is malformed.
  static std::optional<IpHeader> parse(std::span<const std::uint8_t> bytes, std::size_t unstored = 0);

  const IpAddress& source() const { return source_; }
  const IpAddress& destination() const { return destination_; }
  std::uint8_t protocol() const { return protocol_; }
  std::uint8_t traffic_class() const { return traffic_class_; }       // with the ECN bits lowest
  std::uint8_t ttl() const { return ttl_; }                           // hop limit of IPv6
  std::size_t size() const { return size_; }                          // of all headers before the payload
  std::span<const std::uint8_t> payload() const { return payload_; }  // what is stored of it
  std::size_t payload_length() const { return payload_length_; }
  std::size_t virtual_payload() const { return payload_length_ - payload_.size(); }

  // Whether the checksum of the payload, which `protocol` takes over it and a pseudo-header, is correct;
  // virtual payload counts as zeros.
  bool transport_checksum_correct() const;

 private:
  IpAddress source_;
  IpAddress destination_;
  std::uint8_t protocol_;
  std::uint8_t traffic_class_;
  std::uint8_t ttl_;
  std::size_t size_;
  std::span<const std::uint8_t> payload_;
  std::size_t payload_length_;
};

// A datagram to be sent, without options. Both addresses are of one family, which decides the version.
struct IpFields {
  IpAddress source;
  IpAddress destination;
  std::uint8_t protocol;
  std::uint16_t payload_length;
  std::uint16_t identification = 0;  // of IPv4
  bool dont_fragment = false;        // of IPv4; nobody fragments IPv6 on its way
  std::uint8_t ttl = 64;             // hop limit of IPv6
  std::uint8_t traffic_class = 0;
};

// Of a header without options or extensions.
constexpr std::size_t ip_header_size(const IpAddress& address) {
  return address.is_v4() ? Ipv4Header::kSize : Ipv6Header::kSize;
}

// Precondition: bytes.size() >= ip_header_size(fields.source).
void write_ip(std::span<std::uint8_t> bytes, const IpFields& fields);

// Adds the pseudo-header of `fields` to `sum`.
void add_pseudo_header(ChecksumSum& sum, const IpFields& fields);

}  // namespace simcore

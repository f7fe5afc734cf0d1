// SPDX-License-Identifier: MIT
#include "simcore/portal/virtio_header.h"

namespace simcore {

namespace {

std::uint8_t gso_type_of(TrainKind train) {
  switch (train) {
    case TrainKind::tcp_ipv4:
      return VirtioNetHeader::kGsoTcpv4;
    case TrainKind::tcp_ipv6:
      return VirtioNetHeader::kGsoTcpv6;
    case TrainKind::udp:
      return VirtioNetHeader::kGsoUdpL4;
    case TrainKind::none:
      break;
  }
  return VirtioNetHeader::kGsoNone;
}

std::optional<TrainKind> train_of(std::uint8_t gso_type) {
  switch (gso_type & ~VirtioNetHeader::kGsoEcn) {
    case VirtioNetHeader::kGsoNone:
      return TrainKind::none;
    case VirtioNetHeader::kGsoTcpv4:
      return TrainKind::tcp_ipv4;
    case VirtioNetHeader::kGsoTcpv6:
      return TrainKind::tcp_ipv6;
    case VirtioNetHeader::kGsoUdpL4:
      return TrainKind::udp;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<VirtioNetFields> fields_of(const VirtioNetHeader& header) {
  const std::optional<TrainKind> train = train_of(header.gso_type);
  if (!train) return std::nullopt;
  VirtioNetFields fields;
  fields.needs_checksum = (header.flags & VirtioNetHeader::kNeedsChecksum) != 0;
  fields.checksum_start = header.csum_start;
  fields.checksum_offset = header.csum_offset;
  fields.train = *train;
  fields.ecn = (header.gso_type & VirtioNetHeader::kGsoEcn) != 0;
  fields.gso_size = header.gso_size;
  fields.header_size = header.hdr_len;
  return fields;
}

VirtioNetHeader header_of(const VirtioNetFields& fields) {
  VirtioNetHeader header{};
  if (fields.needs_checksum) {
    header.flags = VirtioNetHeader::kNeedsChecksum;
    header.csum_start = fields.checksum_start;
    header.csum_offset = fields.checksum_offset;
  }
  header.gso_type = gso_type_of(fields.train);
  if (fields.train != TrainKind::none) {
    if (fields.ecn) header.gso_type |= VirtioNetHeader::kGsoEcn;
    header.gso_size = fields.gso_size;
    header.hdr_len = fields.header_size;
  }
  return header;
}

}  // namespace simcore

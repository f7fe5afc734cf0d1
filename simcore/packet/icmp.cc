// SPDX-License-Identifier: MIT
#include "simcore/packet/icmp.h"

#include <cassert>

#include "simcore/packet/checksum.h"

namespace simcore {

bool is_icmp_error(IcmpType type) {
  switch (type) {
    case IcmpType::destination_unreachable:
    case IcmpType::source_quench:
    case IcmpType::redirect:
    case IcmpType::time_exceeded:
    case IcmpType::parameter_problem:
      return true;
    default:
      return false;
  }
}

std::optional<IcmpHeader> IcmpHeader::parse(std::span<const std::uint8_t> message) {
  if (message.size() < kSize) return std::nullopt;
  return IcmpHeader(message);
}

bool IcmpHeader::checksum_correct() const {
  ChecksumSum sum;
  sum.add(message_);
  return sum.folded() == 0xffff;
}

void write_icmp(std::span<std::uint8_t> message, IcmpType type, std::uint8_t code, std::uint32_t rest) {
  assert(message.size() >= IcmpHeader::kSize);
  std::uint8_t* const at = message.data();
  at[0] = static_cast<std::uint8_t>(type);
  at[1] = code;
  store_be16(at + IcmpHeader::kChecksumOffset, 0);
  store_be32(at + 4, rest);
  ChecksumSum sum;
  sum.add(message);
  store_be16(at + IcmpHeader::kChecksumOffset, sum.checksum());
}

}  // namespace simcore

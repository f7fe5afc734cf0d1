// SPDX-License-Identifier: MIT
#include "simcore/packet/icmpv6.h"

#include <cassert>

#include "simcore/packet/checksum.h"
#include "simcore/packet/ipv6.h"

namespace simcore {

void write_icmpv6(std::span<std::uint8_t> message, Icmpv6Type type, std::uint8_t code, std::uint32_t rest,
                  const Ipv6Ends& ends) {
  assert(message.size() >= Icmpv6Header::kSize);
  std::uint8_t* const at = message.data();
  at[0] = static_cast<std::uint8_t>(type);
  at[1] = code;
  store_be16(at + Icmpv6Header::kChecksumOffset, 0);
  store_be32(at + 4, rest);
  ChecksumSum sum;
  sum.add_pseudo_header(ends.source, ends.destination, ip_protocol::kIcmpv6,
                        static_cast<std::uint32_t>(message.size()));
  sum.add(message);
  store_be16(at + Icmpv6Header::kChecksumOffset, sum.checksum());
}

}  // namespace simcore

// SPDX-License-Identifier: MIT
#include "simcore/application/iperf3_datagram.h"

#include <array>

#include "simcore/packet/byte_order.h"

namespace simcore {

PacketPtr make_iperf3_datagram(const UdpEnds& ends, const Iperf3Datagram& datagram, std::size_t length,
                               bool wide, std::uint16_t identification, PacketPool& pool) {
  const std::int64_t sent_us = datagram.sent.count_ns() / 1'000;
  std::array<std::uint8_t, 16> stamp{};
  store_be32(&stamp[0], static_cast<std::uint32_t>(sent_us / 1'000'000));
  store_be32(&stamp[4], static_cast<std::uint32_t>(sent_us % 1'000'000));
  if (wide) store_be32(&stamp[8], static_cast<std::uint32_t>(datagram.number >> 32));
  store_be32(&stamp[wide ? 12 : 8], static_cast<std::uint32_t>(datagram.number));
  return make_udp_frame(ends, stamp, length - stamp.size(), identification, pool);
}

std::optional<Iperf3Datagram> read_iperf3_datagram(const UdpDatagram& datagram, bool wide,
                                                   std::int64_t highest) {
  if (datagram.stored.size() < (wide ? 16U : 12U)) return std::nullopt;
  const std::uint8_t* const at = datagram.stored.data();
  const std::int64_t number =
      wide ? static_cast<std::int64_t>(std::uint64_t{load_be32(at + 8)} << 32 | load_be32(at + 12))
           : std::int64_t{load_be32(at + 8)};
  if (number < 1 || number > highest + (std::int64_t{1} << 32)) return std::nullopt;
  return Iperf3Datagram{number,
                        SimTime::zero() + Duration::seconds(load_be32(at)) + Duration::us(load_be32(at + 4))};
}

}  // namespace simcore

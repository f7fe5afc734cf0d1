// SPDX-License-Identifier: MIT
#include "simcore/wire/transport_place.h"

#include "simcore/wire/byte_order.h"
#include "simcore/wire/ethernet.h"
#include "simcore/wire/ipv4.h"
#include "simcore/wire/tcp.h"
#include "simcore/wire/udp.h"

namespace simcore {

namespace {

constexpr std::size_t kIpv6Size = 40;

struct NetworkLayer {
  std::size_t header_size;  // up to the transport header
  std::size_t total_length;
  std::uint8_t protocol;
};

std::optional<NetworkLayer> read_ipv4(std::span<const std::uint8_t> bytes, std::size_t unstored) {
  const auto header = Ipv4Header::parse(bytes, unstored);
  if (!header || header->is_fragment()) return std::nullopt;
  return NetworkLayer{header->size(), header->total_length(), header->protocol()};
}

// RFC 8200: hop-by-hop options (0), routing (43) and destination options (60) have a length; every other
// extension ends the search, as the transport header then is not in sight.
std::optional<NetworkLayer> read_ipv6(std::span<const std::uint8_t> bytes, std::size_t unstored) {
  if (bytes.size() < kIpv6Size || bytes[0] >> 4 != 6) return std::nullopt;
  const std::size_t total = kIpv6Size + load_be16(bytes.data() + 4);
  if (total > bytes.size() + unstored) return std::nullopt;
  std::uint8_t next = bytes[6];
  std::size_t at = kIpv6Size;
  while (next == 0 || next == 43 || next == 60) {
    if (at + 2 > bytes.size()) return std::nullopt;
    next = bytes[at];
    at += 8 * (std::size_t{bytes[at + 1]} + 1);
  }
  if (at > bytes.size() || at > total) return std::nullopt;
  return NetworkLayer{at, total, next};
}

}  // namespace

std::optional<TransportPlace> find_transport(std::span<const std::uint8_t> frame, std::size_t unstored) {
  const auto ethernet = EthernetHeader::parse(frame);
  if (!ethernet) return std::nullopt;
  const bool ipv6 = ethernet->ether_type() == EtherType::ipv6;
  if (!ipv6 && ethernet->ether_type() != EtherType::ipv4) return std::nullopt;
  const auto network =
      ipv6 ? read_ipv6(ethernet->payload(), unstored) : read_ipv4(ethernet->payload(), unstored);
  if (!network) return std::nullopt;

  TransportPlace place{};
  place.network = ethernet->size();
  place.transport = place.network + network->header_size;
  place.end = place.network + network->total_length;
  place.ipv6 = ipv6;
  place.udp = network->protocol == ip_protocol::kUdp;
  const std::span<const std::uint8_t> transport = frame.subspan(place.transport);
  if (place.udp) {
    const auto header = UdpHeader::parse(transport, unstored);
    if (!header || place.transport + header->length() != place.end) return std::nullopt;
    place.payload = place.transport + UdpHeader::kSize;
  } else {
    if (network->protocol != ip_protocol::kTcp) return std::nullopt;
    const auto header = TcpHeader::parse(transport);
    if (!header) return std::nullopt;
    place.payload = place.transport + header->size();
  }
  if (place.payload > place.end) return std::nullopt;
  return place;
}

}  // namespace simcore

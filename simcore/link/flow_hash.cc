// SPDX-License-Identifier: MIT
#include "simcore/link/flow_hash.h"

#include <algorithm>
#include <span>

#include "simcore/packet/ethernet.h"
#include "simcore/packet/transport_place.h"

namespace simcore {

namespace {

constexpr std::size_t kPorts = 4;  // bytes, of source and destination together

// FNV-1a, continued.
std::uint64_t hash_on(std::uint64_t hash, std::span<const std::uint8_t> bytes) {
  for (const std::uint8_t byte : bytes) hash = (hash ^ byte) * 0x100000001b3ULL;
  return hash;
}

// Spreads what FNV leaves in the low bits (the finalizer of splitmix64).
std::uint64_t mixed(std::uint64_t hash) {
  hash = (hash ^ hash >> 30) * 0xbf58476d1ce4e5b9ULL;
  hash = (hash ^ hash >> 27) * 0x94d049bb133111ebULL;
  return hash ^ hash >> 31;
}

}  // namespace

std::uint64_t flow_hash(const Packet& packet, std::uint64_t salt) {
  const std::span<const std::uint8_t> frame = packet.bytes();
  std::uint64_t hash = 0xcbf29ce484222325ULL ^ salt;
  constexpr std::size_t kIpv4Addresses = 12;
  constexpr std::size_t kIpv6Addresses = 8;
  constexpr std::size_t kProtocol = 9;
  const auto ethernet = EthernetHeader::parse(frame);
  if (const auto place = find_transport(frame, packet.virtual_payload)) {
    const std::size_t addresses = place->network + (place->ipv6 ? kIpv6Addresses : kIpv4Addresses);
    hash = hash_on(hash, frame.subspan(addresses, place->ipv6 ? 32 : 8));
    hash = hash_on(hash, frame.subspan(place->transport, kPorts));
    const std::uint8_t protocol = place->udp ? 1 : 0;
    hash = hash_on(hash, {&protocol, 1});
  } else if (ethernet && ethernet->ether_type() == EtherType::ipv4 && ethernet->payload().size() >= 20) {
    hash = hash_on(hash, ethernet->payload().subspan(kIpv4Addresses, 8));
    hash = hash_on(hash, ethernet->payload().subspan(kProtocol, 1));
  } else {
    hash = hash_on(hash, frame.first(std::min(frame.size(), EthernetHeader::kSize)));
  }
  return mixed(hash);
}

HostHashes host_hashes(const Packet& packet, std::uint64_t salt) {
  const std::span<const std::uint8_t> frame = packet.bytes();
  const auto of = [&](std::span<const std::uint8_t> bytes) {
    return mixed(hash_on(0xcbf29ce484222325ULL ^ salt, bytes));
  };
  const auto ethernet = EthernetHeader::parse(frame);
  if (ethernet && ethernet->ether_type() == EtherType::ipv4 && ethernet->payload().size() >= 20) {
    return {.source = of(ethernet->payload().subspan(12, 4)),
            .destination = of(ethernet->payload().subspan(16, 4))};
  }
  if (ethernet && ethernet->ether_type() == EtherType::ipv6 && ethernet->payload().size() >= 40) {
    return {.source = of(ethernet->payload().subspan(8, 16)),
            .destination = of(ethernet->payload().subspan(24, 16))};
  }
  const std::size_t half = std::min<std::size_t>(frame.size(), 12) / 2;
  return {.source = of(frame.subspan(half, half)), .destination = of(frame.first(half))};
}

}  // namespace simcore

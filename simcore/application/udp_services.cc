// SPDX-License-Identifier: MIT
#include "simcore/application/udp_services.h"

#include <array>
#include <utility>

#include "simcore/application/chargen_pattern.h"
#include "simcore/stack/host.h"
#include "simcore/stack/udp_datagrams.h"

namespace simcore {

namespace {

constexpr std::uint16_t kEchoPort = 7;
constexpr std::uint16_t kChargenPort = 19;

// Whether the datagram may be answered: it came to one host from a port that does not answer by itself.
bool deserves_answer(Host& host, const Packet& packet, const IpHeader& datagram, const UdpHeader& header) {
  if (host.owns(datagram.destination()) && header.source_port() != kEchoPort &&
      header.source_port() != kChargenPort && header.source_port() != 0) {
    return true;
  }
  host.drop(DropReason::no_listener, packet);
  return false;
}

UdpEnds answer_ends(const IpHeader& datagram, const UdpHeader& header) {
  return {.local = datagram.destination(),
          .remote = datagram.source(),
          .local_port = header.destination_port(),
          .remote_port = header.source_port()};
}

bool answer(Host& host, const UdpEnds& ends, std::span<const std::uint8_t> payload, std::size_t unstored) {
  PacketPtr frame = make_udp_frame(ends, payload, unstored, host.next_identification(), host.pool());
  if (!frame) {
    host.dropped().add(DropReason::pool_exhausted, 1);
    return false;
  }
  host.send(std::move(frame));
  return true;
}

}  // namespace

void UdpEcho::receive(PacketPtr packet, const IpHeader& datagram, const UdpHeader& header,
                      Interface& /*arrival*/) {
  if (!deserves_answer(host_, *packet, datagram, header)) return;
  const UdpEnds ends = answer_ends(datagram, header);
  for_each_datagram(*packet, header, [&](const UdpDatagram& each) {
    answered_ += answer(host_, ends, each.stored, each.length - each.stored.size()) ? 1 : 0;
  });
}

UdpChargen::UdpChargen(Simulation& simulation, Host& host)
    : host_(host), random_(simulation.stream("chargen of " + host.name())) {}

// Each datagram draws one with 0 to 512 characters.
void UdpChargen::receive(PacketPtr packet, const IpHeader& datagram, const UdpHeader& header,
                         Interface& /*arrival*/) {
  if (!deserves_answer(host_, *packet, datagram, header)) return;
  const UdpEnds ends = answer_ends(datagram, header);
  for_each_datagram(*packet, header, [&](const UdpDatagram&) {
    std::array<std::uint8_t, 512> text;
    write_chargen(0, text);
    const auto length = static_cast<std::size_t>(random_() % (text.size() + 1));
    answered_ += answer(host_, ends, std::span(text).first(length), 0) ? 1 : 0;
  });
}

}  // namespace simcore

// SPDX-License-Identifier: MIT
//
// Frames as they come from outside, with a virtio-net header's fields, through everything that takes them apart:
//
//                                    .-> link 100 Mbit/s -> router (MTU 600 to 400) -> link -> host
//   input -> describe_frame -> switch |
//                                    '-> link 100 Mbit/s -> IPv6 router (MTU 1500 to 1280) -> link -> host
//
// and beside that, split and cut in every way that segments are in queues. What is looked for: reads outside of the
// frame, descriptions that the frame does not bear out, packets that are not given back.
//
// Input: flags, train, checksum start, checksum offset, segment size, virtual payload, how to cut; then the frame.
#include <cstdlib>

#include "simcore/application/tcp_services.h"
#include "simcore/application/udp_services.h"
#include "simcore/device/learning_switch.h"
#include "simcore/link/link.h"
#include "simcore/packet/train.h"
#include "simcore/packet/virtio_net_fields.h"
#include "simcore/stack/host.h"
#include "simcore/stack/router.h"
#include "tests/fuzz/input.h"

namespace simcore {
namespace {

Link::Config link_config() {
  Link::Config config;
  config.rate = DataRate::mbps(100);
  return config;
}

// The part that speaks IPv6 only. Its host has TCP and UDP services.
struct Ipv6Branch {
  Ipv6Branch(Simulation& simulation, PacketPool& pool, Interface& bridge_port)
      : router(simulation, pool, "r6"),
        host(simulation, pool, "h6"),
        in(add(router, "in6", 0x02'0000'0000'61, "2001:db8::1/64", 1'500)),
        out(add(router, "out6", 0x02'0000'0000'62, "2001:db8:1::1/64", 1'280)),
        end(add(host, "end6", 0x02'0000'0000'63, "2001:db8:1::2/64", 1'500)),
        forth(simulation, pool, "forth6", link_config(), end),
        back(simulation, pool, "back6", link_config(), out),
        bridged(simulation, pool, "bridged6", link_config(), in),
        away(simulation, pool, "away6", link_config(), bridge_port),
        tcp(simulation, host) {
    host.add_route(Ipv6Prefix::parse("::/0"), Ipv6Address::parse("2001:db8:1::1"), end);
    tcp.listen(7, echo, TcpOptions{});
    host.udp().bind(7, udp_echo);
    out.attach(forth);
    end.attach(back);
    bridge_port.attach(bridged);
    in.attach(away);
  }

  static Interface& add(DualStack& node, const char* name, std::uint64_t mac, const char* address,
                        std::uint16_t mtu) {
    return node.add_interface({.name = name,
                               .mac = MacAddress::of(mac),
                               .mtu = mtu,
                               .address6 = Ipv6InterfaceAddress::parse(address)});
  }

  Router router;
  Host host;
  Interface& in;
  Interface& out;
  Interface& end;
  Link forth;
  Link back;
  Link bridged;
  Link away;
  TcpEcho echo;
  UdpEcho udp_echo{host};
  TcpSockets tcp;
};

struct Network {
  explicit Network(PacketPool& packets) : pool(packets) {
    host.add_route(Ipv4Prefix::parse("0.0.0.0/0"), Ipv4Address::parse("10.0.1.1"), end);
    out.attach(forth);
    end.attach(back);
    right.attach(bridged);
    in.attach(away);
  }

  PacketPool& pool;
  Simulation simulation{1};
  Router router{simulation, pool, "r"};
  Host host{simulation, pool, "h"};
  LearningSwitch bridge{simulation, pool, "s"};
  Interface& in = router.add_interface(
      {"in", MacAddress::of(0x02'0000'0000'01), Ipv4InterfaceAddress::parse("10.0.0.1/24"), 600});
  Interface& out = router.add_interface(
      {"out", MacAddress::of(0x02'0000'0000'02), Ipv4InterfaceAddress::parse("10.0.1.1/24"), 400});
  Interface& end = host.add_interface(
      {"end", MacAddress::of(0x02'0000'0000'03), Ipv4InterfaceAddress::parse("10.0.1.2/24"), 1'500});
  Interface& left = bridge.add_interface({"left"});
  Interface& right = bridge.add_interface({"right"});
  Link forth{simulation, pool, "forth", link_config(), end};
  Link back{simulation, pool, "back", link_config(), out};
  Link bridged{simulation, pool, "bridged", link_config(), in};
  Link away{simulation, pool, "away", link_config(), left};
  Ipv6Branch ipv6{simulation, pool, bridge.add_interface({"right6"})};
};

// Takes `train` apart as queues do: segments off the front, off the back, checksums finished.
void take_apart(PacketPtr train, std::uint16_t cut, PacketPool& pool) {
  while (train->segments > 1) {
    const auto count = static_cast<std::uint16_t>(1 + cut % (train->segments - 1));
    if ((cut & 1) != 0) {
      drop_back(*train, count);
      continue;
    }
    PacketPtr front = split_front(*train, count, pool);
    if (!front) return;
    while (front->segments > 1) drop_back(*front, 1);
    finish_checksum(*front);
  }
  finish_checksum(*train);
}

// A described packet says the same in the terms of virtio-net, and from there again.
void describe_again(const Packet& packet, PacketPool& pool) {
  const PacketPtr again = pool.copy_of(packet);
  if (!again) return;
  if (!describe_frame(*again, virtio_net_fields(packet))) std::abort();
  if (again->segments != packet.segments || again->train != packet.train ||
      again->header_size != packet.header_size || again->checksum_partial != packet.checksum_partial) {
    std::abort();
  }
}

}  // namespace
}  // namespace simcore

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace simcore;
  fuzz::Input input(data, size);
  VirtioNetFields fields;
  fields.needs_checksum = (input.u8() & 1) != 0;
  fields.train = static_cast<TrainKind>(input.u8() & 3);
  fields.checksum_start = input.u16();
  fields.checksum_offset = input.u16();
  fields.gso_size = input.u16();
  const std::uint16_t virtual_payload = input.u16();
  const std::uint16_t cut = input.u16();
  if (input.empty()) return 0;

  static PacketPool pool(ByteCount::bytes(std::int64_t{16} << 20));
  {
    Network network(pool);
    PacketPtr packet = pool.copy_of(input.rest());
    if (packet) {
      packet->virtual_payload = virtual_payload;
      if (describe_frame(*packet, fields)) {
        describe_again(*packet, pool);
        if (PacketPtr other = pool.copy_of(*packet)) take_apart(std::move(other), cut, pool);
        network.left.accept(std::move(packet));
      }
    }
    network.simulation.run_until(SimTime::zero() + Duration::seconds(10));
  }
  if (pool.in_use() != 0) std::abort();
  return 0;
}

// SPDX-License-Identifier: MIT
//
// Frames as they come from outside, with a virtio-net header's fields, through everything that takes them apart:
//
//   input -> describe_frame -> switch -> link 100 Mbit/s -> router (MTU 600 to 400) -> link -> host
//
// and beside that, split and cut in every way that segments are in queues. What is looked for: reads outside of the
// frame, descriptions that the frame does not bear out, packets that are not given back.
//
// Input: flags, train, checksum start, checksum offset, segment size, virtual payload, how to cut; then the frame.
#include <cstdlib>

#include "simcore/link/link.h"
#include "simcore/node/host.h"
#include "simcore/node/learning_switch.h"
#include "simcore/node/router.h"
#include "simcore/wire/train.h"
#include "simcore/wire/virtio_net_fields.h"
#include "tests/fuzz/input.h"

namespace simcore {
namespace {

struct Network {
  explicit Network(PacketPool& packets) : pool(packets) {
    host.add_route(Ipv4Prefix::parse("0.0.0.0/0"), Ipv4Address::parse("10.0.1.1"), end);
    out.attach(forth);
    end.attach(back);
    right.attach(bridged);
    in.attach(away);
  }

  static Link::Config config() {
    Link::Config config;
    config.rate = DataRate::mbps(100);
    return config;
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
  Link forth{simulation, pool, "forth", config(), end};
  Link back{simulation, pool, "back", config(), out};
  Link bridged{simulation, pool, "bridged", config(), in};
  Link away{simulation, pool, "away", config(), left};
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

// SPDX-License-Identifier: MIT
//
// What a packet costs in a simulated OpenFlow switch: parsing it, finding its way in the cache, and all of it from port
// to port, with two tables of 1,000 flows as a learning controller makes them.
#include <benchmark/benchmark.h>

#include <array>

#include "simcore/openflow/switch.h"

namespace simcore::openflow {
namespace {

constexpr std::uint32_t kHosts = 1'000;

class Bench final : public SwitchHost {
 public:
  Bench() : of({.name = "s1", .dpid = 1}, pool, *this) {
    for (std::uint32_t number = 1; number <= 4; ++number) {
      of.add_port(number, "p", MacAddress::of(number));
      of.set_link(number, true);
    }
    Session& session = of.connect(Session::Kind::controller, [] {});
    tell(session, 0, {});
    for (std::uint32_t host = 0; host <= kHosts; ++host) {
      std::vector<std::uint8_t> body;
      Writer to(body);
      const bool first = host == kHosts;
      to.zeros(16);
      to.u8(first ? 0 : 1);
      to.u8(0);
      to.zeros(4);
      to.u16(10);
      to.u32(kNoBuffer);
      to.u32(port_no::kAny);
      to.u32(kAnyGroup);
      to.zeros(4);
      Match match;
      if (!first) match.set(field(FieldId::eth_dst), 0x020000000000 + host);
      write_match(to, match);
      Instructions instructions;
      if (first) {
        instructions.go_to = 1;
      } else {
        Action out;
        out.port = 2;
        instructions.apply = Actions{out};
      }
      write_instructions(to, instructions);
      tell(session, 14, body);
    }
  }

  SimTime now() const override { return SimTime::zero(); }
  void transmit(std::uint32_t /*port*/, PacketPtr packet) override { last = std::move(packet); }
  void drop(DropReason /*reason*/, const Packet& /*packet*/) override {}
  void wake_at(SimTime /*time*/) override {}
  void enable_port(std::uint32_t /*port*/, bool /*up*/) override {}

  PacketPool pool;
  Switch of;
  PacketPtr last;

 private:
  void tell(Session& session, std::uint8_t type, const std::vector<std::uint8_t>& body) {
    std::vector<std::uint8_t> message;
    Writer to(message);
    to.u8(4);
    to.u8(type);
    to.u16(static_cast<std::uint16_t>(8 + body.size()));
    to.u32(1);
    to.bytes(body);
    session.take_in(message);
    Effort effort(kEffortAtOnce);
    of.handle_input(session, effort);
    session.output().clear();
  }
};

constexpr std::array<std::uint8_t, 54> kFrame = {
    0x02, 0, 0, 0,  0, 2, 0x02, 0, 0, 0, 0,  1, 0x08, 0, 0x45, 0, 0, 40, 0, 1,    0x40, 0, 64, 6, 0, 0, 10,
    0,    0, 1, 10, 0, 0, 2,    3, 9, 0, 80, 0, 0,    0, 1,    0, 0, 0,  0, 0x50, 0x10, 0, 0,  0, 0, 0, 0};

void parse_frame(benchmark::State& state) {
  for (auto _ : state) {
    FlowKey key;
    benchmark::DoNotOptimize(parse(kFrame, 0, key));
    benchmark::DoNotOptimize(key);
  }
}
BENCHMARK(parse_frame);

void find_way(benchmark::State& state) {
  Bench bench;
  bench.of.receive(1, bench.pool.copy_of(kFrame));
  FlowKey key;
  key.set32(at::kInPort, 1);
  parse(kFrame, 0, key);
  for (auto _ : state) {
    benchmark::DoNotOptimize(key);
    benchmark::DoNotOptimize(bench.of.knows(key));
  }
}
BENCHMARK(find_way);

void port_to_port(benchmark::State& state) {
  Bench bench;
  bench.last = bench.pool.copy_of(kFrame);
  for (auto _ : state) bench.of.receive(1, std::move(bench.last));
}
BENCHMARK(port_to_port);

}  // namespace
}  // namespace simcore::openflow

BENCHMARK_MAIN();

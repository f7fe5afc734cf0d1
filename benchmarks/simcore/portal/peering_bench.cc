// SPDX-License-Identifier: MIT
//
// What a peering portal carries over loopback: both instances in this thread, so a figure is the cost of sending and of
// receiving together, kernel included. Goals: 4 Gbit/s of trains, and 1 million 64-byte frames per second.
//
// Each iteration sends what one turn of a busy loop would, each frame copied into a packet as a portal does, flushes,
// and polls the peer until it has everything.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <vector>

#include "simcore/packet/ethernet.h"
#include "simcore/packet/ipv4.h"
#include "simcore/packet/tcp.h"
#include "simcore/portal/peering_portal.h"
#include "simcore/sys/clock.h"
#include "simcore/sys/udp_socket.h"

namespace simcore {
namespace {

struct Options {
  peering::Compression compression = peering::Compression::off;
  bool kernel_cuts = true;
};

class Discard final : public PacketSink {
 public:
  void accept(PacketPtr) override {}
};

class Instance {
 public:
  Instance(std::uint16_t local, std::uint16_t remote, const Options& options)
      : portal(
            simulation, pool, [this] { return wall_now(); }, config(local, remote, options)),
        channel(portal.channel(0, Duration::zero())) {
    channel.attach(sink);
  }

  SimTime wall_now() const { return SimTime::at_ns(monotonic_ns() - began_ns); }

  void turn() {
    simulation.run_until(wall_now());
    portal.poll();
    simulation.run_until(simulation.now());
    portal.flush();
  }

  std::int64_t began_ns = monotonic_ns();
  Simulation simulation{1};
  PacketPool pool;
  Discard sink;
  PeeringPortal portal;
  PeeringChannel& channel;

 private:
  static PeeringPortal::Config config(std::uint16_t local, std::uint16_t remote, const Options& options) {
    const std::uint32_t address = (127u << 24) + 1 + static_cast<std::uint32_t>(::getpid());
    PeeringPortal::Config config;
    config.name = "the other";
    config.local = UdpEndpoint{address, local}.text();
    config.remote = UdpEndpoint{address, remote}.text();
    config.token = 1;
    config.options.compression = options.compression;
    config.kernel_cuts = options.kernel_cuts;
    return config;
  }
};

// A TCP segment over IPv4 of `size` bytes, 54 of them headers; its payload is as compressible as text.
std::vector<std::uint8_t> tcp_frame(std::size_t size) {
  std::vector<std::uint8_t> frame(size);
  for (std::size_t i = 0; i < size; ++i) frame[i] = static_cast<std::uint8_t>(i >> 4);
  const std::span<std::uint8_t> bytes(frame);
  const std::size_t segment = size - EthernetHeader::kSize - Ipv4Header::kSize;
  write_ethernet(bytes, MacAddress::of(1), MacAddress::of(2), EtherType::ipv4);
  write_ipv4(bytes.subspan(EthernetHeader::kSize), {Ipv4Address::of(1), Ipv4Address::of(2), ip_protocol::kTcp,
                                                    static_cast<std::uint16_t>(segment)});
  write_tcp(bytes.subspan(EthernetHeader::kSize + Ipv4Header::kSize), {1, 2, 3, 4, tcp_flag::kAck, 5});
  return frame;
}

// A packet of `frame`; for a train, with `segments` of 1448 bytes of payload behind 54 of headers.
PacketPtr make_packet(Instance& instance, const std::vector<std::uint8_t>& frame, std::uint16_t segments) {
  PacketPtr packet = instance.pool.copy_of(frame);
  packet->first_arrival = packet->last_arrival = instance.simulation.now();
  if (segments > 1) {
    packet->segments = segments;
    packet->segment_payload = 1'448;
    packet->header_size = 54;
    packet->train = TrainKind::tcp_ipv4;
    packet->checksum_partial = true;
    packet->checksum_start = EthernetHeader::kSize + Ipv4Header::kSize;
    packet->checksum_offset = TcpHeader::kChecksumOffset;
  }
  return packet;
}

void carry(benchmark::State& state, std::size_t size, std::uint16_t segments, int per_turn,
           const Options& options = {}) {
  Instance a(47'001, 47'002, options);
  Instance b(47'002, 47'001, options);
  while (!a.portal.synchronized() || !b.portal.synchronized()) {
    a.turn();
    b.turn();
  }
  const std::vector<std::uint8_t> frame = tcp_frame(size);
  std::uint64_t sent = 0;
  for (auto _ : state) {
    a.turn();
    for (int i = 0; i < per_turn; ++i) a.channel.accept(make_packet(a, frame, segments));
    sent += static_cast<std::uint64_t>(per_turn) * segments;
    a.portal.flush();
    while (b.channel.counters().delivered_packets < sent && b.portal.counters().lost_packets == 0) b.turn();
  }
  const PeeringPortal::Counters counters = b.portal.counters();
  if (counters.lost_packets > 0) state.SkipWithError("packets were lost: the socket buffer is too small");
  state.SetItemsProcessed(static_cast<std::int64_t>(sent));
  using benchmark::Counter;
  state.counters["Gbit/s"] = Counter(static_cast<double>(counters.received_bytes) * 8e-9, Counter::kIsRate);
}

void trains(benchmark::State& state) { carry(state, 54 + 40 * 1'448, 40, 4); }
void trains_without_udp_segment(benchmark::State& state) {
  carry(state, 54 + 40 * 1'448, 40, 4, {.kernel_cuts = false});
}
void trains_lz4(benchmark::State& state) {
  carry(state, 54 + 40 * 1'448, 40, 4, {.compression = peering::Compression::on});
}
void frames_of_1514_bytes(benchmark::State& state) { carry(state, 1'514, 1, 64); }
void frames_of_64_bytes(benchmark::State& state) { carry(state, 64, 1, 256); }
void one_frame_per_turn(benchmark::State& state) { carry(state, 64, 1, 1); }

BENCHMARK(trains)->UseRealTime();
BENCHMARK(trains_without_udp_segment)->UseRealTime();
BENCHMARK(trains_lz4)->UseRealTime();
BENCHMARK(frames_of_1514_bytes)->UseRealTime();
BENCHMARK(frames_of_64_bytes)->UseRealTime();
BENCHMARK(one_frame_per_turn)->UseRealTime();

}  // namespace
}  // namespace simcore

BENCHMARK_MAIN();

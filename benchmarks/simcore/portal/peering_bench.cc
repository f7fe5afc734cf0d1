// SPDX-License-Identifier: MIT
//
// What a peering portal carries over loopback: both instances in this thread, so a figure is the cost of sending and of
// receiving together, kernel included. Goals: 4 Gbit/s of trains, and 1 million 64-byte frames per second.
//
// The arms of one traffic differ in the options of the portal; their ratios hold up better than the figures:
//   peering_bench --benchmark_enable_random_interleaving=true --benchmark_repetitions=5
//
// Each iteration sends what one turn of a busy loop would, each frame copied into a packet as a portal does, flushes,
// and polls the peer until it has everything.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "simcore/packet/ethernet.h"
#include "simcore/packet/ipv4.h"
#include "simcore/packet/tcp.h"
#include "simcore/portal/peering_portal.h"
#include "simcore/sys/clock.h"
#include "simcore/sys/udp_socket.h"

namespace simcore {
namespace {

using peering::BatchPolicy;
using peering::Compression;
using Way = PeeringOptions::Transport;

enum class Payload : std::uint8_t { text, random, none };

struct Options {
  PeeringOptions peering = {};
  bool kernel_cuts = true;
  Payload payload = Payload::text;
};

PeeringOptions over(Way way) {
  PeeringOptions options;
  options.transport = way;
  return options;
}

PeeringOptions sealed() {
  PeeringOptions options;
  options.key = std::string(64, '1');
  return options;
}

PeeringOptions compressing(Compression compression) {
  PeeringOptions options;
  options.compression = compression;
  return options;
}

PeeringOptions flushing(BatchPolicy::Flush flush) {
  PeeringOptions options;
  options.batch.flush = flush;
  return options;
}

class Discard final : public PacketSink {
 public:
  void accept(PacketPtr) override {}
};

class Instance {
 public:
  Instance(std::uint16_t local, std::uint16_t remote, const Options& options)
      : portal(
            simulation, pool, [this] { return wall_now(); }, config(local, remote, options, began_ns)),
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
  static PeeringPortal::Config config(std::uint16_t local, std::uint16_t remote, const Options& options,
                                      std::int64_t began) {
    const std::uint32_t address = (127u << 24) + 1 + static_cast<std::uint32_t>(::getpid());
    PeeringPortal::Config config;
    config.name = "the other";
    config.local = UdpEndpoint{address, local}.text();
    config.remote = UdpEndpoint{address, remote}.text();
    config.token = 1;
    config.options = options.peering;
    if (config.options.transport == Way::shm) {
      const std::string ring = "/dev/shm/peering-bench-" + std::to_string(::getpid()) + "-";
      config.local = ring + std::to_string(local);
      config.remote = ring + std::to_string(remote);
    }
    config.clock_zero_ns = [began] { return began; };
    config.kernel_cuts = options.kernel_cuts;
    return config;
  }
};

// A TCP segment over IPv4 of `size` bytes, 54 of them headers; its payload is as compressible as text.
std::vector<std::uint8_t> tcp_frame(std::size_t size, Payload payload) {
  std::vector<std::uint8_t> frame(size);
  std::mt19937 random(1);
  for (std::size_t i = 0; i < size; ++i)
    frame[i] = static_cast<std::uint8_t>(payload == Payload::random ? random() : i >> 4);
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
  const std::vector<std::uint8_t> frame = tcp_frame(size, options.payload);
  std::uint64_t sent = 0;
  for (auto _ : state) {
    a.turn();
    for (int i = 0; i < per_turn; ++i) {
      PacketPtr packet = make_packet(a, frame, segments);
      if (options.payload ==
          Payload::none) {  // a simulated host's segment: headers, in which the sequence number differs
        packet->virtual_payload = 1'448;
        const auto sequence = static_cast<std::uint32_t>(sent + static_cast<std::uint64_t>(i)) * 1'448;
        std::memcpy(packet->bytes().data() + 38, &sequence, sizeof sequence);
      }
      a.channel.accept(std::move(packet));
    }
    sent += static_cast<std::uint64_t>(per_turn) * segments;
    a.portal.flush();
    while (b.channel.counters().delivered_packets < sent && b.portal.counters().lost_packets == 0) b.turn();
  }
  const PeeringPortal::Counters counters = b.portal.counters();
  if (counters.lost_packets > 0) state.SkipWithError("packets were lost: the socket buffer is too small");
  state.SetItemsProcessed(static_cast<std::int64_t>(sent));
  using benchmark::Counter;
  const PeeringPortal::Counters of_sender = a.portal.counters();
  state.counters["bytes/packet"] = static_cast<double>(of_sender.sent.sent_datagram_bytes) /
                                   static_cast<double>(of_sender.sent.sent_packets);
  state.counters["Gbit/s"] = Counter(static_cast<double>(counters.received_bytes) * 8e-9, Counter::kIsRate);
}

constexpr std::size_t kTrain = 54 + 40 * 1'448;

void trains(benchmark::State& state, const Options& options) { carry(state, kTrain, 40, 4, options); }
void frames_of_1514_bytes(benchmark::State& state, const Options& options) {
  carry(state, 1'514, 1, 64, options);
}
void frames_of_100_bytes(benchmark::State& state, const Options& options) {
  carry(state, 100, 1, 256, options);
}
void frames_of_64_bytes(benchmark::State& state, const Options& options) {
  carry(state, 64, 1, 256, options);
}
void headers(benchmark::State& state, const Options& options) { carry(state, 54, 1, 256, options); }
void one_frame_per_turn(benchmark::State& state, const Options& options) { carry(state, 64, 1, 1, options); }

BENCHMARK_CAPTURE(trains, udp, Options{})->UseRealTime();
BENCHMARK_CAPTURE(trains, udp_without_segment, Options{.kernel_cuts = false})->UseRealTime();
BENCHMARK_CAPTURE(trains, udp_sealed, Options{.peering = sealed()})->UseRealTime();
BENCHMARK_CAPTURE(trains, tcp, Options{.peering = over(Way::tcp)})->UseRealTime();
BENCHMARK_CAPTURE(trains, shm, Options{.peering = over(Way::shm)})->UseRealTime();
BENCHMARK_CAPTURE(trains, lz4_text, Options{.peering = compressing(Compression::on)})->UseRealTime();
BENCHMARK_CAPTURE(trains, random, Options{.payload = Payload::random})->UseRealTime();
BENCHMARK_CAPTURE(trains, lz4_random,
                  Options{.peering = compressing(Compression::on), .payload = Payload::random})
    ->UseRealTime();
BENCHMARK_CAPTURE(trains, auto_random,
                  Options{.peering = compressing(Compression::automatic), .payload = Payload::random})
    ->UseRealTime();
BENCHMARK_CAPTURE(headers, plain, Options{.payload = Payload::none})->UseRealTime();
BENCHMARK_CAPTURE(headers, lz4, Options{.peering = compressing(Compression::on), .payload = Payload::none})
    ->UseRealTime();
BENCHMARK_CAPTURE(frames_of_1514_bytes, udp, Options{})->UseRealTime();
BENCHMARK_CAPTURE(frames_of_1514_bytes, udp_sealed, Options{.peering = sealed()})->UseRealTime();
BENCHMARK_CAPTURE(frames_of_1514_bytes, shm, Options{.peering = over(Way::shm)})->UseRealTime();
BENCHMARK_CAPTURE(frames_of_100_bytes, flush_turn, Options{})->UseRealTime();
BENCHMARK_CAPTURE(frames_of_100_bytes, flush_packet, Options{.peering = flushing(BatchPolicy::Flush::packet)})
    ->UseRealTime();
BENCHMARK_CAPTURE(frames_of_64_bytes, udp, Options{})->UseRealTime();
BENCHMARK_CAPTURE(one_frame_per_turn, udp, Options{})->UseRealTime();
BENCHMARK_CAPTURE(one_frame_per_turn, udp_sealed, Options{.peering = sealed()})->UseRealTime();
BENCHMARK_CAPTURE(one_frame_per_turn, tcp, Options{.peering = over(Way::tcp)})->UseRealTime();
BENCHMARK_CAPTURE(one_frame_per_turn, shm, Options{.peering = over(Way::shm)})->UseRealTime();

}  // namespace
}  // namespace simcore

BENCHMARK_MAIN();

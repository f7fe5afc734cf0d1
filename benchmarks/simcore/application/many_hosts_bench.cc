// SPDX-License-Identifier: MIT
//
// Many simulated hosts behind switches and routers, a tenth of which send: the network of `hybridnet reproduce scale`, in
// virtual time. All of it together is larger than the caches, and what comes next is anywhere in it.
//
//   h1 .. h100 --- s1 -.                .- s51 --- h5001 .. h5100
//        1 Mbit/s      r1 --- core --- r6
//            s2 .. 10 -'   10 Gbit/s    '- s52 .. 60                 and so on: 10 routers, 100 switches
//
// Unit: processor time for 10 ms of 1,000 flows that fill their links of 1 Mbit/s. Goal: at most 6 ms.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "simcore/application/bulk_client.h"
#include "simcore/application/tcp_services.h"
#include "simcore/device/learning_switch.h"
#include "simcore/link/link.h"
#include "simcore/stack/host.h"
#include "simcore/stack/router.h"
#include "simcore/stack/tcp_sockets.h"

namespace simcore::bench {
namespace {

class ManyHosts {
 public:
  ManyHosts(std::size_t hosts, std::size_t flows) : hosts_(hosts) {
    core_ = std::make_unique<Router>(simulation_, pool_, "core");
    for (std::size_t r = 0; r < kRouters; ++r) add_router(r);
    for (std::size_t h = 0; h < hosts; ++h) add_host(h);
    for (std::size_t f = 0; f < flows; ++f) add_flow(f * (hosts / 2) / flows);
    simulation_.run_until(SimTime::zero() + Duration::seconds(4));
  }

  void run(Duration time) { simulation_.run_until(simulation_.now() + time); }

  std::int64_t received() const {
    std::int64_t all = 0;
    for (const Taker& taker : takers_) all += taker.discard->received();
    return all;
  }
  std::uint64_t events() const { return simulation_.events_fired(); }

 private:
  static constexpr std::size_t kRouters = 10;
  static constexpr std::size_t kSwitches = 100;
  static constexpr std::size_t kFirstCoreNet = 200;
  static constexpr std::uint16_t kPort = 9;

  struct Taker {
    std::unique_ptr<TcpDiscard> discard;
  };

  static Link::Config link(DataRate rate, std::int64_t queue) {
    Link::Config config;
    config.rate = rate;
    config.propagation_delay = Duration::ms(1);
    config.queue_packets = queue;
    config.overhead = ByteCount::bytes(24);
    return config;
  }

  void join(const std::string& name, Interface& a, Interface& b, const Link::Config& config) {
    links_.push_back(std::make_unique<Link>(simulation_, pool_, name + " forth", config, b));
    a.attach(*links_.back());
    links_.push_back(std::make_unique<Link>(simulation_, pool_, name + " back", config, a));
    b.attach(*links_.back());
  }

  MacAddress next_mac() { return MacAddress::of(0x02'00'00'00'00'00 + ++macs_); }
  // 10.net.0.0/16, counted from there.
  static Ipv4Address address(std::size_t net, std::size_t number) {
    return Ipv4Address::of(static_cast<std::uint32_t>(0x0a00'0000 | net << 16 | number));
  }
  static Ipv4InterfaceAddress at(Ipv4Address address) {
    return Ipv4InterfaceAddress::parse(address.to_string() + "/16");
  }
  static std::string numbered(const char* what, std::size_t number) { return what + std::to_string(number); }

  void add_router(std::size_t r) {
    const std::string name = numbered("r", r);
    const std::size_t net = kFirstCoreNet + r;
    routers_.push_back(std::make_unique<Router>(simulation_, pool_, name));
    Router& router = *routers_.back();
    Interface& up = router.add_interface({name + "-up", next_mac(), at(address(net, 1))});
    Interface& down = core_->add_interface({numbered("core", r), next_mac(), at(address(net, 2))});
    join(name, up, down, link(DataRate::gbps(10), 5'000));
    router.add_route(Ipv4Prefix::parse("0.0.0.0/0"), address(net, 2), up);
    for (std::size_t s = r * kSwitches / kRouters; s < (r + 1) * kSwitches / kRouters; ++s) {
      const std::string own = numbered("s", s);
      switches_.push_back(std::make_unique<LearningSwitch>(simulation_, pool_, own));
      Interface& below = router.add_interface({own + "-router", next_mac(), at(address(s, 1))});
      join(own, switches_.back()->add_interface({own + "-up"}), below, link(DataRate::gbps(10), 5'000));
      core_->add_route(Ipv4Prefix::around(address(s, 0), 16), address(net, 1), down);
    }
  }

  std::size_t switch_of(std::size_t h) const { return h * kSwitches / hosts_; }
  Ipv4Address address_of(std::size_t h) const {
    const std::size_t s = switch_of(h);
    return address(s, h - s * hosts_ / kSwitches + 2);
  }

  void add_host(std::size_t h) {
    const std::string name = numbered("h", h);
    const std::size_t s = switch_of(h);
    all_hosts_.push_back(std::make_unique<Host>(simulation_, pool_, name));
    Interface& interface = all_hosts_.back()->add_interface({name + "-eth0", next_mac(), at(address_of(h))});
    join(name, interface, switches_[s]->add_interface({name + "-port"}), link(DataRate::mbps(1), 20));
    all_hosts_.back()->add_route(Ipv4Prefix::parse("0.0.0.0/0"), address(s, 1), interface);
    sockets_.push_back(std::make_unique<TcpSockets>(simulation_, *all_hosts_.back()));
  }

  void add_flow(std::size_t h) {
    takers_.push_back({std::make_unique<TcpDiscard>()});
    sockets_[h + hosts_ / 2]->listen(kPort, *takers_.back().discard, TcpOptions());
    const SimTime start =
        SimTime::zero() + Duration::us(static_cast<std::int64_t>(1'000'000 * h / (hosts_ / 2)));
    senders_.push_back(std::make_unique<BulkClient>(simulation_, *sockets_[h],
                                                    IpAddress(address_of(h + hosts_ / 2)), kPort,
                                                    TcpBulkSender::kForever, start, TcpOptions()));
  }

  std::size_t hosts_;
  std::uint64_t macs_ = 0;
  Simulation simulation_{1};
  PacketPool pool_;
  std::unique_ptr<Router> core_;
  std::vector<std::unique_ptr<Router>> routers_;
  std::vector<std::unique_ptr<LearningSwitch>> switches_;
  std::vector<std::unique_ptr<Host>> all_hosts_;
  std::vector<Taker> takers_;
  std::vector<std::unique_ptr<TcpSockets>> sockets_;
  std::vector<std::unique_ptr<BulkClient>> senders_;
  std::vector<std::unique_ptr<Link>> links_;
};

void many_hosts(benchmark::State& state) {
  ManyHosts network(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)));
  const std::int64_t before = network.received();
  const std::uint64_t events = network.events();
  for (auto _ : state) network.run(Duration::ms(10));
  const double seconds = 0.01 * static_cast<double>(state.iterations());
  state.counters["goodput_bit/s"] = static_cast<double>(8 * (network.received() - before)) / seconds;
  state.counters["time_per_event"] =
      benchmark::Counter(static_cast<double>(network.events() - events),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

BENCHMARK(many_hosts)
    ->ArgNames({"hosts", "flows"})
    ->Args({10'000, 1'000})
    ->Args({100, 10})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace simcore::bench

BENCHMARK_MAIN();

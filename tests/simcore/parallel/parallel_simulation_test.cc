// SPDX-License-Identifier: MIT
//
// A chain, h0 -- r0 -- r1 -- r2 -- h1, with a second host at each router, as one network and in partitions: the same trace.
#include "simcore/parallel/parallel_simulation.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "simcore/application/application_options.h"
#include "simcore/options/option_table.h"
#include "simcore/sys/clock.h"
#include "simcore/units/error.h"

namespace simcore {
namespace {

constexpr int kRouters = 3;

std::string host(int router, int number) {
  return "h" + std::to_string(router) + "x" + std::to_string(number);
}

struct LinkOf {
  std::string name;
  std::pair<std::string, std::string> a;  // node, interface
  std::pair<std::string, std::string> b;
  Duration delay;
};

std::vector<LinkOf> links() {
  std::vector<LinkOf> all;
  for (int router = 0; router < kRouters; ++router) {
    const std::string r = "r" + std::to_string(router);
    for (int number = 0; number < 2; ++number) {
      const std::string h = host(router, number);
      all.push_back(
          {h + "-" + r, {h, h + "-eth0"}, {r, r + "-h" + std::to_string(number)}, Duration::us(50)});
    }
    if (router + 1 < kRouters) {
      const std::string next = "r" + std::to_string(router + 1);
      all.push_back({r + "-" + next, {r, r + "-up"}, {next, next + "-down"}, Duration::us(100)});
    }
  }
  return all;
}

// Every interface is named in the list of links, and has an address of its link's subnet.
void add_nodes(const std::function<SimulatedNetwork*(const std::string&)>& network_of, bool udp) {
  std::map<std::string, std::string> address;
  std::uint8_t mac = 1;
  for (int router = 0; router < kRouters; ++router) {
    const std::string r = "r" + std::to_string(router);
    if (SimulatedNetwork* const network = network_of(r)) network->add_node(NodeKind::router, r);
    for (int number = 0; number < 2; ++number) {
      const std::string h = host(router, number);
      if (SimulatedNetwork* const network = network_of(h)) network->add_node(NodeKind::host, h);
    }
  }
  int subnet = 0;
  for (const LinkOf& link : links()) {
    const bool core = link.a.first[0] == 'r';
    const std::string net = core ? "10.9." + std::to_string(subnet) : "10.0." + std::to_string(subnet);
    for (const auto& [end, last] : {std::pair(link.a, 1), std::pair(link.b, 2)}) {
      const std::string text = net + "." + std::to_string(last);
      address[end.second] = text;
      const MacAddress address_of = MacAddress::of(0x020000000000U + mac++);
      if (SimulatedNetwork* const network = network_of(end.first)) {
        network->add_interface(end.first,
                               {end.second, address_of, Ipv4InterfaceAddress::parse(text + "/24")});
      }
    }
    ++subnet;
  }
  const auto route = [&](const std::string& node, const std::string& to, const std::string& via,
                         const std::string& interface) {
    if (SimulatedNetwork* const network = network_of(node))
      network->add_route(node, Ipv4Prefix::parse(to), IpAddress::parse(via), interface);
  };
  for (int router = 0; router < kRouters; ++router) {
    const std::string r = "r" + std::to_string(router);
    for (int number = 0; number < 2; ++number) {
      const std::string h = host(router, number);
      route(h, "0.0.0.0/0", address.at(r + "-h" + std::to_string(number)), h + "-eth0");
      for (int other = 0; other < kRouters; ++other) {
        if (other == router) continue;
        const std::string to = address.at(h + "-eth0");
        const std::string prefix = to.substr(0, to.rfind('.')) + ".0/24";
        const std::string out = "r" + std::to_string(other);
        const bool up = other < router;
        const std::string next = "r" + std::to_string(other + (up ? 1 : -1));
        route(out, prefix, address.at(next + (up ? "-down" : "-up")), out + (up ? "-up" : "-down"));
      }
    }
  }
  const auto application = [&](const std::string& node, OptionValue::Dict options) {
    if (SimulatedNetwork* const network = network_of(node))
      network->add_application(node, applications().read(OptionValue{std::move(options)}, "test"));
  };
  // All hosts begin at once, so that many events have one instant.
  for (int number = 0; number < 2; ++number) {
    const std::string from = host(0, number);
    const std::string to = host(kRouters - 1, number);
    application(to, {{"kind", "tcp_discard"}, {"port", 9}});
    application(from, {{"kind", "tcp_bulk"}, {"destination", address.at(to + "-eth0")}, {"port", 9}});
    if (!udp) continue;
    application(from, {{"kind", "udp_sink"}, {"port", 7}});
    application(to, {{"kind", "udp_source"},
                     {"destination", address.at(from + "-eth0")},
                     {"port", 7},
                     {"rate_bps", 20'000'000},
                     {"payload_bytes", 1'000}});
  }
}

LinkModel model(const LinkOf& link, bool lossy) {
  LinkModel made({.rate = DataRate::mbps(100), .propagation_delay = link.delay, .queue_packets = 20});
  if (lossy) made.loss = independent_loss(0.01);
  if (lossy && link.a.first[0] == 'r') made.extra_delay = uniform_delay(Duration::zero(), Duration::us(30));
  return made;
}

using Hashes = std::map<std::string, std::pair<TraceHash::Digest, TraceHash::Digest>>;

void gather(const SimulatedNetwork& network, Hashes& hashes) {
  for (const Taps::Hashed& each : network.taps().hashes()) hashes[each.interface] = {each.sent, each.arrived};
}

constexpr Duration kRun = Duration::ms(60);

Hashes sequential(std::uint64_t seed, bool lossy, std::uint64_t& events) {
  SimulatedNetwork network(seed);
  network.hash_trace();
  add_nodes([&](const std::string&) { return &network; }, true);
  for (const LinkOf& link : links()) {
    network.add_link(link.name, network.end(link.a.second, "test"), network.end(link.b.second, "test"),
                     model(link, lossy), model(link, lossy));
  }
  network.begin("test", 0);
  network.simulation().run_until(SimTime::zero() + kRun);
  events = network.simulation().events_fired();
  Hashes hashes;
  gather(network, hashes);
  return hashes;
}

// `slices`: how often the run is interrupted.
Hashes parallel(std::uint64_t seed, bool lossy, const std::map<std::string, std::size_t>& part,
                std::size_t partitions, int slices, std::uint64_t& events) {
  ParallelSimulation simulation(seed, partitions);
  for (std::size_t each = 0; each < partitions; ++each) simulation.partition(each).network().hash_trace();
  const auto part_of = [&](const std::string& node) {
    const auto found = part.find(node);
    return found == part.end() ? std::size_t{0} : found->second;
  };
  add_nodes([&](const std::string& node) { return &simulation.partition(part_of(node)).network(); }, true);
  std::uint32_t number = 0;
  for (const LinkOf& link : links()) {
    const std::size_t a = part_of(link.a.first);
    const std::size_t b = part_of(link.b.first);
    const LinkModel both = model(link, lossy);
    if (a == b) {
      simulation.partition(a).add_link(link.name, number, link.a.second, link.b.second, both, both);
    } else {
      simulation.partition(a).add_cut_link(link.name, {number, link.a.second, link.b.second, b, true}, both,
                                           both);
      simulation.partition(b).add_cut_link(link.name, {number, link.b.second, link.a.second, a, false}, both,
                                           both);
      simulation.join(a, b, link.delay);
      simulation.join(b, a, link.delay);
    }
    ++number;
  }
  for (int slice = 0; slice < slices; ++slice) simulation.run_for(kRun / slices);
  events = simulation.events();
  Hashes hashes;
  for (std::size_t each = 0; each < partitions; ++each) gather(simulation.partition(each).network(), hashes);
  return hashes;
}

const std::map<std::string, std::size_t> kHalves = {{"r2", 1}, {"h2x0", 1}, {"h2x1", 1}};
const std::map<std::string, std::size_t> kThirds = {{"r1", 1}, {"h1x0", 1}, {"h1x1", 1},
                                                    {"r2", 2}, {"h2x0", 2}, {"h2x1", 2}};
const std::map<std::string, std::size_t> kScattered = {{"h0x0", 1}, {"r1", 2}, {"h2x0", 1}, {"h2x1", 3}};

class Parallel : public testing::TestWithParam<bool> {};

TEST_P(Parallel, traces_do_not_depend_on_the_partition) {
  for (const std::uint64_t seed : {1U, 2U}) {
    std::uint64_t events = 0;
    const Hashes expected = sequential(seed, GetParam(), events);
    EXPECT_GT(events, 2'000U);
    for (const auto& [part, partitions] :
         {std::pair(&kHalves, 2U), std::pair(&kThirds, 3U), std::pair(&kScattered, 4U)}) {
      std::uint64_t fired = 0;
      EXPECT_TRUE(parallel(seed, GetParam(), *part, partitions, 1, fired) == expected) << partitions;
      EXPECT_EQ(fired, events);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, Parallel, testing::Bool(),
                         [](const auto& lossy) { return lossy.param ? "with_loss_and_jitter" : "plain"; });

TEST(ParallelSimulationTest, a_run_may_be_interrupted) {
  std::uint64_t whole = 0;
  std::uint64_t sliced = 0;
  EXPECT_TRUE(parallel(1, true, kHalves, 2, 1, whole) == parallel(1, true, kHalves, 2, 6, sliced));
  EXPECT_EQ(whole, sliced);
}

TEST(ParallelSimulationTest, another_seed_gives_another_trace) {
  std::uint64_t events = 0;
  EXPECT_FALSE(parallel(1, true, kHalves, 2, 1, events) == parallel(2, true, kHalves, 2, 1, events));
}

TEST(ParallelSimulationTest, a_failure_in_one_partition_ends_all) {
  ParallelSimulation simulation(1, 3);
  simulation.join(0, 1, Duration::ms(1));
  simulation.join(1, 2, Duration::ms(1));
  struct Failing final : Event {
    void fire() override { throw ConfigError("as planned"); }
  } failing;
  simulation.partition(1).network().simulation().schedule(failing, SimTime::at_ns(5'000'000));
  EXPECT_THROW(simulation.run_for(Duration::seconds(1)), ConfigError);
}

TEST(ParallelSimulationTest, real_time_takes_as_long_as_it_says) {
  ParallelSimulation simulation(1, 2);
  simulation.join(0, 1, Duration::ms(1));
  const std::int64_t begun = monotonic_ns();
  const std::int64_t end = begun + 20'000'000;
  EXPECT_EQ(simulation.run_in_real_time(Duration::ms(20), begun, end), Duration::ms(20));
  EXPECT_EQ(simulation.now(), SimTime::at_ns(20'000'000));
  EXPECT_GE(monotonic_ns(), end);
}

TEST(ParallelSimulationTest, real_time_that_is_over_ends_what_is_behind) {
  ParallelSimulation simulation(1, 2);
  simulation.join(0, 1, Duration::ms(1));
  struct Ticking final : Event {
    explicit Ticking(Simulation& clock) : simulation(clock) {
      simulation.schedule_in(*this, Duration::ms(1));
    }
    void fire() override { simulation.schedule_in(*this, Duration::ms(1)); }
    Simulation& simulation;
  } ticking(simulation.partition(0).network().simulation());
  const std::int64_t over = monotonic_ns() - 20'000'000;
  const Duration simulated = simulation.run_in_real_time(Duration::ms(20), over, over + 20'000'000);
  EXPECT_LT(simulated, Duration::ms(5));
  EXPECT_EQ(simulation.now(), SimTime::zero() + simulated);
}

TEST(ParallelSimulationTest, only_links_with_a_delay_can_be_cut) {
  ParallelSimulation simulation(1, 2);
  EXPECT_THROW(simulation.join(0, 1, Duration::zero()), ConfigError);
  EXPECT_THROW(ParallelSimulation(1, 0), ConfigError);
  EXPECT_THROW(simulation.partition(2), ConfigError);
}

}  // namespace
}  // namespace simcore

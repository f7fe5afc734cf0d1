// SPDX-License-Identifier: MIT
#include "simcore/guests/guest_network.h"

#include <limits>
#include <utility>

#include "simcore/network/link_model.h"
#include "simcore/units/error.h"

namespace simcore {

namespace {

const char* const kSwitch = "switch";

// The first kernel has ended, as it should.
struct Over {};

std::size_t checked(std::size_t machines) {
  if (machines >= 1 && machines < ParallelSimulation::kMostPartitions) return machines;
  throw ConfigError("join " + std::to_string(machines) + " kernels: write 1 to " +
                    std::to_string(ParallelSimulation::kMostPartitions - 1));
}

}  // namespace

// A kernel whose end is the end of all.
class GuestNetwork::Watched final : public Companion {
 public:
  Watched(Guest& guest, bool first) : guest_(guest), first_(first) {}

  SimTime next_event() override {
    const SimTime next = guest_.next_event();
    if (!guest_.kernel().ended()) return next;
    return SimTime::zero();  // so that it has its turn, and says so
  }

  void run_before(SimTime bound) override {
    if (!guest_.kernel().ended()) guest_.run_before(bound);
    if (guest_.kernel().ended()) {
      if (first_) throw Over{};
      throw EnvironmentError("the kernel of " + guest_.kernel().name() + " has ended by itself");
    }
  }

 private:
  Guest& guest_;
  bool first_;
};

GuestNetwork::GuestNetwork(std::uint64_t seed, std::vector<Machine> machines, Duration delay,
                           std::int64_t epoch_ns)
    : simulation_(seed, checked(machines.size()) + 1) {
  const std::size_t middle = machines.size();
  Partition& between = simulation_.partition(middle);
  between.network().add_node(NodeKind::learning_switch, kSwitch);
  const LinkModel cable(Link::Config{.propagation_delay = delay});
  for (std::size_t number = 0; number < machines.size(); ++number) {
    Machine& machine = machines[number];
    Partition& own = simulation_.partition(number);
    guests_.push_back(
        std::make_unique<Guest>(own.network(), machine.name, std::move(machine.sockets), epoch_ns));
    Guest& guest = *guests_.back();
    watched_.push_back(std::make_unique<Watched>(guest, number == 0));
    own.accompany(*watched_.back());
    const std::string port = kSwitch + ("-" + machine.name);
    const auto id = static_cast<std::uint32_t>(number);
    between.network().add_interface(kSwitch, Interface::Config{.name = port});
    own.add_cut_link(machine.name, {.number = id, .near = machine.name, .far = port, .partition = middle},
                     Links::End{.port = &guest, .name = machine.name}, cable, cable);
    between.add_cut_link(
        machine.name,
        {.number = id, .near = port, .far = machine.name, .partition = number, .near_is_a = false}, cable,
        cable);
    simulation_.join(number, middle, delay);
    simulation_.join(middle, number, delay);
  }
}

GuestNetwork::~GuestNetwork() = default;

void GuestNetwork::run() {
  try {
    simulation_.run_for(Duration::ns(std::numeric_limits<std::int64_t>::max() / 2));
  } catch (const Over&) {
    return;
  }
  throw EnvironmentError("run the kernels: all of them wait, and nothing will happen any more");
}

}  // namespace simcore

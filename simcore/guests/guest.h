// SPDX-License-Identifier: MIT
//
// Guest: a kernel of Linux in a partition of a simulation. Its time is the partition's, and its Ethernet card is a port, to
// which a link is joined like any other:
//
//   link --accept()--> [ card ] --> kernel
//   link <--emit()---- [ card ] <-- kernel
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "simcore/link/drop_counters.h"
#include "simcore/link/port.h"
#include "simcore/network/simulated_network.h"
#include "simcore/parallel/partition.h"
#include "simcore/sys/guest_kernel.h"

namespace simcore {

class Guest final : public Port, public Companion, private GuestKernel::Receiver {
 public:
  // `network`: the partition's; it must outlive the guest. The other arguments, and what is thrown: as GuestKernel's.
  Guest(SimulatedNetwork& network, const std::string& name, GuestKernel::Sockets sockets,
        std::int64_t epoch_ns)
      : network_(network), kernel_(name, std::move(sockets), epoch_ns, *this) {}

  GuestKernel& kernel() { return kernel_; }
  const DropCounters& dropped() const { return dropped_; }

  void accept(PacketPtr packet) override;

  SimTime next_event() override;
  void run_before(SimTime bound) override;

 private:
  void take(std::int64_t at_ns, std::span<const std::uint8_t> frame) override;

  SimulatedNetwork& network_;
  GuestKernel kernel_;
  DropCounters dropped_;
};

}  // namespace simcore

// SPDX-License-Identifier: MIT
//
// Ports: those of a switch, by number, as OpenFlow describes them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "simcore/openflow/protocol.h"
#include "simcore/openflow/wire.h"
#include "simcore/packet/mac_address.h"
#include "simcore/units/time.h"

namespace simcore::openflow {

struct SwitchPort {
  std::uint32_t number = 0;
  std::string name;
  MacAddress mac = MacAddress::zero();
  std::uint32_t config = 0;
  std::uint32_t state = 0;
  SimTime created = SimTime::zero();
  std::uint64_t in_packets = 0;
  std::uint64_t in_bytes = 0;
  std::uint64_t in_dropped = 0;
  std::uint64_t out_packets = 0;
  std::uint64_t out_bytes = 0;
  std::uint64_t out_dropped = 0;

  // A port that is down has no link either, as a device has no carrier.
  bool link_down() const {
    return (config & port_config::kDown) != 0 || (state & port_state::kLinkDown) != 0;
  }
  bool live() const { return !link_down(); }
  bool forwards() const { return (config & (port_config::kDown | port_config::kNoForward)) == 0; }
};

class Ports {
 public:
  // Precondition: there is none of that number.
  SwitchPort& add(SwitchPort port);
  void erase(std::uint32_t number);

  // Null: there is none.
  SwitchPort* find(std::uint32_t number) const {
    return number < fast_.size() ? fast_[number] : number == port_no::kLocal ? local_ : nullptr;
  }
  std::map<std::uint32_t, SwitchPort>& all() { return ports_; }
  const std::map<std::uint32_t, SwitchPort>& all() const { return ports_; }

 private:
  std::map<std::uint32_t, SwitchPort> ports_;
  std::vector<SwitchPort*> fast_;
  SwitchPort* local_ = nullptr;
};

void write_port(Writer& to, const SwitchPort& port, Version version);

}  // namespace simcore::openflow

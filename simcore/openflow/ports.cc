// SPDX-License-Identifier: MIT
#include "simcore/openflow/ports.h"

#include <utility>

#include "simcore/openflow/match.h"

namespace simcore::openflow {

SwitchPort& Ports::add(SwitchPort port) {
  const std::uint32_t number = port.number;
  SwitchPort& added = ports_.emplace(number, std::move(port)).first->second;
  if (number == port_no::kLocal) {
    local_ = &added;
  } else {
    if (fast_.size() <= number) fast_.resize(number + 1U);
    fast_[number] = &added;
  }
  return added;
}

void Ports::erase(std::uint32_t number) {
  if (number < fast_.size()) fast_[number] = nullptr;
  ports_.erase(number);
}

void write_port(Writer& to, const SwitchPort& port, Version version) {
  constexpr std::uint32_t kFeatures10 = 1U << 6 | 1U << 7;  // 10 Gbit/s full duplex, copper
  constexpr std::uint32_t kFeatures13 = 1U << 6 | 1U << 11;
  constexpr std::uint32_t kSpeed = 10'000'000;  // kbit/s
  std::uint8_t mac[MacAddress::kSize];
  port.mac.write_to(mac);
  if (version == Version::v10) {
    to.u16(port_in10(port.number));
    to.bytes(mac);
    to.text(port.name, 16);
    to.u32(port.config);
    to.u32(port.link_down() ? port_state::kLinkDown : 0U);
    to.u32(kFeatures10);
    to.zeros(12);
    return;
  }
  to.u32(port.number);
  to.zeros(4);
  to.bytes(mac);
  to.zeros(2);
  to.text(port.name, 16);
  to.u32(port.config & ~port_config::kNoFlood);
  to.u32((port.link_down() ? port_state::kLinkDown : 0U) | (port.live() ? port_state::kLive : 0U));
  to.u32(kFeatures13);
  to.zeros(12);
  to.u32(kSpeed);
  to.u32(0);
}

}  // namespace simcore::openflow

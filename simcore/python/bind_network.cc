// SPDX-License-Identifier: MIT
#include "simcore/python/bind_network.h"

#include "simcore/units/error.h"

namespace simcore::python {

NodeKind node_kind(const std::string& text) {
  if (text == "router") return NodeKind::router;
  if (text == "host") return NodeKind::host;
  if (text == "switch") return NodeKind::learning_switch;
  throw ConfigError("add a node of kind " + text + ": there are router, host and switch");
}

std::optional<Processor::Config> processor(std::optional<std::int64_t> delay_ns, std::int64_t queue_packets) {
  if (!delay_ns) return std::nullopt;
  return Processor::Config{.delay = Duration::ns(*delay_ns), .queue_packets = queue_packets};
}

Interface::Config interface_config(const std::string& name, const std::optional<std::string>& mac,
                                   const std::optional<std::string>& address, std::uint16_t mtu,
                                   const std::optional<std::string>& address6) {
  Interface::Config config;
  config.name = name;
  if (mac) config.mac = MacAddress::parse(*mac);
  if (address) config.address = Ipv4InterfaceAddress::parse(*address);
  config.mtu = mtu;
  if (address6) config.address6 = Ipv6InterfaceAddress::parse(*address6);
  return config;
}

std::optional<LinkModel> changed_model(const std::optional<nanobind::dict>& direction) {
  return direction ? std::optional(link_model(*direction)) : std::nullopt;
}

LinkEnd link_end(const nanobind::tuple& end) {
  const auto kind = nanobind::cast<std::string>(end[0]);
  const auto name = nanobind::cast<std::string>(end[1]);
  if (kind == "interface") return InterfaceEnd{name};
  if (kind == "portal") return PortalEnd{name};
  if (kind == "peer") return ChannelEnd{name, nanobind::cast<std::uint32_t>(end[2])};
  throw ConfigError("join a link to a " + kind + ": there are interface, portal and peer");
}

}  // namespace simcore::python

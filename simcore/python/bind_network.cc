// SPDX-License-Identifier: MIT
#include "simcore/python/bind_network.h"

#include "simcore/application/application_options.h"
#include "simcore/datapath/openflow_options.h"
#include "simcore/options/option_table.h"
#include "simcore/portal/portal_options.h"
#include "simcore/python/option_value.h"
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
                                   const std::optional<std::string>& address6, std::uint16_t number) {
  Interface::Config config;
  config.number = number;
  config.name = name;
  if (mac) config.mac = MacAddress::parse(*mac);
  if (address) config.address = Ipv4InterfaceAddress::parse(*address);
  config.mtu = mtu;
  if (address6) config.address6 = Ipv6InterfaceAddress::parse(*address6);
  return config;
}

OpenFlowSetup openflow_setup(const std::string& name, const nanobind::dict& setup) {
  const std::string place = "make switch " + name;
  return openflow_options().read(option_value(setup, place), place);
}

ApplicationConfig application_config(const std::string& host, const std::string& kind,
                                     const nanobind::dict& options) {
  const std::string place = "make an application of " + host;
  OptionValue given = option_value(options, place);
  auto& entries = std::get<OptionValue::Dict>(given.is);
  if (given.find("kind") == nullptr) entries.insert(entries.begin(), {"kind", kind});
  return applications().read(given, place);
}

FluidModel fluid_model(const std::string& name, const nanobind::dict& model) {
  const std::string place = "add fluid " + name;
  return fluid_models().read(option_value(model, place), place);
}

std::optional<SimulatedNetwork::PacketForm> packet_form(const std::optional<nanobind::dict>& packets) {
  if (!packets) return std::nullopt;
  const auto text = [&packets](const char* key) { return nanobind::cast<std::string>((*packets)[key]); };
  SimulatedNetwork::PacketForm form{.source = text("source"),
                                    .destination = text("destination"),
                                    .address = IpAddress::parse(text("address")),
                                    .port = nanobind::cast<std::uint16_t>((*packets)["port"])};
  if (packets->contains("allowed_ppm"))
    form.allowed = nanobind::cast<double>((*packets)["allowed_ppm"]) / 1e6;
  return form;
}

FlowForm flow_form(const std::string& form) {
  for (const FlowForm each : {FlowForm::packets, FlowForm::fluid}) {
    if (form == name_of(each)) return each;
  }
  throw ConfigError("make a fluid " + form + ": there are packets and fluid");
}

LinkEnd link_end(const nanobind::tuple& end) {
  const auto kind = nanobind::cast<std::string>(end[0]);
  const auto name = nanobind::cast<std::string>(end[1]);
  if (kind == "interface") return InterfaceEnd{name};
  if (kind == "portal") return PortalEnd{name};
  if (kind == "peer") return ChannelEnd{name, nanobind::cast<std::uint32_t>(end[2])};
  throw ConfigError("join a link to a " + kind + ": there are interface, portal and peer");
}

std::pair<EmulationPortal::Config, EmulationPortalOptions> portal_setup(const std::string& name,
                                                                        const std::string& device,
                                                                        const std::string& backend,
                                                                        const std::string& filter,
                                                                        const nanobind::dict& options) {
  const std::string place = "make portal " + name;
  OptionValue given = option_value(options, place);
  auto& entries = std::get<OptionValue::Dict>(given.is);
  entries.insert(entries.begin(), {"backend", backend});
  const PortalSetup setup = portals().read(given, place);
  EmulationPortal::Config config;
  config.name = name;
  config.device = device;
  config.filter = filter;
  config.backlog_segments = setup.backlog_segments;
  return {std::move(config), setup.options};
}

}  // namespace simcore::python

// SPDX-License-Identifier: MIT
#include "simcore/python/application.h"

#include <nanobind/stl/string.h>

#include <array>
#include <optional>
#include <type_traits>
#include <utility>

#include "simcore/python/tcp_options.h"
#include "simcore/units/error.h"

namespace nb = nanobind;

namespace simcore::python {

namespace {

constexpr std::array<std::pair<const char*, ServiceApplication::Kind>, 7> kServices{{
    {"tcp_discard", ServiceApplication::Kind::tcp_discard},
    {"tcp_echo", ServiceApplication::Kind::tcp_echo},
    {"tcp_chargen", ServiceApplication::Kind::tcp_chargen},
    {"udp_sink", ServiceApplication::Kind::udp_sink},
    {"udp_echo", ServiceApplication::Kind::udp_echo},
    {"udp_chargen", ServiceApplication::Kind::udp_chargen},
    {"iperf3_server", ServiceApplication::Kind::iperf3_server},
}};

std::string text(const nb::dict& from, const char* key) { return nb::cast<std::string>(from[key]); }

// Sets `value` where the plan has one; null says that there is none.
template <class T>
void take(const nb::dict& from, const char* key, T& value) {
  if (!from.contains(key) || from[key].is_none()) return;
  if constexpr (std::is_same_v<T, Duration>) {
    value = Duration::ns(nb::cast<std::int64_t>(from[key]));
  } else if constexpr (std::is_same_v<T, SimTime>) {
    value = SimTime::at_ns(nb::cast<std::int64_t>(from[key]));
  } else if constexpr (std::is_same_v<T, std::optional<std::int64_t>>) {
    value = nb::cast<std::int64_t>(from[key]);
  } else {
    value = nb::cast<T>(from[key]);
  }
}

// A preset by its name, or a dictionary of options.
TcpOptions tcp(const nb::dict& from) {
  if (!from.contains("tcp")) return TcpOptions::linux_like();
  if (const nb::object tcp = from["tcp"]; !nb::isinstance<nb::str>(tcp)) {
    return tcp_options(nb::cast<nb::dict>(tcp), "make an application");
  }
  return TcpOptions::preset(text(from, "tcp"));
}

RequestSizes sizes(const nb::dict& from) {
  RequestSizes sizes;
  take(from, "request_bytes", sizes.request);
  take(from, "response_bytes", sizes.response);
  return sizes;
}

UdpSource::Config udp_source(const nb::dict& from) {
  UdpSource::Config config{.destination = IpAddress::parse(text(from, "destination")),
                           .port = nb::cast<std::uint16_t>(from["port"]),
                           .rate = DataRate::bps(nb::cast<std::int64_t>(from["rate_bps"]))};
  const std::string arrivals = from.contains("arrivals") ? text(from, "arrivals") : "cbr";
  if (arrivals == "poisson") {
    config.arrivals = UdpSource::Arrivals::poisson;
  } else if (arrivals == "on_off") {
    config.arrivals = UdpSource::Arrivals::on_off;
  } else if (arrivals != "cbr") {
    throw ConfigError("make UDP source with arrivals " + arrivals + ": there are cbr, poisson and on_off");
  }
  take(from, "local_port", config.local_port);
  take(from, "payload_bytes", config.payload);
  take(from, "mean_on_ns", config.mean_on);
  take(from, "mean_off_ns", config.mean_off);
  take(from, "start_ns", config.start);
  take(from, "stop_ns", config.stop);
  return config;
}

Ping::Config ping(const nb::dict& from) {
  Ping::Config config{.destination = IpAddress::parse(text(from, "destination")), .count = std::nullopt};
  take(from, "interval_ns", config.interval);
  take(from, "count", config.count);
  take(from, "payload_bytes", config.payload);
  take(from, "start_ns", config.start);
  return config;
}

RequestClient::Config request_client(const nb::dict& from) {
  RequestClient::Config config{.destination = IpAddress::parse(text(from, "destination")),
                               .port = nb::cast<std::uint16_t>(from["port"]),
                               .sizes = sizes(from),
                               .tcp = tcp(from)};
  take(from, "count", config.count);
  take(from, "mean_think_ns", config.mean_think);
  take(from, "start_ns", config.start);
  return config;
}

BulkApplication bulk(const nb::dict& from) {
  BulkApplication config{.destination = IpAddress::parse(text(from, "destination")),
                         .port = nb::cast<std::uint16_t>(from["port"]),
                         .tcp = tcp(from)};
  take(from, "bytes", config.bytes);
  take(from, "start_ns", config.start);
  return config;
}

Traceroute::Config traceroute(const nb::dict& from) {
  Traceroute::Config config{.destination = IpAddress::parse(text(from, "destination"))};
  take(from, "hops", config.hops);
  take(from, "probes", config.probes);
  take(from, "payload_bytes", config.payload);
  take(from, "port", config.port);
  take(from, "wait_ns", config.wait);
  take(from, "start_ns", config.start);
  return config;
}

Iperf3Client::Config iperf3_client(const nb::dict& from) {
  Iperf3Client::Config config{.destination = IpAddress::parse(text(from, "destination")), .tcp = tcp(from)};
  std::int64_t rate = 0;
  take(from, "rate_bps", rate);
  config.rate = DataRate::bps(rate);
  take(from, "port", config.port);
  take(from, "udp", config.udp);
  take(from, "reverse", config.reverse);
  take(from, "streams", config.streams);
  take(from, "block_bytes", config.block);
  take(from, "time_ns", config.time);
  take(from, "start_ns", config.start);
  return config;
}

HttpServerApplication http_server(const nb::dict& from) {
  HttpServerApplication config{.file = {}, .tcp = tcp(from)};
  take(from, "port", config.port);
  take(from, "path", config.file.path);
  take(from, "size_bytes", config.file.size);
  return config;
}

}  // namespace

ApplicationConfig application(const std::string& kind, const nb::dict& options) {
  for (const auto& [name, service] : kServices) {
    if (kind == name)
      return ServiceApplication{service, nb::cast<std::uint16_t>(options["port"]), tcp(options)};
  }
  if (kind == "http_server") return http_server(options);
  if (kind == "request_server") {
    return RequestServerApplication{nb::cast<std::uint16_t>(options["port"]), sizes(options), tcp(options)};
  }
  if (kind == "request_client") return request_client(options);
  if (kind == "tcp_bulk") return bulk(options);
  if (kind == "udp_source") return udp_source(options);
  if (kind == "ping") return ping(options);
  if (kind == "traceroute") return traceroute(options);
  if (kind == "iperf3_client") return iperf3_client(options);
  throw ConfigError("make an application of kind " + kind + ": it is none of hybridnet/schema/instance.json");
}

}  // namespace simcore::python

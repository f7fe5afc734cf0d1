// SPDX-License-Identifier: MIT
//
// Applications: the programs of one simulated host, made from typed values, and what they counted.
//
//   Applications applications(simulation, host);
//   applications.add(HttpServerApplication{.port = 80, .file = {.path = "/file", .size = 20'000'000}});
//
// The first that needs TCP gives the host TCP connections.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "simcore/application/http_server.h"
#include "simcore/application/iperf3_client.h"
#include "simcore/application/packet_flows.h"
#include "simcore/application/ping.h"
#include "simcore/application/request_response.h"
#include "simcore/application/traceroute.h"
#include "simcore/application/udp_source.h"
#include "simcore/stack/tcp_sockets.h"
#include "simcore/tcp/tcp_options.h"

namespace simcore {

class Host;

// The services that need nothing but a port.
struct ServiceApplication {
  enum class Kind : std::uint8_t {
    tcp_discard,
    tcp_echo,
    tcp_chargen,
    udp_sink,
    udp_echo,
    udp_chargen,
    iperf3_server
  };
  Kind kind;
  std::uint16_t port;
  TcpOptions tcp;
};
struct HttpServerApplication {
  std::uint16_t port = 80;
  HttpServer::Config file;
  TcpOptions tcp;
};
struct RequestServerApplication {
  std::uint16_t port;
  RequestSizes sizes;
  TcpOptions tcp;
};
struct BulkApplication {  // bytes to a TCP port, as fast as it takes them
  IpAddress destination;
  std::uint16_t port;
  std::int64_t bytes = std::numeric_limits<std::int64_t>::max();
  SimTime start = SimTime::zero();
  TcpOptions tcp;
};
using ApplicationConfig = std::variant<ServiceApplication, HttpServerApplication, RequestServerApplication,
                                       BulkApplication, RequestClient::Config, UdpSource::Config,
                                       Ping::Config, Traceroute::Config, Iperf3Client::Config>;

class Applications {
 public:
  // By name; units are part of it, as of a snapshot's figures.
  using Figures = std::vector<std::pair<std::string_view, std::int64_t>>;

  struct Row {
    std::string
        name;  // host, kind and port or number: "h1:http_server:80"; of a hop its number: "h1:traceroute:0/1"
    Figures figures;
    std::vector<std::pair<std::string_view, std::string>> labels = {};
  };

  // Both must outlive it.
  Applications(Simulation& simulation, Host& host) : simulation_(simulation), host_(host) {}

  // Throws ConfigError when a port is taken or a value is out of range.
  void add(const ApplicationConfig& config);

  // Flows that others let rest and go on; they are in no row. Throws ConfigError as PacketFlows.
  PacketFlows& add_flows(const PacketFlows::Config& config);
  const std::vector<std::unique_ptr<PacketFlows>>& flows() const { return flows_; }

  // The host's TCP, made when it is first asked for; also for applications that are made elsewhere.
  TcpSockets& tcp();

  std::vector<Row> rows() const;
  // Of its TCP connections, at most kMostConnections: "h1:10.0.0.1:5001>10.0.0.2:49152", and the label `state`.
  static constexpr std::size_t kMostConnections = 256;
  std::vector<Row> connections() const;

 private:
  struct Entry {
    std::string name;
    std::shared_ptr<void> application;
    std::function<Figures()> figures;
    std::function<void(std::vector<Row>&)> more = {};  // rows of its own
  };

  template <class Application>
  void keep(std::string name, std::shared_ptr<Application> application,
            Figures (*figures)(const Application&));
  std::string name_of(std::string_view kind, std::uint64_t number) const;

  void make(const ServiceApplication& config);
  void make(const HttpServerApplication& config);
  void make(const RequestServerApplication& config);
  void make(const BulkApplication& config);
  void make(const RequestClient::Config& config);
  void make(const UdpSource::Config& config);
  void make(const Ping::Config& config);
  void make(const Traceroute::Config& config);
  void make(const Iperf3Client::Config& config);

  Simulation& simulation_;
  Host& host_;
  std::vector<Entry> entries_;
  std::vector<std::unique_ptr<PacketFlows>> flows_;
  std::unique_ptr<TcpSockets> tcp_;  // goes before the applications that its connections call
};

}  // namespace simcore

// SPDX-License-Identifier: MIT
#include "simcore/application/applications.h"

#include <algorithm>
#include <utility>

#include "simcore/application/bulk_client.h"
#include "simcore/application/iperf3_server.h"
#include "simcore/application/tcp_services.h"
#include "simcore/application/udp_services.h"
#include "simcore/stack/host.h"

namespace simcore {

namespace {

using Figures = Applications::Figures;

// Times are figures only once something has been timed: 0 ns would be one.
Figures with_times(Figures figures, std::int64_t timed, const Figures& times) {
  if (timed > 0) figures.insert(figures.end(), times.begin(), times.end());
  return figures;
}

Figures figures_of(const TcpDiscard& a) {
  return {{"received_bytes", a.received()},
          {"accepted", static_cast<std::int64_t>(a.accepted())},
          {"closed", static_cast<std::int64_t>(a.closed())}};
}
Figures figures_of(const TcpEcho& a) {
  return {{"answered_bytes", a.answered()},
          {"accepted", a.accepted()},
          {"closed", a.closed()},
          {"broken_connections", a.broken()},
          {"most_open", a.most_open()}};
}
Figures figures_of(const TcpChargen&) { return {}; }
Figures figures_of(const UdpEcho& a) { return {{"answered", a.answered()}}; }
Figures figures_of(const UdpChargen& a) { return {{"answered", a.answered()}}; }
Figures figures_of(const UdpSink& a) {
  return {{"received_datagrams", a.datagrams()},
          {"received_bytes", a.bytes()},
          {"missing", a.missing()},
          {"out_of_order", a.out_of_order()}};
}
Figures figures_of(const Iperf3Server& a) {
  const Iperf3Server::Counters& c = a.counters();
  return {{"tests", c.tests},
          {"failed_tests", c.failed_tests},
          {"denied", c.denied},
          {"received_bytes", c.received_bytes},
          {"sent_bytes", c.sent_bytes}};
}
Figures figures_of(const HttpServer& a) {
  const HttpServer::Counters& c = a.counters();
  return {{"requests", c.requests},
          {"refused", c.refused},
          {"body_bytes", c.body_bytes},
          {"connections", c.connections},
          {"broken_connections", c.broken_connections}};
}
Figures figures_of(const RequestServer& a) { return {{"answered", a.answered()}}; }
Figures figures_of(const RequestClient& a) {
  return with_times({{"answered", a.answered()}, {"failed", a.failed()}}, a.answered(),
                    {{"mean_ns", a.mean().count_ns()}, {"greatest_ns", a.greatest().count_ns()}});
}
Figures figures_of(const BulkClient& a) {
  Figures figures = {{"written_bytes", a.written()}, {"finished", a.finished()}, {"failed", a.failed()}};
  if (const TcpConnection* const connection = a.connection()) {
    const TcpSender& sender = connection->sender();
    figures.insert(figures.end(), {{"cwnd_bytes", sender.congestion_window().cwnd},
                                   {"retransmitted_segments",
                                    static_cast<std::int64_t>(sender.counters().retransmitted_segments)}});
    return with_times(std::move(figures), sender.rtt().has_sample() ? 1 : 0,
                      {{"srtt_ns", sender.rtt().srtt().count_ns()}});
  }
  return figures;
}
Figures figures_of(const UdpSource& a) {
  return {{"sent_datagrams", a.datagrams()}, {"sent_bytes", a.bytes()}};
}
Figures figures_of(const Ping& a) {
  return with_times({{"sent", a.sent()}, {"received", a.received()}, {"duplicates", a.duplicates()}},
                    a.received(),
                    {{"least_rtt_ns", a.least_rtt().count_ns()},
                     {"mean_rtt_ns", a.mean_rtt().count_ns()},
                     {"greatest_rtt_ns", a.greatest_rtt().count_ns()}});
}

Figures figures_of(const Traceroute& a) {
  return {{"finished", a.finished()}, {"reached", a.reached()}, {"hops", std::ssize(a.hops())}};
}
Figures figures_of(const Iperf3Client& a) {
  const Iperf3Client::Results& r = a.results();
  return {{"finished", a.finished()},
          {"failed", a.failed()},
          {"sent_bytes", r.sent_bytes},
          {"received_bytes", r.received_bytes},
          {"retransmitted_segments", r.retransmitted_segments},
          {"datagrams", r.datagrams},
          {"lost_datagrams", r.lost_datagrams},
          {"jitter_ns", r.jitter.count_ns()},
          {"lasted_ns", r.lasted.count_ns()}};
}

// Who answered at each hop, and when.
void add_hops(const std::string& name, const Traceroute& traceroute, std::vector<Applications::Row>& rows) {
  for (std::size_t i = 0; i < traceroute.hops().size(); ++i) {
    const Traceroute::Hop& hop = traceroute.hops()[i];
    const std::int64_t mean = hop.answered == 0 ? 0 : hop.sum.count_ns() / hop.answered;
    rows.push_back({.name = name + "/" + std::to_string(i + 1),
                    .figures = with_times({{"answered", hop.answered}}, hop.answered,
                                          {{"least_rtt_ns", hop.least.count_ns()},
                                           {"mean_rtt_ns", mean},
                                           {"greatest_rtt_ns", hop.greatest.count_ns()}}),
                    .labels = {{"address", hop.address ? hop.address->to_string() : ""}}});
  }
}

}  // namespace

void Applications::add(const ApplicationConfig& config) {
  const auto make_from_now = [this](auto each) {
    if constexpr (requires { each.start; }) {
      if (each.start == SimTime::zero()) each.start = simulation_.now();
    }
    make(each);
  };
  std::visit(make_from_now, config);
}

PacketFlows& Applications::add_flows(const PacketFlows::Config& config) {
  return *flows_.emplace_back(std::make_unique<PacketFlows>(simulation_, tcp(), config));
}

std::vector<Applications::Row> Applications::connections() const {
  std::vector<Row> rows;
  if (!tcp_) return rows;
  rows.reserve(std::min(kMostConnections, tcp_->connections()));
  tcp_->for_each(kMostConnections, [&](const TcpSocket& socket) {
    const TcpConnection& connection = socket.connection();
    const TcpSender& sender = connection.sender();
    const CongestionWindow& congestion = sender.congestion_window();
    const auto count = [](std::uint64_t counted) { return static_cast<std::int64_t>(counted); };
    Figures figures = {{"cwnd_bytes", congestion.cwnd},
                       {"in_flight_bytes", sender.in_flight()},
                       {"acknowledged_bytes", sender.snd_una()},
                       {"delivered_bytes", sender.delivered()},
                       {"received_bytes", connection.receiver().rcv_nxt()},
                       {"sent_bytes", sender.snd_nxt()},
                       {"send_window_bytes", sender.send_window()},
                       {"retransmitted_segments", count(sender.counters().retransmitted_segments)},
                       {"timeouts", count(sender.counters().timeouts)},
                       {"ecn_reductions", count(sender.counters().ecn_reductions)},
                       {"undone_reductions", count(sender.counters().undone)},
                       {"dsacks_received", count(sender.counters().dsacks_received)},
                       {"dsacks_sent", count(connection.receiver().counters().dsacks_sent)},
                       {"paws_drops", count(connection.counters().paws_drops)},
                       {"challenge_acks", count(connection.counters().challenge_acks)},
                       {"skipped_acks", count(connection.counters().acks_skipped)},
                       {"rto_ns", sender.rtt().rto().count_ns()}};
    if (congestion.ssthresh < std::numeric_limits<std::int64_t>::max() / 4) {  // before the first loss: none
      figures.emplace_back("ssthresh_bytes", congestion.ssthresh);
    }
    if (sender.rtt().has_sample()) {
      figures.emplace_back("srtt_ns", sender.rtt().srtt().count_ns());
      figures.emplace_back("rttvar_ns", sender.rtt().rttvar().count_ns());
      figures.emplace_back("rtt_ns", sender.rtt().latest().count_ns());
    }
    rows.push_back({.name = socket.place(),
                    .figures = std::move(figures),
                    .labels = {{"state", simcore::name_of(connection.state())},
                               {"recovery", simcore::name_of(sender.state())},
                               {"initial_sequence", std::to_string(connection.initial().value())}}});
  });
  return rows;
}

std::vector<Applications::Row> Applications::rows() const {
  std::vector<Row> rows;
  for (const Entry& entry : entries_) {
    rows.push_back({.name = entry.name, .figures = entry.figures()});
    if (entry.more) entry.more(rows);
  }
  return rows;
}

// Kept before it is bound to anything, so that whatever it is bound to never outlives it.
template <class Application>
void Applications::keep(std::string name, std::shared_ptr<Application> application,
                        Figures (*figures)(const Application&)) {
  const Application* const watched = application.get();
  entries_.push_back({std::move(name), std::move(application), [=] { return figures(*watched); }});
}

TcpSockets& Applications::tcp() {
  if (!tcp_) tcp_ = std::make_unique<TcpSockets>(simulation_, host_);
  return *tcp_;
}

std::string Applications::name_of(std::string_view kind, std::uint64_t number) const {
  return host_.name() + ":" + std::string(kind) + ":" + std::to_string(number);
}

void Applications::make(const ServiceApplication& config) {
  const auto over_tcp = [&]<class Service>(std::string_view kind, std::shared_ptr<Service> service) {
    Service& listener = *service;
    keep<Service>(name_of(kind, config.port), std::move(service), figures_of);
    tcp().listen(config.port, listener, config.tcp);
  };
  const auto over_udp = [&]<class Service>(std::string_view kind, std::shared_ptr<Service> service) {
    Service& listener = *service;
    keep<Service>(name_of(kind, config.port), std::move(service), figures_of);
    host_.udp().bind(config.port, listener);
  };
  switch (config.kind) {
    case ServiceApplication::Kind::tcp_discard:
      return over_tcp("tcp_discard", std::make_shared<TcpDiscard>());
    case ServiceApplication::Kind::tcp_echo:
      return over_tcp("tcp_echo", std::make_shared<TcpEcho>());
    case ServiceApplication::Kind::tcp_chargen:
      return over_tcp("tcp_chargen", std::make_shared<TcpChargen>());
    case ServiceApplication::Kind::udp_sink:
      return over_udp("udp_sink", std::make_shared<UdpSink>());
    case ServiceApplication::Kind::udp_echo:
      return over_udp("udp_echo", std::make_shared<UdpEcho>(host_));
    case ServiceApplication::Kind::udp_chargen:
      return over_udp("udp_chargen", std::make_shared<UdpChargen>(simulation_, host_));
    case ServiceApplication::Kind::iperf3_server: {
      auto server = std::make_shared<Iperf3Server>(simulation_, host_);
      Iperf3Server& listener = *server;
      over_tcp("iperf3_server", std::move(server));
      return host_.udp().bind(config.port, listener);
    }
  }
}

void Applications::make(const HttpServerApplication& config) {
  auto server = std::make_shared<HttpServer>(config.file);
  HttpServer& listener = *server;
  keep<HttpServer>(name_of("http_server", config.port), std::move(server), figures_of);
  tcp().listen(config.port, listener, config.tcp);
}

void Applications::make(const RequestServerApplication& config) {
  auto server = std::make_shared<RequestServer>(config.sizes);
  RequestServer& listener = *server;
  keep<RequestServer>(name_of("request_server", config.port), std::move(server), figures_of);
  tcp().listen(config.port, listener, config.tcp);
}

void Applications::make(const BulkApplication& config) {
  keep<BulkClient>(name_of("tcp_bulk", entries_.size()),
                   std::make_shared<BulkClient>(simulation_, tcp(), config.destination, config.port,
                                                config.bytes, config.start, config.tcp),
                   figures_of);
}

void Applications::make(const RequestClient::Config& config) {
  const std::string name = name_of("request_client", entries_.size());
  keep<RequestClient>(name, std::make_shared<RequestClient>(simulation_, tcp(), name, config), figures_of);
}

void Applications::make(const UdpSource::Config& config) {
  const std::string name = name_of("udp_source", entries_.size());
  keep<UdpSource>(name, std::make_shared<UdpSource>(simulation_, host_, name, config), figures_of);
}

void Applications::make(const Ping::Config& config) {
  keep<Ping>(name_of("ping", entries_.size()), std::make_shared<Ping>(simulation_, host_, config),
             figures_of);
}

void Applications::make(const Traceroute::Config& config) {
  const std::string name = name_of("traceroute", entries_.size());
  auto traceroute = std::make_shared<Traceroute>(simulation_, host_, config);
  const Traceroute* const watched = traceroute.get();
  keep<Traceroute>(name, std::move(traceroute), figures_of);
  entries_.back().more = [=](std::vector<Row>& rows) { add_hops(name, *watched, rows); };
}

void Applications::make(const Iperf3Client::Config& config) {
  const std::string name = name_of("iperf3_client", entries_.size());
  keep<Iperf3Client>(name, std::make_shared<Iperf3Client>(simulation_, host_, tcp(), name, config),
                     figures_of);
}

}  // namespace simcore

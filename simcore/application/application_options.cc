// SPDX-License-Identifier: MIT
#include "simcore/application/application_options.h"

#include <optional>

#include "simcore/options/option_table.h"

namespace simcore {

template <>
struct OptionType<IpAddress> {
  static constexpr OptionKind kKind = OptionKind::text;
  static constexpr const char* kSuffix = "";
  static IpAddress read(const OptionValue& value, const OptionFacts& facts, const std::string& place) {
    return IpAddress::parse(text_in(value, facts, place));
  }
  static OptionValue write(const IpAddress& value) { return value.to_string(); }
};

namespace {

constexpr double kMuch = 1099511627776;  // 2^40
constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();

template <class C>
Option<C> port(bool required = true) {
  return {"port", &C::port, {.help = "of the server", .least = 1, .most = 65'535, .required = required}};
}

template <class C>
Option<C> destination() {
  return {"destination",
          &C::destination,
          {.help = "a node's name or an address", .unit = "address", .required = true}};
}

template <class C>
Option<C> start() {
  return {"start", &C::start, {.help = "after the start of the instance"}};
}

template <class C>
Option<C> tcp() {
  return {"tcp",
          TcpOptions::options(),
          [](C& of, const TcpOptions& options) { of.tcp = options; },
          {.help = "its TCP: a preset, or options (default linux)"}};
}

// What ends after so many, or never.
template <class C>
Option<C> limit(const char* name, std::int64_t C::*member, OptionNote note) {
  note.least = 1;
  return {name,
          [member](const C& of) { return of.*member == kForever ? std::nullopt : std::optional(of.*member); },
          [member](C& of, std::optional<std::int64_t> value) { of.*member = value.value_or(kForever); },
          std::move(note)};
}

template <class C>
std::vector<Option<C>> sizes() {
  using S = RequestSizes;
  return within(
      std::vector<Option<S>>{
          {"request",
           &S::request,
           {.help = "size of a request", .unit = "bytes", .key = "request_bytes", .least = 1, .most = kMuch}},
          {"response",
           &S::response,
           {.help = "size of an answer",
            .unit = "bytes",
            .key = "response_bytes",
            .least = 1,
            .most = kMuch}}},
      &C::sizes);
}

template <class C>
Option<C> payload(double least, OptionNote note) {
  note.unit = "bytes";
  note.key = "payload_bytes";
  note.least = least;
  note.most = 65'507;
  return {"payload", &C::payload, std::move(note)};
}

template <class C>
C like_linux(C application) {
  application.tcp = TcpOptions::linux_like();
  return application;
}

using Service = ServiceApplication;

// One of the services that need nothing but a port.
template <Service::Kind kind, bool over_tcp>
const OptionTable<Service>& service(const char* name, const char* help) {
  const auto options = [] {
    std::vector<Option<Service>> all = {port<Service>()};
    if (over_tcp) all.push_back(tcp<Service>());
    return all;
  };
  static const OptionTable<Service> table(name, help, {kind, 0, TcpOptions::linux_like()}, options());
  return table;
}

const OptionTable<HttpServerApplication>& http_server() {
  using C = HttpServerApplication;
  using F = HttpServer::Config;
  static const OptionTable<C> table(
      "http_server", "HTTP/1.1, one file: byte i is the exclusive or of the four octets of i",
      like_linux(C{}),
      joined<C>(
          {{port<C>(false)},
           within(
               std::vector<Option<F>>{
                   {"path",
                    &F::path,
                    {.help = "of the file: it begins with /, and has neither spaces nor ?",
                     .pattern = "^/[!->@-~]*$"}},
                   {"size",
                    &F::size,
                    {.help = "of the file", .unit = "bytes", .key = "size_bytes", .most = 4'294'967'295}}},
               &C::file),
           {tcp<C>()}}));
  return table;
}

const OptionTable<RequestServerApplication>& request_server() {
  using C = RequestServerApplication;
  static const OptionTable<C> table(
      "request_server", "answers requests, one after the other over one connection",
      C{0, {}, TcpOptions::linux_like()}, joined<C>({{port<C>()}, sizes<C>(), {tcp<C>()}}));
  return table;
}

const OptionTable<RequestClient::Config>& request_client() {
  using C = RequestClient::Config;
  using Think = RequestClient::Think;
  static const OptionTable<C> table(
      "request_client", "one request after the other over one connection, each timed",
      C{.destination = Ipv4Address::any(), .port = 0, .sizes = {}, .tcp = TcpOptions::linux_like()},
      joined<C>({{destination<C>(), port<C>()},
                 sizes<C>(),
                 {limit<C>("count", &C::count, {.help = "of requests; none: without end", .most = kMuch}),
                  {"mean_think", &C::mean_think, {.help = "between an answer and the next request; 0: none"}},
                  {"think_distribution",
                   &C::think_distribution,
                   {{"exponential", Think::exponential}, {"constant", Think::constant}},
                   {.help = "exponential: mean_think is the mean; constant: it is each time"}},
                  start<C>(),
                  tcp<C>()}}));
  return table;
}

const OptionTable<BulkApplication>& tcp_bulk() {
  using C = BulkApplication;
  static const OptionTable<C> table(
      "tcp_bulk", "sends a number of bytes to a TCP port, or without end",
      C{.destination = Ipv4Address::any(), .port = 0, .tcp = TcpOptions::linux_like()},
      {destination<C>(), port<C>(),
       limit<C>(
           "size", &C::bytes,
           {.help = "of what is sent; none: without end", .unit = "bytes", .key = "bytes", .most = kMuch}),
       start<C>(), tcp<C>()});
  return table;
}

const OptionTable<UdpSource::Config>& udp_source() {
  using C = UdpSource::Config;
  static const OptionTable<C> table(
      "udp_source", "numbered datagrams",
      C{.destination = Ipv4Address::any(), .port = 0, .rate = DataRate::bps(1)},
      {destination<C>(),
       port<C>(),
       {"rate", &C::rate, {.help = "of UDP payload; of on_off while it is on", .required = true}},
       payload<C>(UdpSource::kStamp, {.help = "of a datagram"}),
       {"arrivals",
        &C::arrivals,
        {{"cbr", UdpSource::Arrivals::cbr},
         {"poisson", UdpSource::Arrivals::poisson},
         {"on_off", UdpSource::Arrivals::on_off}},
        {.help = "equal gaps, exponential ones, or equal ones in bursts"}},
       {"mean_on", &C::mean_on, {.help = "of on_off: mean length of a burst", .least = 1}},
       {"mean_off", &C::mean_off, {.help = "of on_off: mean pause between bursts", .least = 1}},
       {"local_port", &C::local_port, {.help = "that it sends from", .least = 1, .most = 65'535}},
       start<C>(),
       {"stop", &C::stop, {.help = "after the start of the instance; none: never", .least = 1}}});
  return table;
}

const OptionTable<Iperf3Client::Config>& iperf3_client() {
  using C = Iperf3Client::Config;
  constexpr double kSecond = 1'000'000'000;
  static const OptionTable<C> table(
      "iperf3_client", "one test with `iperf3 -s`", C{.destination = Ipv4Address::any()},
      {destination<C>(),
       port<C>(false),
       {"udp", &C::udp, {.help = "UDP instead of TCP; it needs a rate"}},
       {"reverse", &C::reverse, {.help = "the server sends"}},
       {"streams", &C::streams, {.help = "at once", .least = 1, .most = 128}},
       {"rate",
        [](const C& of) { return of.rate == DataRate::bps(0) ? std::nullopt : std::optional(of.rate); },
        [](C& of, std::optional<DataRate> rate) { of.rate = rate.value_or(DataRate::bps(0)); },
        {.help = "of each stream; none: as fast as TCP takes it"}},
       {"block",
        [](const C& of) { return of.block == 0 ? std::nullopt : std::optional(of.block); },
        [](C& of, std::optional<std::int64_t> block) { of.block = block.value_or(0); },
        {.help = "written at once; none: 128 kB, and of UDP a datagram of 1460 B",
         .unit = "bytes",
         .key = "block_bytes",
         .least = 1,
         .most = 1'048'576}},
       {"time",
        &C::time,
        {.help = "of the test, whole seconds",
         .least = kSecond,
         .most = 86'400 * kSecond,
         .multiple = kSecond}},
       start<C>(),
       tcp<C>()});
  return table;
}

const OptionTable<Traceroute::Config>& traceroute() {
  using C = Traceroute::Config;
  static const OptionTable<C> table(
      "traceroute", "UDP probes with a growing TTL; each hop is a row of the snapshot",
      C{.destination = Ipv4Address::any()},
      {destination<C>(),
       {"hops", &C::hops, {.help = "at most", .least = 1, .most = 255}},
       {"probes", &C::probes, {.help = "for each hop", .least = 1, .most = 10}},
       payload<C>(0, {.help = "of a probe"}),
       {"port",
        &C::port,
        {.help = "of the first probe; each goes to the one after it", .least = 1, .most = 60'000}},
       {"wait", &C::wait, {.help = "for an answer", .least = 1}},
       start<C>()});
  return table;
}

const OptionTable<Ping::Config>& ping() {
  using C = Ping::Config;
  static const OptionTable<C> table(
      "ping", "echo requests, timed", C{.destination = Ipv4Address::any(), .count = std::nullopt},
      {destination<C>(),
       {"interval", &C::interval, {.help = "between requests", .least = 1}},
       {"count", &C::count, {.help = "of requests; none: without end", .least = 1, .most = kMuch}},
       payload<C>(0, {.help = "of a request"}),
       start<C>()});
  return table;
}

}  // namespace

const OptionFamily<ApplicationConfig>& applications() {
  using A = ApplicationConfig;
  using K = Service::Kind;
  static const OptionFamily<A> family(
      "application", "kind",
      {
          model<A>(http_server()),
          model<A>(service<K::iperf3_server, true>(
              "iperf3_server", "for `iperf3 -c`: TCP and UDP, `-R`, `--bidir`, `-P`; `-u -R` needs a rate")),
          model<A>(service<K::tcp_echo, true>("tcp_echo", "sends back what comes (RFC 862)")),
          model<A>(service<K::tcp_discard, true>("tcp_discard", "discards what it receives (RFC 863)")),
          model<A>(service<K::tcp_chargen, true>("tcp_chargen", "sends without end (RFC 864)")),
          model<A>(service<K::udp_echo, false>("udp_echo", "sends back what comes (RFC 862)")),
          model<A>(service<K::udp_sink, false>(
              "udp_sink", "counts received datagrams, and what is missing of a `udp_source`")),
          model<A>(service<K::udp_chargen, false>("udp_chargen", "answers each datagram with one (RFC 864)")),
          model<A>(udp_source()),
          model<A>(tcp_bulk()),
          model<A>(request_client()),
          model<A>(request_server()),
          model<A>(iperf3_client()),
          model<A>(ping()),
          model<A>(traceroute()),
      });
  return family;
}

}  // namespace simcore

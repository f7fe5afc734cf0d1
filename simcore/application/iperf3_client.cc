// SPDX-License-Identifier: MIT
#include "simcore/application/iperf3_client.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "simcore/application/iperf3_datagram.h"
#include "simcore/application/text_bytes.h"
#include "simcore/stack/host.h"
#include "simcore/units/error.h"

namespace simcore {

Iperf3Client::Iperf3Client(Simulation& simulation, Host& host, TcpSockets& sockets, const std::string& name,
                           const Config& config)
    : simulation_(simulation), host_(host), sockets_(sockets), config_(config) {
  const std::string attempt = "make iperf3 client " + name + ": ";
  constexpr std::int64_t kTcpBlock = 131'072;
  constexpr std::int64_t kUdpBlock = 1'460;
  if (config_.block == 0) config_.block = config_.udp ? kUdpBlock : kTcpBlock;
  if (config_.udp && config_.rate <= DataRate::bps(0)) {
    throw ConfigError(attempt + "UDP has no rate of its own; give it one");
  }
  if (config_.udp && (config_.block < 16 || config_.block > static_cast<std::int64_t>(kLargestUdpPayload))) {
    throw ConfigError(attempt + "a datagram carries " + std::to_string(config_.block) +
                      " bytes; 16 to 65,507 fit");
  }
  if (config_.block < 1 || config_.block > 1 << 20) {
    throw ConfigError(attempt + "a block has " + std::to_string(config_.block) +
                      " bytes; iperf3 takes 1 to 1,048,576");
  }
  if (config_.streams < 1 || config_.streams > Iperf3Parameters::kMostStreams) {
    throw ConfigError(attempt + "there are " + std::to_string(config_.streams) +
                      " streams; iperf3 takes 1 to 128");
  }
  const bool whole = config_.time.count_ns() % 1'000'000'000 == 0;
  if (!whole || config_.time <= Duration::zero() || config_.time > Duration::seconds(86'400)) {
    throw ConfigError(attempt + "it lasts " + std::to_string(config_.time.in_seconds()) +
                      " s; iperf3 takes whole seconds from 1 to 86,400");
  }
  if (config_.start < simulation_.now()) throw ConfigError(attempt + "it starts in the past");
  config_.tcp.check(name);
  parameters_ = {.udp = config_.udp,
                 .reverse = config_.reverse,
                 .streams = config_.streams,
                 .block = config_.block,
                 .rate = config_.rate.bits_per_second(),
                 .time = config_.time,
                 .wide_counters = config_.udp};
  // 36 characters of the alphabet that iperf3 draws from, and the zero at the end.
  constexpr std::string_view kAlphabet = "abcdefghijklmnopqrstuvwxyz234567";
  RandomStream random = simulation.stream(name);
  while (cookie_.size() + 1 < kIperf3Cookie) cookie_.push_back(kAlphabet[random() % kAlphabet.size()]);
  cookie_.push_back('\0');
  streams_.reserve(static_cast<std::size_t>(config_.streams));
  simulation_.schedule(start_, config_.start);
}

Iperf3Client::~Iperf3Client() {
  for (const Stream& stream : streams_) {
    if (stream.ends) host_.udp().unbind(stream.ends->local_port);
  }
}

std::string Iperf3Client::place() const { return host_.name(); }

void Iperf3Client::begin() {
  enter(Phase::parameters);
  control_ = sockets_.connect(config_.destination, config_.port, *this, config_.tcp);
  if (control_ == nullptr) return fail();
  control_->no_delay();  // as iperf3's iperf_connect()
}

void Iperf3Client::tcp_changed(TcpSocket& socket) {
  const TcpConnection& tcp = socket.connection();
  if (tcp.state() == TcpState::syn_sent) return;
  if (over()) {
    socket.discard(tcp.readable());
    return socket.close();
  }
  if (&socket == control_) return read_control(socket);
  const auto stream = std::ranges::find(streams_, &socket, &Stream::socket);
  if (stream == streams_.end()) return;
  if (!std::exchange(stream->greeted, true)) socket.write(bytes_of(cookie_));
  const std::int64_t count = socket.discard(tcp.readable());
  if (counts_arrivals()) stream->bytes += count;
  if (phase_ == Phase::running && !config_.reverse) pump(*stream);
  if (tcp.at_end_of_stream()) socket.close();
}

void Iperf3Client::tcp_closed(TcpSocket& socket) {
  if (&socket == control_) {
    control_ = nullptr;
    if (!over()) fail();
    return;
  }
  const auto stream = std::ranges::find(streams_, &socket, &Stream::socket);
  if (stream == streams_.end()) return;
  stream->socket = nullptr;
  // After the end of the test the server closes the streams, with what was still on its way to it.
  if (phase_ == Phase::streams || phase_ == Phase::running) fail();
}

void Iperf3Client::read_control(TcpSocket& socket) {
  if (!std::exchange(cookie_said_, true)) say(cookie_);
  while (!over() && socket.connection().readable() > 0) {
    std::array<std::uint8_t, 1> byte;
    socket.read(byte);
    if (phase_ != Phase::results) {
      take_state(static_cast<Iperf3State>(byte[0]));
      continue;
    }
    switch (reader_.take(byte[0])) {
      case Iperf3MessageReader::Outcome::more:
        break;
      case Iperf3MessageReader::Outcome::message:
        take_results(reader_.message());
        break;
      case Iperf3MessageReader::Outcome::refused:
        fail();
        break;
    }
  }
  if (!over() && socket.connection().at_end_of_stream()) fail();
}

void Iperf3Client::take_state(Iperf3State state) {
  if (state == Iperf3State::param_exchange && phase_ == Phase::parameters) {
    return say(iperf3_frame(parameters_.to_json()));
  }
  if (state == Iperf3State::create_streams && phase_ == Phase::parameters) {
    enter(Phase::streams);
    return open_streams();
  }
  if (state == Iperf3State::test_start && phase_ == Phase::streams) return;
  if (state == Iperf3State::test_running && phase_ == Phase::streams) return start_test();
  if (state == Iperf3State::exchange_results && phase_ == Phase::ended) {
    say(iperf3_frame(own_results()));
    if (!over()) enter(Phase::results);
    return;
  }
  if (state == Iperf3State::display_results && phase_ == Phase::display) {
    say(std::string(1, static_cast<char>(Iperf3State::iperf_done)));
    if (over()) return;
    enter(Phase::finished);
    return leave();
  }
  fail();  // it refuses, ends, or does not speak our language
}

void Iperf3Client::take_results(const Json& message) {
  const auto theirs = iperf3_streams(message);
  if (!theirs || theirs->size() != streams_.size()) return fail();
  const Json own = own_results();
  const auto ours = iperf3_streams(own);
  const auto& sent = config_.reverse ? *theirs : *ours;
  const auto& received = config_.reverse ? *ours : *theirs;
  for (const Iperf3StreamResult& each : sent) {
    results_.sent_bytes += each.bytes;
    results_.retransmitted_segments += each.retransmits.value_or(0);
  }
  for (const Iperf3StreamResult& each : received) {
    results_.received_bytes += each.bytes;
    if (!config_.udp) continue;
    results_.datagrams += each.packets;
    results_.lost_datagrams += each.errors;
    results_.jitter = std::max(results_.jitter, Duration::ns(static_cast<std::int64_t>(each.jitter_ns)));
  }
  enter(Phase::display);
}

// iperf3 numbers streams 1, 3, 4, 5, …
void Iperf3Client::open_streams() {
  if (config_.udp) return open_datagram_stream();
  for (std::int64_t index = 0; index < config_.streams && !over(); ++index) {
    Stream& stream = streams_.emplace_back(Stream{.id = index == 0 ? 1 : index + 2});
    stream.socket = sockets_.connect(config_.destination, config_.port, *this, config_.tcp);
    if (stream.socket == nullptr) {
      fail();
    } else {
      stream.socket->count_only();
    }
  }
}

// One after the other: the server answers each from a socket of its own before it listens again.
void Iperf3Client::open_datagram_stream() {
  const auto local = host_.source_for(config_.destination);
  const auto port = local ? host_.udp().bind_free(*this) : std::nullopt;
  if (!port) return fail();
  const auto index = static_cast<std::int64_t>(streams_.size());
  const UdpEnds ends{
      .local = *local, .remote = config_.destination, .local_port = *port, .remote_port = config_.port};
  streams_.push_back({.id = index == 0 ? 1 : index + 2, .ends = ends});
  send_frame(make_udp_frame(ends, bytes_of(kIperf3UdpConnect), 0, host_.next_identification(), host_.pool()));
}

void Iperf3Client::start_test() {
  started_ = simulation_.now();
  enter(Phase::running);
  simulation_.schedule_in(end_, config_.time);
  if (!config_.reverse) pump_all();
}

void Iperf3Client::end_test() {
  results_.lasted = simulation_.now() - started_;
  simulation_.cancel(tick_);
  for (Stream& stream : streams_) {
    if (stream.socket == nullptr) continue;
    const SenderCounters& counters = stream.socket->connection().sender().counters();
    stream.retransmits = static_cast<std::int64_t>(counters.retransmitted_segments);
  }
  enter(Phase::ended);
  say(std::string(1, static_cast<char>(Iperf3State::test_end)));
}

void Iperf3Client::enter(Phase phase) {
  phase_ = phase;
  simulation_.cancel(patience_);
  if (over()) return;
  simulation_.schedule_in(patience_, phase == Phase::running ? config_.time + kPatience : kPatience);
}

void Iperf3Client::fail() {
  if (over()) return;
  enter(Phase::failed);
  leave();
}

void Iperf3Client::leave() {
  simulation_.cancel(tick_);
  simulation_.cancel(end_);
  for (Stream& stream : streams_) {
    if (TcpSocket* const socket = std::exchange(stream.socket, nullptr)) socket->close();
  }
  if (control_ != nullptr) control_->close();
}

// The messages are far smaller than a send buffer; one that is not taken ends the test.
void Iperf3Client::say(std::string_view bytes) {
  if (control_ == nullptr || control_->write(bytes_of(bytes)) < static_cast<std::int64_t>(bytes.size()))
    fail();
}

void Iperf3Client::send_frame(PacketPtr frame) {
  frame ? host_.send(std::move(frame)) : host_.dropped().add(DropReason::pool_exhausted, 1);
}

void Iperf3Client::pump_all() {
  for (Stream& stream : streams_) pump(stream);
  if (parameters_.rate > 0) simulation_.schedule_in(tick_, kTick);
}

// Sends what the rate and the buffer allow.
void Iperf3Client::pump(Stream& stream) {
  if (!config_.udp) {
    if (stream.socket == nullptr) return;
    stream.bytes += stream.socket->write_virtual(std::max<std::int64_t>(0, allowance(stream)));
    return;
  }
  for (int n = 0; n < kBurst && allowance(stream) >= config_.block; ++n) {
    ++stream.datagrams;
    stream.bytes += config_.block;
    send_frame(make_iperf3_datagram(*stream.ends, {stream.datagrams, simulation_.now()},
                                    static_cast<std::size_t>(config_.block), parameters_.wide_counters,
                                    host_.next_identification(), host_.pool()));
  }
}

// Bytes that may be sent now.
std::int64_t Iperf3Client::allowance(const Stream& stream) const {
  return parameters_.allowed_after(simulation_.now() - started_) - stream.bytes;
}

void Iperf3Client::receive(PacketPtr packet, const IpHeader& datagram, const UdpHeader& header,
                           Interface& /*arrival*/) {
  const UdpEnds ends{.local = datagram.destination(),
                     .remote = datagram.source(),
                     .local_port = header.destination_port(),
                     .remote_port = header.source_port()};
  const auto stream = std::ranges::find(streams_, ends, &Stream::ends);
  if (stream == streams_.end() || over()) return host_.drop(DropReason::no_listener, *packet);
  if (phase_ == Phase::streams && !stream->greeted) {
    stream->greeted = true;
    if (std::ssize(streams_) < config_.streams) open_datagram_stream();
    return;
  }
  if (!counts_arrivals()) return;
  for_each_datagram(*packet, header, [&](const UdpDatagram& each) {
    const auto said = read_iperf3_datagram(each, parameters_.wide_counters, stream->flow.highest());
    if (!said) return;
    stream->flow.add(said->number, said->sent, each.arrival, each.length);
    stream->bytes += static_cast<std::int64_t>(each.length);
  });
}

Json Iperf3Client::own_results() const {
  std::vector<Iperf3StreamResult> rows;
  for (const Stream& stream : streams_) {
    Iperf3StreamResult row;
    row.id = stream.id;
    row.bytes = stream.bytes;
    if (!config_.udp && !config_.reverse) row.retransmits = stream.retransmits;
    row.jitter_ns = stream.flow.jitter_ns();
    row.errors = stream.flow.missing();
    row.packets = config_.reverse ? stream.flow.highest() : stream.datagrams;
    rows.push_back(row);
  }
  return iperf3_results(rows, config_.reverse, !config_.reverse && !config_.udp, results_.lasted);
}

}  // namespace simcore

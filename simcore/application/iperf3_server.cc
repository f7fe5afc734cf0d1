// SPDX-License-Identifier: MIT
#include "simcore/application/iperf3_server.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "simcore/application/iperf3_datagram.h"
#include "simcore/application/text_bytes.h"
#include "simcore/stack/host.h"

namespace simcore {

namespace {

std::uint8_t read_byte(TcpSocket& socket) {
  std::array<std::uint8_t, 1> byte;
  socket.read(byte);
  return byte[0];
}

}  // namespace

std::string Iperf3Server::place() const { return host_.name(); }

TcpUser& Iperf3Server::tcp_accept(TcpSocket& socket) {
  connections_.try_emplace(&socket);
  return *this;
}

void Iperf3Server::tcp_changed(TcpSocket& socket) {
  const auto place = connections_.find(&socket);
  Connection& connection = place->second;
  if (connections_.size() > kMostConnections && connection.role == Role::unknown) {
    ++counters_.denied;
    return leave(socket);
  }
  switch (connection.role) {
    case Role::unknown:
      return read_cookie(socket, connection);
    case Role::control:
      return read_control(socket);
    case Role::stream:
      return read_stream(socket, streams_[connection.stream]);
    case Role::leaving:
      socket.discard(socket.connection().readable());
      return socket.close();
  }
}

void Iperf3Server::tcp_closed(TcpSocket& socket) {
  const auto place = connections_.find(&socket);
  const Connection connection = std::move(place->second);
  connections_.erase(place);
  if (connection.role == Role::stream) streams_[connection.stream].socket = nullptr;
  if (connection.role == Role::control) {
    control_ = nullptr;
    end_test(false);
  }
}

void Iperf3Server::read_cookie(TcpSocket& socket, Connection& connection) {
  while (connection.cookie.size() < kIperf3Cookie) {
    if (socket.connection().readable() == 0) {
      if (socket.connection().at_end_of_stream()) leave(socket);
      return;
    }
    connection.cookie.push_back(static_cast<char>(read_byte(socket)));
  }
  take_cookie(socket, connection);
}

void Iperf3Server::take_cookie(TcpSocket& socket, Connection& connection) {
  if (phase_ == Phase::idle) {
    connection.role = Role::control;
    control_ = &socket;
    control_->no_delay();  // as iperf3's iperf_accept()
    cookie_ = connection.cookie;
    enter(Phase::parameters);
    say(Iperf3State::param_exchange);
    return read_control(socket);
  }
  if (phase_ == Phase::streams && !parameters_.udp && connection.cookie == cookie_) {
    connection.role = Role::stream;
    socket.count_only();
    connection.stream = streams_.size();
    add_stream(&socket, std::nullopt);
    if (connection.role == Role::stream) read_stream(socket, streams_[connection.stream]);
    return;
  }
  ++counters_.denied;
  const std::array<std::uint8_t, 1> denied{static_cast<std::uint8_t>(Iperf3State::access_denied)};
  socket.write(denied);
  leave(socket);
}

// Whatever ends the test makes this connection one that leaves.
void Iperf3Server::read_control(TcpSocket& socket) {
  while (control_ == &socket && socket.connection().readable() > 0) {
    const std::uint8_t byte = read_byte(socket);
    if (phase_ != Phase::parameters && phase_ != Phase::results) {
      take_state(byte);
      continue;
    }
    switch (reader_.take(byte)) {
      case Iperf3MessageReader::Outcome::more:
        break;
      case Iperf3MessageReader::Outcome::message:
        take_message(reader_.message());
        break;
      case Iperf3MessageReader::Outcome::refused:
        phase_ == Phase::parameters ? refuse_parameters() : end_test(false);
        break;
    }
  }
  if (control_ == &socket && socket.connection().at_end_of_stream()) end_test(false);
}

void Iperf3Server::take_state(std::uint8_t byte) {
  const auto state = static_cast<Iperf3State>(byte);
  if (state == Iperf3State::test_end && phase_ == Phase::running) {
    lasted_ = simulation_.now() - started_;
    end_streams();
    enter(Phase::results);
    return say(Iperf3State::exchange_results);
  }
  end_test(state == Iperf3State::iperf_done && phase_ == Phase::done);
}

void Iperf3Server::take_message(const Json& message) {
  if (phase_ == Phase::parameters) {
    const auto parameters = Iperf3Parameters::of(message);
    if (!parameters) return refuse_parameters();
    parameters_ = *parameters;
    enter(Phase::streams);
    return say(Iperf3State::create_streams);
  }
  std::vector<Iperf3StreamResult> results;
  for (const Stream& stream : streams_) results.push_back(result_of(stream));
  const bool receives_only = !parameters_.reverse && !parameters_.bidirectional;
  say(iperf3_frame(iperf3_results(results, receives_only, !receives_only && !parameters_.udp, lasted_)));
  enter(Phase::done);
  say(Iperf3State::display_results);
}

void Iperf3Server::read_stream(TcpSocket& socket, Stream& stream) {
  const std::int64_t count = socket.discard(socket.connection().readable());
  stream.bytes += stream.sends ? 0 : count;
  counters_.received_bytes += count;
  if (socket.connection().at_end_of_stream()) socket.close();
  if (phase_ == Phase::running && stream.sends) pump(stream);
}

// Each phase has its time. A test without a limit of its own may last as long as its client lives.
void Iperf3Server::enter(Phase phase) {
  phase_ = phase;
  simulation_.cancel(patience_);
  if (phase == Phase::idle) return;
  if (phase != Phase::running) return simulation_.schedule_in(patience_, kPatience);
  if (parameters_.time > Duration::zero()) {
    simulation_.schedule_in(patience_, parameters_.time + parameters_.omit + kPatience);
  }
}

void Iperf3Server::say(Iperf3State state) { say(std::string(1, static_cast<char>(state))); }

// The messages of a test are far smaller than a send buffer; one that is not taken ends the test.
void Iperf3Server::say(const std::string& bytes) {
  if (control_ == nullptr) return;
  if (control_->write(bytes_of(bytes)) < static_cast<std::int64_t>(bytes.size())) end_test(false);
}

// iperf3 numbers streams 1, 3, 4, 5, …; the first half of a test in both directions comes toward the server.
void Iperf3Server::add_stream(TcpSocket* socket, std::optional<UdpEnds> ends) {
  const auto index = static_cast<std::int64_t>(streams_.size());
  const bool sends = parameters_.bidirectional ? index >= parameters_.streams : parameters_.reverse;
  const std::int64_t id = index == 0 ? 1 : index + 2;
  Stream& stream =
      streams_.emplace_back(Stream{.id = id, .sends = sends, .socket = socket, .ends = ends, .flow = {}});
  stream.omitted.id = id;
  if (streams_.size() == streams_wanted()) start_test();
}

std::size_t Iperf3Server::streams_wanted() const {
  return static_cast<std::size_t>(parameters_.streams * (parameters_.bidirectional ? 2 : 1));
}

void Iperf3Server::start_test() {
  started_ = simulation_.now();
  say(Iperf3State::test_start);
  enter(Phase::running);
  say(Iperf3State::test_running);
  if (phase_ != Phase::running) return;
  if (parameters_.omit > Duration::zero()) simulation_.schedule_in(omission_, parameters_.omit);
  pump_all();
}

void Iperf3Server::end_streams() {
  simulation_.cancel(tick_);
  simulation_.cancel(omission_);
  for (Stream& stream : streams_) {
    if (stream.socket == nullptr) continue;
    if (stream.sends) {
      const SenderCounters& counters = stream.socket->connection().sender().counters();
      stream.retransmits = static_cast<std::int64_t>(counters.retransmitted_segments);
    }
    leave(*std::exchange(stream.socket, nullptr));
  }
}

void Iperf3Server::end_test(bool well) {
  if (phase_ == Phase::idle) return;
  ++(well ? counters_.tests : counters_.failed_tests);
  enter(Phase::idle);
  end_streams();
  streams_.clear();
  reader_ = {};
  if (control_ != nullptr) leave(*std::exchange(control_, nullptr));
}

// SERVER_ERROR, then iperf3's number of "unable to receive parameters" and no errno.
void Iperf3Server::refuse_parameters() {
  constexpr std::uint8_t kReceiveParameters = 114;
  std::string refusal(9, '\0');
  refusal[0] = static_cast<char>(Iperf3State::server_error);
  refusal[4] = static_cast<char>(kReceiveParameters);
  say(refusal);
  end_test(false);
}

void Iperf3Server::leave(TcpSocket& socket) {
  connections_.at(&socket).role = Role::leaving;
  socket.count_only();
  socket.discard(socket.connection().readable());
  socket.close();
}

void Iperf3Server::pump_all() {
  bool paced = false;
  for (Stream& stream : streams_) {
    if (!stream.sends) continue;
    paced = paced || parameters_.rate > 0;
    pump(stream);
  }
  if (paced) simulation_.schedule_in(tick_, kTick);
}

// Sends what the rate and the buffer allow.
void Iperf3Server::pump(Stream& stream) {
  if (parameters_.udp) {
    for (int n = 0; n < kBurst && allowance(stream) >= parameters_.block; ++n) send_datagram(stream);
    return;
  }
  if (stream.socket == nullptr) return;
  const std::int64_t count = stream.socket->write_virtual(std::max<std::int64_t>(0, allowance(stream)));
  stream.bytes += count;
  counters_.sent_bytes += count;
}

// Bytes that may be sent now.
std::int64_t Iperf3Server::allowance(const Stream& stream) const {
  return parameters_.allowed_after(simulation_.now() - started_) - stream.bytes;
}

void Iperf3Server::send_datagram(Stream& stream) {
  ++stream.datagrams;
  stream.bytes += parameters_.block;
  counters_.sent_bytes += parameters_.block;
  PacketPtr frame = make_iperf3_datagram(
      *stream.ends, {stream.datagrams, simulation_.now()}, static_cast<std::size_t>(parameters_.block),
      parameters_.wide_counters, host_.next_identification(), host_.pool());
  frame ? host_.send(std::move(frame)) : host_.dropped().add(DropReason::pool_exhausted, 1);
}

void Iperf3Server::receive(PacketPtr packet, const IpHeader& datagram, const UdpHeader& header,
                           Interface& /*arrival*/) {
  const UdpEnds ends{.local = datagram.destination(),
                     .remote = datagram.source(),
                     .local_port = header.destination_port(),
                     .remote_port = header.source_port()};
  const auto known = std::ranges::find(streams_, ends, &Stream::ends);
  if (!parameters_.udp || phase_ == Phase::idle || !host_.owns(ends.local)) {
    return host_.drop(DropReason::no_listener, *packet);
  }
  if (phase_ == Phase::streams) {
    reply_to_connect(ends);
    if (known == streams_.end()) add_stream(nullptr, ends);
    return;
  }
  // Datagrams that come after the end are of no test; in the test, those of strangers are not.
  if (known == streams_.end()) return host_.drop(DropReason::no_listener, *packet);
  if (phase_ != Phase::running || known->sends) return;
  for_each_datagram(*packet, header, [&](const UdpDatagram& each) {
    const auto said = read_iperf3_datagram(each, parameters_.wide_counters, known->flow.highest());
    if (!said) return;
    known->flow.add(said->number, said->sent, each.arrival, each.length);
    known->bytes += static_cast<std::int64_t>(each.length);
    counters_.received_bytes += static_cast<std::int64_t>(each.length);
  });
}

void Iperf3Server::reply_to_connect(const UdpEnds& ends) {
  PacketPtr frame =
      make_udp_frame(ends, bytes_of(kIperf3UdpReply), 0, host_.next_identification(), host_.pool());
  frame ? host_.send(std::move(frame)) : host_.dropped().add(DropReason::pool_exhausted, 1);
}

Iperf3StreamResult Iperf3Server::result_of(const Stream& stream) const {
  Iperf3StreamResult result = stream.omitted;
  result.bytes = stream.bytes - stream.omitted.bytes;
  result.retransmits = stream.retransmits;
  result.jitter_ns = stream.flow.jitter_ns();
  result.omitted_errors = stream.omitted.errors;
  result.errors = stream.flow.missing();
  result.omitted_packets = stream.omitted.packets;
  result.packets = stream.sends ? stream.datagrams : stream.flow.highest();
  return result;
}

void Iperf3Server::end_omission() {
  for (Stream& stream : streams_) {
    Iperf3StreamResult now = result_of(stream);
    now.bytes = stream.bytes;
    stream.omitted = now;
  }
}

}  // namespace simcore

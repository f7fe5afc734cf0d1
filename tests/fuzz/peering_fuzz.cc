// SPDX-License-Identifier: MIT
//
// Datagrams from the peer's address, of the right run, into a PeeringPortal: header checks, reassembly, decompression,
// records, channels, the clock. They come over loopback, from a peer that has first answered enough synchronizations
// that the clocks are known. What is looked for: reads outside of a datagram, packets whose description their frame
// does not bear out, segments that no counter knows, arithmetic on instants that nobody should believe.
//
// Input: a run of datagrams: how to help it past the first checks, milliseconds until it is sent, length, bytes.
#include <poll.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <vector>

#include "simcore/packet/train.h"
#include "simcore/portal/peering_portal.h"
#include "simcore/sys/udp_socket.h"
#include "tests/fuzz/input.h"

namespace simcore {
namespace {

using peering::DatagramHeader;
using peering::DatagramKind;
using peering::PieceHeader;
using peering::SyncMessage;

constexpr std::uint64_t kToken = 7;
constexpr std::uint64_t kSession = 1;

// Takes each packet apart, as whatever is behind a portal may.
class TakeApart final : public PacketSink {
 public:
  explicit TakeApart(PacketPool& pool) : pool_(pool) {}
  void accept(PacketPtr packet) override {
    while (packet->segments > 1) {
      const PacketPtr front = split_front(*packet, 1, pool_);
      if (!front) return;
      finish_checksum(*front);
    }
    finish_checksum(*packet);
  }

 private:
  PacketPool& pool_;
};

class Run {
 public:
  Run(const UdpEndpoint& here, const UdpEndpoint& there) : peer_(there, here, kBuffer) {
    PeeringPortal::Config config;
    config.name = "peer";
    config.local = here.text();
    config.remote = there.text();
    config.token = kToken;
    config.kernel_stamps = false;
    config.options.buffer = kBuffer;
    portal_.emplace(
        simulation_, pool_, [this] { return clock_; }, config);
    channel_ = &portal_->channel(0, Duration::ms(10));
    channel_->attach(sink_);
    while (!portal_->synchronized()) {
      pass(Duration::ms(5));
      answer();
    }
  }

  void pass(Duration time) {
    clock_ = clock_ + time;
    simulation_.run_until(clock_);
    portal_->flush();
  }

  void send(std::span<const std::uint8_t> datagram) {
    const iovec part = {const_cast<std::uint8_t*>(datagram.data()), datagram.size()};
    const UdpSocket::Message message = {std::span<const iovec>(&part, 1), 0};
    if (peer_.send(std::span<const UdpSocket::Message>(&message, 1)) != 1) return;
    portal_->poll();  // loopback: it is there when send() returns
  }

  // Every segment that came is somewhere.
  void check() {
    pass(Duration::seconds(2));
    const PeeringPortal::Counters c = portal_->counters();
    const std::uint64_t delivered = channel_->counters().delivered_packets;
    if (c.received_packets != delivered + c.dropped_received.total() + c.in_flight) std::abort();
    if (pool_.in_use() != 0 && c.in_flight == 0) std::abort();
  }

 private:
  static constexpr ByteCount kBuffer = ByteCount::bytes(1 << 20);

  void answer() {
    for (const UdpSocket::Received& received : peer_.receive()) {
      const auto request = peering::read_sync(received.bytes.first(sizeof(SyncMessage)));
      if (!request || request->datagram.kind != DatagramKind::sync_request) continue;
      SyncMessage reply = *request;
      reply.datagram.kind = DatagramKind::sync_reply;
      reply.datagram.flags = peering::kSynchronized;
      reply.datagram.session = kSession;
      reply.request_received_ns = reply.reply_sent_ns = clock_.count_ns();
      std::vector<std::uint8_t> bytes(sizeof reply);
      std::memcpy(bytes.data(), &reply, sizeof reply);
      send(bytes);
    }
  }

  SimTime clock_ = SimTime::zero();
  PacketPool pool_{ByteCount::bytes(std::int64_t{16} << 20)};
  Simulation simulation_{1};
  TakeApart sink_{pool_};
  UdpSocket peer_;
  std::optional<PeeringPortal> portal_;
  PeeringChannel* channel_ = nullptr;
};

// Makes of `bytes` what passes the first checks, as far as `help` says: of this run; and a whole batch in one piece.
std::vector<std::uint8_t> helped(std::span<const std::uint8_t> bytes, std::uint8_t help) {
  std::vector<std::uint8_t> datagram(bytes.begin(), bytes.end());
  if ((help & 1) != 0 && datagram.size() >= sizeof(DatagramHeader)) {
    DatagramHeader header;
    std::memcpy(&header, datagram.data(), sizeof header);
    header.magic = peering::kMagic;
    header.token = kToken;
    header.session = kSession;
    std::memcpy(datagram.data(), &header, sizeof header);
  }
  if ((help & 2) != 0 && datagram.size() > sizeof(PieceHeader)) {
    PieceHeader header;
    std::memcpy(&header, datagram.data(), sizeof header);
    const std::size_t body = datagram.size() - sizeof header;
    header.datagram.kind = DatagramKind::piece;
    header.datagram.flags &= peering::kCompressed;
    header.datagram.piece_size = static_cast<std::uint16_t>(body);
    header.body_size = static_cast<std::uint32_t>(body);
    if (!header.compressed()) header.raw_size = header.body_size;
    header.index = 0;
    std::memcpy(datagram.data(), &header, sizeof header);
  }
  return datagram;
}

// An address of this machine that no other fuzzer uses at the same time.
UdpEndpoint endpoint(std::uint16_t port) {
  return {(127u << 24) + 1 + static_cast<std::uint32_t>(::getpid()), port};
}

}  // namespace
}  // namespace simcore

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace simcore;
  fuzz::Input input(data, size);
  Run run(endpoint(47'000), endpoint(47'001));
  while (!input.empty()) {
    const std::uint8_t help = input.u8();
    run.pass(Duration::ms(input.u8()));
    const std::size_t length = input.u16();
    const std::vector<std::uint8_t> datagram = helped(input.take(length), help);
    if (!datagram.empty()) run.send(datagram);
  }
  run.check();
  return 0;
}

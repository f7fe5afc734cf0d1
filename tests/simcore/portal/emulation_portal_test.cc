// SPDX-License-Identifier: MIT
//
// Every backend, on a real veth pair: p0 is the portal's, p1 the network's. A packet socket on p1 plays the network.
// A TAP has no other end: there the packet socket is on p0 itself, where the kernel is.
#include "simcore/portal/emulation_portal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "simcore/packet/train.h"
#include "simcore/packet/virtio_net_fields.h"
#include "simcore/portal/emulation_portal_factory.h"
#include "simcore/sys/clock.h"
#include "simcore/sys/epoll.h"
#include "simcore/sys/ethtool.h"
#include "simcore/sys/network_device.h"
#include "simcore/sys/packet_socket.h"
#include "simcore/units/error.h"
#include "tests/simcore/kernel/call.h"
#include "tests/simcore/sys/network_namespace.h"

namespace simcore {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::uint16_t kHeaders = 54;  // Ethernet, IPv4, TCP

// A TCP frame with the partial checksum that a sender with checksum offload leaves.
Bytes tcp_frame(std::uint16_t payload) {
  Bytes frame(kHeaders + payload, 0x5a);
  const std::uint16_t ip_length = static_cast<std::uint16_t>(40 + payload);
  const std::uint8_t headers[kHeaders] = {2,
                                          0,
                                          0,
                                          0,
                                          0,
                                          2,
                                          2,
                                          0,
                                          0,
                                          0,
                                          0,
                                          1,
                                          0x08,
                                          0,  // Ethernet
                                          0x45,
                                          0,
                                          static_cast<std::uint8_t>(ip_length >> 8),
                                          static_cast<std::uint8_t>(ip_length),
                                          0,
                                          7,
                                          0x40,
                                          0,
                                          64,
                                          6,
                                          0,
                                          0,  // IPv4
                                          10,
                                          0,
                                          0,
                                          1,
                                          10,
                                          0,
                                          0,
                                          2,  //
                                          0x12,
                                          0x34,
                                          0x56,
                                          0x78,
                                          0,
                                          0,
                                          3,
                                          0xe8,
                                          0,
                                          0,
                                          0,
                                          0,
                                          0x50,
                                          0x10};  // TCP
  std::copy(std::begin(headers), std::end(headers), frame.begin());
  const auto sum_of = [&frame](std::size_t from, std::size_t to) {
    std::uint32_t sum = 0;
    for (std::size_t i = from; i < to; i += 2) sum += frame[i] * 256u + frame[i + 1];
    return sum;
  };
  const auto store = [&frame](std::size_t at, std::uint32_t sum, bool complement) {
    while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
    if (complement) sum = ~sum;
    frame[at] = static_cast<std::uint8_t>(sum >> 8);
    frame[at + 1] = static_cast<std::uint8_t>(sum);
  };
  store(24, sum_of(14, 34), true);
  store(50, sum_of(26, 34) + 6 + 20u + payload, false);
  return frame;
}

VirtioNetHeader partial_checksum() {
  VirtioNetHeader header;
  header.flags = VirtioNetHeader::kNeedsChecksum;
  header.csum_start = 34;
  header.csum_offset = 16;
  return header;
}

// The same frame in VLAN 5, with priority 1.
Bytes tagged(Bytes frame) {
  const std::uint8_t tag[] = {0x81, 0x00, 0x20, 0x05};
  frame.insert(frame.begin() + 12, std::begin(tag), std::end(tag));
  return frame;
}

VirtioNetHeader train_of(std::uint16_t segment_payload) {
  VirtioNetHeader header = partial_checksum();
  header.gso_type = VirtioNetHeader::kGsoTcpv4;
  header.gso_size = segment_payload;
  header.hdr_len = kHeaders;
  return header;
}

bool tcp_checksum_is_right(std::span<const std::uint8_t> frame) {
  std::uint32_t sum = 6 + static_cast<std::uint32_t>(frame.size() - 34);
  for (std::size_t i = 26; i < frame.size(); ++i) sum += i % 2 == 0 ? frame[i] * 256u : frame[i];
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  return sum == 0xffff;
}

class Keep final : public PacketSink {
 public:
  void accept(PacketPtr packet) override {
    packets.push_back(std::move(packet));
    if (on_packet) on_packet();
  }

  std::vector<PacketPtr> packets;
  std::function<void()> on_packet;
};

class EmulationPortalTest : public NetworkNamespaceTest {
 protected:
  void SetUp() override {
    NetworkNamespaceTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    make_devices();
  }

  virtual void make_devices() {
    make_veth("p0", "p1");
    play_network("p1");
  }

  void play_network(const std::string& device) {
    PacketSocket::Options options;
    options.receive_buffer_bytes = 1 << 22;
    network_ = std::make_unique<PacketSocket>(device, options);
    for (std::size_t slot = 0; slot < PacketSocket::kBatch; ++slot) {
      received_[slot].resize(PacketPool::kLargestFrame);
      network_->provide(slot, received_[slot]);
    }
  }

  void make(const std::string& backend, const EmulationPortalOptions& options = {}) {
    EmulationPortal::Config config;
    config.name = "p-p1";
    config.device = "p0";
    config.filter = filter_;
    config.backlog_segments = backlog_;
    portal_ = make_emulation_portal(backend, simulation_, loop_, pool_, config, options);
    portal_->attach(link_);
    loop_.add(*portal_);
  }

  // A portal in whose way so many frames have come at once.
  std::unique_ptr<TapPortal> behind_a_tap(const TapPortal::Options& options, int frames) {
    ip("tuntap add dev tap7 mode tap");
    ip("link set dev tap7 addrgenmode none up");
    EmulationPortal::Config config;
    config.name = "p-tap";
    config.device = "tap7";
    auto portal = std::make_unique<TapPortal>(simulation_, loop_, pool_, config, options);
    portal->attach(link_);
    play_network("tap7");
    for (int i = 0; i < frames; ++i) send(tcp_frame(10));
    return portal;
  }

  std::unique_ptr<PacketSocket> await_kernel_stamps();

  void send(const Bytes& frame, const VirtioNetHeader& header = {}) {
    const PacketSocket::OutgoingFrame outgoing{header, frame, 0};
    const auto result = network_->send({&outgoing, 1});
    ASSERT_EQ(result.sent, 1u) << std::strerror(result.error);
  }

  // Runs until the link has got `count` packets, or two seconds have passed.
  void run_until_captured(std::size_t count) {
    link_.on_packet = [this, count] {
      if (link_.packets.size() >= count) loop_.stop();
    };
    Call give_up([this] { loop_.stop(); });
    simulation_.schedule(give_up, SimTime::at_ns(2'000'000'000));
    loop_.run();
    EXPECT_EQ(link_.packets.size(), count);
  }

  PacketPtr packet(const Bytes& frame, const VirtioNetFields& fields) {
    PacketPtr made = pool_.copy_of(frame);
    EXPECT_TRUE(describe_frame(*made, fields));
    return made;
  }

  PacketPtr train(std::uint16_t payload, std::uint16_t segment_payload) {
    VirtioNetFields fields;
    fields.needs_checksum = true;
    fields.checksum_start = 34;
    fields.checksum_offset = 16;
    fields.train = TrainKind::tcp_ipv4;
    fields.gso_size = segment_payload;
    return packet(tcp_frame(payload), fields);
  }

  // What the network has got since the last call: frames with their headers. Waits until it is that many, as a busy
  // kernel delivers them later, but no longer than two seconds.
  std::vector<std::pair<VirtioNetHeader, Bytes>> arrived(std::size_t expected = 0) {
    std::vector<std::pair<VirtioNetHeader, Bytes>> frames;
    Epoll more;
    more.watch(network_->fd(), 0);
    for (;;) {
      const auto batch = network_->receive();
      for (std::size_t slot = 0; slot < batch.size(); ++slot) {
        const auto first = received_[slot].begin();
        frames.emplace_back(batch[slot].header,
                            Bytes(first, first + static_cast<std::ptrdiff_t>(batch[slot].size)));
      }
      const bool complete = batch.empty() && frames.size() >= expected;
      if (complete || (batch.empty() && more.wait(Duration::seconds(2)).empty())) return frames;
    }
  }

  void expect_balance() {
    const auto counters = portal_->counters();
    EXPECT_EQ(counters.accepted_segments,
              counters.written_segments + counters.dropped_out.total() + counters.in_flight);
    std::uint64_t emitted = 0;
    for (const PacketPtr& kept : link_.packets) emitted += kept->segments;
    EXPECT_EQ(counters.captured_segments, emitted + counters.dropped_in.total());
  }

  std::string filter_ = "ip";
  std::uint64_t backlog_ = 100;
  PacketPool pool_;
  Simulation simulation_{1};
  RunLoop loop_{simulation_, {}};
  Keep link_;
  std::unique_ptr<EmulationPortal> portal_;
  std::unique_ptr<PacketSocket> network_;
  std::array<Bytes, PacketSocket::kBatch> received_;
};

// A backend, with or without a capture thread.
struct Arm {
  const char* backend;
  bool thread = false;

  bool is(std::string_view name) const { return name == backend; }
  bool tap() const { return is("tap"); }
  bool takes_trains() const { return is("packet") || is("tap"); }
  std::string name() const { return std::string(backend) + (thread ? "_in_a_thread" : ""); }
  EmulationPortalOptions options() const {
    EmulationPortalOptions made;
    made.packet.capture_thread = made.tap.capture_thread = made.pcap.capture_thread = thread;
    return made;
  }
};

std::string name_of(const testing::TestParamInfo<Arm>& arm) { return arm.param.name(); }

class AnyBackendTest : public EmulationPortalTest, public testing::WithParamInterface<Arm> {
 protected:
  void make_devices() override {
    if (!GetParam().tap()) return EmulationPortalTest::make_devices();
    ip("tuntap add dev p0 mode tap");
    ip("link set dev p0 addrgenmode none up");
    play_network("p0");
  }

  void make() { EmulationPortalTest::make(GetParam().backend, GetParam().options()); }
};

// Those for which the kernel says when a frame came.
class StampingBackendTest : public AnyBackendTest {};

TEST_P(AnyBackendTest, captures_a_frame_byte_for_byte) {
  make();
  Bytes frame = tcp_frame(300);
  send(frame);
  run_until_captured(1);
  ASSERT_EQ(link_.packets.size(), 1u);
  EXPECT_TRUE(std::equal(frame.begin(), frame.end(), link_.packets[0]->bytes().begin(),
                         link_.packets[0]->bytes().end()));
  const auto counters = portal_->counters();
  EXPECT_EQ(counters.captured_frames, 1u);
  EXPECT_EQ(counters.captured_bytes, frame.size());
  expect_balance();
}

TEST_P(AnyBackendTest, captures_only_what_the_filter_lets_through) {
  filter_ = "tcp port 22136";  // 0x5678
  make();
  Bytes other = tcp_frame(10);
  other[36] = 0;
  send(other);
  send(tcp_frame(20));
  run_until_captured(1);
  ASSERT_EQ(link_.packets.size(), 1u);
  EXPECT_EQ(link_.packets[0]->size(), kHeaders + 20u);
}

TEST_P(AnyBackendTest, captures_a_vlan_tag_that_the_kernel_may_keep_beside_the_frame) {
  filter_.clear();
  make();
  const Bytes frame = tagged(tcp_frame(300));
  send(frame);
  run_until_captured(1);
  ASSERT_EQ(link_.packets.size(), 1u);
  const auto bytes = link_.packets[0]->bytes();
  EXPECT_TRUE(std::equal(frame.begin(), frame.end(), bytes.begin(), bytes.end()));
}

TEST_P(AnyBackendTest, filters_by_vlan_tag_wherever_the_kernel_keeps_it) {
  filter_ = "vlan 5";
  make();
  send(tcp_frame(20));
  Bytes other = tagged(tcp_frame(30));
  other[15] = 6;
  send(other);
  send(tagged(tcp_frame(40)));
  run_until_captured(1);
  ASSERT_EQ(link_.packets.size(), 1u);
  EXPECT_EQ(link_.packets[0]->size(), kHeaders + 4u + 40u);
}

TEST_P(AnyBackendTest, writes_a_tagged_frame) {
  filter_.clear();
  make();
  const Bytes frame = tagged(tcp_frame(300));
  portal_->accept(packet(frame, {}));
  portal_->flush();
  const auto got = arrived(1);
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0].second, frame);
}

TEST_P(AnyBackendTest, captures_and_writes_jumbo_frames_or_says_that_it_cannot) {
  ip("link set dev p0 mtu 9000");
  if (!GetParam().tap()) ip("link set dev p1 mtu 9000");
  if (GetParam().is("xdp")) {
    try {
      make();
      FAIL() << "AF_XDP cannot hold such frames";
    } catch (const EnvironmentError& error) {
      EXPECT_NE(std::string(error.what()).find("MTU is 9000"), std::string::npos);
    }
    return;
  }
  make();
  const Bytes frame = tcp_frame(8'900);
  send(frame);
  run_until_captured(1);
  ASSERT_EQ(link_.packets.size(), 1u);
  EXPECT_EQ(link_.packets[0]->size(), frame.size());
  portal_->accept(std::move(link_.packets[0]));
  link_.packets.clear();
  portal_->flush();
  const auto got = arrived(1);
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0].second, frame);
}

TEST_P(AnyBackendTest, a_sender_with_offloads_is_understood) {
  make();
  send(tcp_frame(4'000), train_of(1'000));
  const bool trains = GetParam().takes_trains();
  run_until_captured(trains ? 1 : 4);
  for (const PacketPtr& packet : link_.packets) {
    EXPECT_EQ(packet->segments, trains ? 4 : 1);
    EXPECT_EQ(packet->checksum_partial, trains);
    EXPECT_TRUE(trains || tcp_checksum_is_right(packet->bytes()));
  }
  EXPECT_TRUE(portal_->notes().empty()) << portal_->notes().front();
  EXPECT_EQ(portal_->counters().captured_segments, 4u);
  expect_balance();
}

TEST_P(AnyBackendTest, a_train_is_written_in_the_largest_pieces_that_the_device_takes) {
  make();
  portal_->accept(train(2'500, 1'000));
  portal_->flush();
  const bool trains = GetParam().takes_trains();
  const auto got = arrived(trains ? 1 : 3);
  ASSERT_EQ(got.size(), trains ? 1u : 3u);
  if (trains) {
    EXPECT_EQ(got[0].second, tcp_frame(2'500));
    EXPECT_EQ(got[0].first.gso_type, VirtioNetHeader::kGsoTcpv4);
    EXPECT_EQ(got[0].first.gso_size, 1'000);
  } else {
    for (const auto& [header, frame] : got) EXPECT_TRUE(tcp_checksum_is_right(frame));
    EXPECT_EQ(got[2].second.size(), kHeaders + 500u);
  }
  EXPECT_EQ(portal_->counters().written_segments, 3u);
  expect_balance();
}

TEST_P(AnyBackendTest, writes_a_frame_and_does_not_capture_it) {
  make();
  const Bytes frame = tcp_frame(300);
  portal_->accept(packet(frame, {}));
  EXPECT_EQ(portal_->counters().in_flight, 1u);
  EXPECT_FALSE(portal_->flush().left);
  const auto got = arrived(1);
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0].second, frame);
  EXPECT_EQ(portal_->poll(), 0u);
  EXPECT_EQ(portal_->counters().captured_frames, 0u);
  expect_balance();
}

TEST_P(AnyBackendTest, writes_virtual_payload_as_zeros) {
  make();
  PacketPtr hollow = packet(Bytes(60, 0x11), {});
  hollow->virtual_payload = 40;
  portal_->accept(std::move(hollow));
  portal_->flush();
  const auto got = arrived(1);
  ASSERT_EQ(got.size(), 1u);
  ASSERT_EQ(got[0].second.size(), 100u);
  EXPECT_EQ(got[0].second[59], 0x11);
  EXPECT_TRUE(std::all_of(got[0].second.begin() + 60, got[0].second.end(),
                          [](std::uint8_t byte) { return byte == 0; }));
}

// The kernel begins to stamp frames a moment after the first socket has asked for it: net_enable_timestamp() leaves the
// switch to a work queue. Until then a stamp is the instant of the read. Ends when stamps are the kernel's, and has the
// socket that asked for them, which keeps them switched on.
std::unique_ptr<PacketSocket> EmulationPortalTest::await_kernel_stamps() {
  auto socket = std::make_unique<PacketSocket>("p0", PacketSocket::Options{});
  Bytes room(PacketPool::kLargestFrame);
  socket->provide(0, room);
  const auto late = std::chrono::milliseconds(4);
  for (int tries = 0; tries < 1'000; ++tries) {
    send(tcp_frame(1));
    const std::int64_t sent_by =
        std::chrono::system_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
    std::this_thread::sleep_for(late);
    const auto batch = socket->receive(1);
    if (!batch.empty() && batch[0].realtime_ns < sent_by + std::chrono::nanoseconds(late / 2).count())
      return socket;
  }
  ADD_FAILURE() << "the kernel stamps no frames";
  return socket;
}

TEST_P(StampingBackendTest, an_arrival_is_the_kernels_instant_and_not_that_of_the_read) {
  const auto keeps_stamps_on = await_kernel_stamps();
  make();
  SimTime sent = SimTime::zero();
  SimTime sent_by = SimTime::zero();
  Call send_then_be_late([&] {
    sent = loop_.wall_now();
    send(tcp_frame(1));
    sent_by = loop_.wall_now();
    // Asleep, not spinning: a real-time thread that spins keeps the kernel from taking the frame in.
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  });
  simulation_.schedule(send_then_be_late, SimTime::zero());
  run_until_captured(1);
  ASSERT_EQ(link_.packets.size(), 1u);
  EXPECT_GE(link_.packets[0]->first_arrival, sent);
  // Half of what the read's own instant would give: the kernel may take the frame in after send() has returned.
  EXPECT_LE(link_.packets[0]->first_arrival, sent_by + Duration::ms(25));
  EXPECT_EQ(simulation_.now(), link_.packets[0]->first_arrival);
}

TEST_P(AnyBackendTest, drops_above_the_backlog_are_counted) {
  backlog_ = 2;
  make();
  for (int i = 0; i < 5; ++i) portal_->accept(packet(tcp_frame(10), {}));
  EXPECT_EQ(portal_->counters().dropped_out.of(DropReason::portal_backlog), 3u);
  portal_->flush();
  EXPECT_EQ(arrived(2).size(), 2u);
  expect_balance();
}

TEST_P(AnyBackendTest, frames_that_a_device_refuses_are_counted) {
  make();
  ip("link set dev p0 down");
  for (int i = 0; i < 3; ++i) portal_->accept(packet(tcp_frame(10), {}));
  EXPECT_FALSE(portal_->flush().left);
  EXPECT_EQ(portal_->counters().dropped_out.of(DropReason::device_refused), 3u);
  expect_balance();
}

TEST_P(StampingBackendTest, a_missing_device_is_named) {
  EmulationPortal::Config config;
  config.name = "p-s1";
  config.device = "nowhere0";
  try {
    make_emulation_portal(GetParam().backend, simulation_, loop_, pool_, config, GetParam().options());
    FAIL() << "made a portal without a device";
  } catch (const EnvironmentError& error) {
    EXPECT_NE(std::string(error.what()).find("nowhere0"), std::string::npos);
  }
}

INSTANTIATE_TEST_SUITE_P(backends, AnyBackendTest,
                         testing::Values(Arm{"packet"}, Arm{"pcap"}, Arm{"tap"}, Arm{"xdp"},
                                         Arm{"packet", true}, Arm{"pcap", true}, Arm{"tap", true}),
                         name_of);
INSTANTIATE_TEST_SUITE_P(backends, StampingBackendTest,
                         testing::Values(Arm{"packet"}, Arm{"pcap"}, Arm{"packet", true}, Arm{"pcap", true}),
                         name_of);

TEST_F(EmulationPortalTest, packet_takes_a_super_packet_as_a_train) {
  make("packet");
  const Bytes frame = tcp_frame(20'000);
  send(frame, train_of(1'448));
  run_until_captured(1);
  ASSERT_EQ(link_.packets.size(), 1u);
  const Packet& train = *link_.packets[0];
  EXPECT_EQ(train.train, TrainKind::tcp_ipv4);
  EXPECT_EQ(train.segments, 14);  // 20,000 / 1,448, rounded up
  EXPECT_EQ(train.size(), frame.size());
  EXPECT_TRUE(train.checksum_partial);
  EXPECT_EQ(portal_->counters().captured_bytes, 20'000u + 14u * kHeaders);
  expect_balance();
}

TEST_F(EmulationPortalTest, packet_writes_a_train_only_when_its_last_segment_has_come) {
  make("packet");
  PacketPtr late = train(3'000, 1'000);
  late->last_arrival = SimTime::at_ns(3'000'000);
  portal_->accept(std::move(late));
  portal_->flush();
  EXPECT_TRUE(arrived().empty());
  Call end([this] { loop_.stop(); });
  simulation_.schedule(end, SimTime::at_ns(3'000'001));
  loop_.run();
  EXPECT_EQ(arrived(1).size(), 1u);
}

TEST_F(EmulationPortalTest, packet_paces_what_it_writes_in_a_turn) {
  EmulationPortalOptions options;
  options.packet.segments_per_flush = 10;
  make("packet", options);
  for (int i = 0; i < 25; ++i) portal_->accept(packet(tcp_frame(1), {}));
  EXPECT_TRUE(portal_->flush().left);
  EXPECT_EQ(arrived(10).size(), 10u);
  EXPECT_TRUE(portal_->flush().left);
  EXPECT_FALSE(portal_->flush().left);
  EXPECT_EQ(arrived(15).size(), 15u);
  expect_balance();
}

TEST_F(EmulationPortalTest, packet_keeps_small_frames_in_small_packets) {
  make("packet");
  send(tcp_frame(100));
  send(tcp_frame(1'400));
  send(tcp_frame(60'000), train_of(1'448));
  run_until_captured(3);
  ASSERT_EQ(link_.packets.size(), 3u);
  EXPECT_LE(link_.packets[0]->capacity(), 256u);
  EXPECT_LE(link_.packets[1]->capacity(), 2'048u);
  EXPECT_GT(link_.packets[2]->capacity(), 60'000u);
}

TEST_F(EmulationPortalTest, packet_turns_gro_on_and_puts_it_back) {
  Ethtool device("p0");
  device.set_feature("rx-gro", false);
  device.set_feature("rx-udp-gro-forwarding", false);
  {
    EmulationPortal::Config config;
    config.name = "p-p1";
    config.device = "p0";
    PacketPortal portal(simulation_, loop_, pool_, config, {});
    EXPECT_EQ(device.feature("rx-gro"), true);
    EXPECT_EQ(device.feature("rx-udp-gro-forwarding"), true);
    EXPECT_TRUE(portal.notes().empty()) << portal.notes().front();
  }
  EXPECT_EQ(device.feature("rx-gro"), false);
  EXPECT_EQ(device.feature("rx-udp-gro-forwarding"), false);
}

TEST_F(EmulationPortalTest, pcap_through_a_raw_ip_socket_leaves_ethernet_to_the_kernel) {
  ip("address add 10.0.0.3/24 dev p0");
  ip("neighbour add 10.0.0.2 lladdr 02:00:00:00:00:99 dev p0");
  EmulationPortalOptions options;
  options.pcap.output = PcapPortal::Output::raw_ip;
  make("pcap", options);
  portal_->accept(train(1'500, 1'000));
  portal_->flush();
  const auto got = arrived(2);
  ASSERT_EQ(got.size(), 2u);
  EXPECT_EQ(got[0].second[5], 0x99) << "the neighbour that the kernel knows";
  for (const auto& [header, frame] : got) EXPECT_TRUE(tcp_checksum_is_right(frame));
  expect_balance();
}

TEST_F(EmulationPortalTest, pcap_through_a_raw_ip_socket_counts_what_is_not_ip) {
  EmulationPortalOptions options;
  options.pcap.output = PcapPortal::Output::raw_ip;
  make("pcap", options);
  Bytes arp = tcp_frame(10);
  arp[13] = 0x06;
  portal_->accept(packet(arp, {}));
  portal_->accept(packet(tagged(tcp_frame(10)), {}));
  EXPECT_FALSE(portal_->flush().left);
  const auto counters = portal_->counters();
  EXPECT_EQ(counters.unsupported[static_cast<std::size_t>(UnsupportedFrame::not_ipv4)], 2u);
  EXPECT_EQ(counters.dropped_out.of(DropReason::unsupported), 2u);
  expect_balance();
}

TEST_F(EmulationPortalTest, a_tap_that_is_made_is_up_and_gone_in_the_end) {
  EmulationPortal::Config config;
  config.name = "p-tap";
  config.device = "tap7";
  {
    TapPortal::Options options;
    options.mtu = 1'400;
    TapPortal portal(simulation_, loop_, pool_, config, options);
    EXPECT_EQ(device_mtu("tap7"), 1'400);
    EXPECT_EQ(std::system("ip link show dev tap7 up | grep -q UP"), 0);
  }
  EXPECT_THROW(device_mtu("tap7"), EnvironmentError);
}

TEST_F(EmulationPortalTest, a_tap_that_was_there_stays) {
  ip("tuntap add dev tap7 mode tap");
  EmulationPortal::Config config;
  config.name = "p-tap";
  config.device = "tap7";
  {
    const TapPortal portal(simulation_, loop_, pool_, config, {});
    try {
      const TapPortal second(simulation_, loop_, pool_, config, {});
      FAIL() << "two portals have one TAP";
    } catch (const EnvironmentError& error) {
      EXPECT_NE(std::string(error.what()).find("another process has it"), std::string::npos);
    }
  }
  EXPECT_GT(device_mtu("tap7"), 0);
}

TEST_F(EmulationPortalTest, what_is_no_tap_is_refused_as_one) {
  try {
    make("tap");
    FAIL() << "made a TAP of a veth";
  } catch (const EnvironmentError& error) {
    EXPECT_NE(std::string(error.what()).find("not a TAP"), std::string::npos);
  }
}

TEST_F(EmulationPortalTest, frames_that_find_the_queue_of_a_tap_full_are_counted) {
  TapPortal::Options options;
  options.queue_frames = 10;
  const auto portal = behind_a_tap(options, 25);
  EXPECT_EQ(portal->counters().kernel_drops, 15u);
  while (portal->poll() > 0) {
  }
  EXPECT_EQ(link_.packets.size(), 10u);
}

TEST_F(EmulationPortalTest, a_poll_after_a_pause_offers_few_places_and_later_ones_more) {
  const auto portal = behind_a_tap({}, 25);
  std::vector<std::size_t> taken;
  while (taken.empty() || taken.back() > 0) taken.push_back(portal->poll());
  EXPECT_EQ(taken,
            (std::vector<std::size_t>{2, 4, 8, 11, 0}));  // 2 + 4 + 8 + 11 = 25, at most 16 the fourth time
}

TEST_F(EmulationPortalTest, xdp_puts_the_settings_of_the_other_end_back) {
  const Ethtool peer("p1");
  const auto before = peer.feature("tx-checksum-ip-generic");
  const auto segmentation = peer.feature("tx-tcp-segmentation");
  make("xdp");
  EXPECT_EQ(peer.feature("tx-checksum-ip-generic"), false);
  EXPECT_TRUE(portal_->notes().empty()) << portal_->notes().front();
  portal_.reset();
  EXPECT_EQ(peer.feature("tx-checksum-ip-generic"), before);
  EXPECT_EQ(peer.feature("tx-tcp-segmentation"), segmentation);
  EXPECT_NE(std::system("ip link show dev p0 | grep -q xdp"), 0) << "its program is gone";
}

TEST_F(EmulationPortalTest, xdp_refuses_a_device_that_another_has) {
  make("xdp");
  EXPECT_THROW(make("xdp"), EnvironmentError);
}

TEST_F(EmulationPortalTest, xdp_refuses_a_device_with_several_queues_and_says_how_to_have_one) {
  ip("link add name q0 numrxqueues 2 numtxqueues 2 type veth peer name q1 numrxqueues 2 numtxqueues 2");
  EmulationPortal::Config config;
  config.name = "p-q";
  config.device = "q0";
  try {
    const XdpPortal portal(simulation_, loop_, pool_, config, {});
    FAIL() << "one queue of two is not enough";
  } catch (const EnvironmentError& error) {
    EXPECT_NE(std::string(error.what()).find("ethtool -L q0"), std::string::npos);
  }
}

TEST_F(EmulationPortalTest, xdp_counts_frames_that_find_its_ring_full) {
  EmulationPortalOptions options;
  options.xdp.ring_frames = 64;
  make("xdp", options);
  for (int i = 0; i < 100; ++i) send(tcp_frame(10));
  const auto counters = portal_->counters();
  EXPECT_EQ(counters.kernel_drops, 36u);
  run_until_captured(64);
  expect_balance();
}

TEST_F(EmulationPortalTest, xdp_counts_what_its_filter_does_not_let_through) {
  filter_ = "udp";
  make("xdp");
  send(tcp_frame(10));
  portal_->poll();
  const auto counters = portal_->backend_counters();
  EXPECT_EQ(
      std::count(counters.begin(), counters.end(), std::pair<std::string_view, std::uint64_t>("filtered", 1)),
      1);
  EXPECT_TRUE(link_.packets.empty());
}

TEST_F(EmulationPortalTest, an_unknown_backend_is_refused) { EXPECT_THROW(make("tun"), ConfigError); }

}  // namespace
}  // namespace simcore

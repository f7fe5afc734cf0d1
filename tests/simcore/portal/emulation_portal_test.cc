// SPDX-License-Identifier: MIT
//
// Both backends, on a real veth pair: p0 is the portal's, p1 the network's. A packet socket on p1 plays the network.
#include "simcore/portal/emulation_portal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "simcore/portal/emulation_portal_factory.h"
#include "simcore/sys/clock.h"
#include "simcore/sys/ethtool.h"
#include "simcore/units/error.h"
#include "simcore/wire/train.h"
#include "simcore/wire/virtio_net_fields.h"
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

class Call final : public Event {
 public:
  explicit Call(std::function<void()> action) : action_(std::move(action)) {}

 private:
  void fire() override { action_(); }

  std::function<void()> action_;
};

class EmulationPortalTest : public NetworkNamespaceTest {
 protected:
  void SetUp() override {
    NetworkNamespaceTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    make_veth("p0", "p1");
    PacketSocket::Options options;
    options.receive_buffer_bytes = 1 << 22;
    network_ = std::make_unique<PacketSocket>("p1", options);
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

  // What the network has got since the last call: frames with their headers.
  std::vector<std::pair<VirtioNetHeader, Bytes>> arrived() {
    std::vector<std::pair<VirtioNetHeader, Bytes>> frames;
    for (;;) {
      const auto batch = network_->receive();
      if (batch.empty()) return frames;
      for (std::size_t slot = 0; slot < batch.size(); ++slot) {
        const auto first = received_[slot].begin();
        frames.emplace_back(batch[slot].header,
                            Bytes(first, first + static_cast<std::ptrdiff_t>(batch[slot].size)));
      }
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

class EitherBackendTest : public EmulationPortalTest, public testing::WithParamInterface<const char*> {};

TEST_P(EitherBackendTest, captures_a_frame_byte_for_byte) {
  make(GetParam());
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

TEST_P(EitherBackendTest, captures_only_what_the_filter_lets_through) {
  filter_ = "tcp port 22136";  // 0x5678
  make(GetParam());
  Bytes other = tcp_frame(10);
  other[36] = 0;
  send(other);
  send(tcp_frame(20));
  run_until_captured(1);
  ASSERT_EQ(link_.packets.size(), 1u);
  EXPECT_EQ(link_.packets[0]->size(), kHeaders + 20u);
}

TEST_P(EitherBackendTest, writes_a_frame_and_does_not_capture_it) {
  make(GetParam());
  const Bytes frame = tcp_frame(300);
  portal_->accept(packet(frame, {}));
  EXPECT_EQ(portal_->counters().in_flight, 1u);
  EXPECT_FALSE(portal_->flush());
  const auto got = arrived();
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0].second, frame);
  EXPECT_FALSE(portal_->poll());
  EXPECT_EQ(portal_->counters().captured_frames, 0u);
  expect_balance();
}

TEST_P(EitherBackendTest, writes_virtual_payload_as_zeros) {
  make(GetParam());
  PacketPtr hollow = packet(Bytes(60, 0x11), {});
  hollow->virtual_payload = 40;
  portal_->accept(std::move(hollow));
  portal_->flush();
  const auto got = arrived();
  ASSERT_EQ(got.size(), 1u);
  ASSERT_EQ(got[0].second.size(), 100u);
  EXPECT_EQ(got[0].second[59], 0x11);
  EXPECT_TRUE(std::all_of(got[0].second.begin() + 60, got[0].second.end(),
                          [](std::uint8_t byte) { return byte == 0; }));
}

TEST_P(EitherBackendTest, an_arrival_is_the_kernels_instant_and_not_that_of_the_read) {
  make(GetParam());
  SimTime sent = SimTime::zero();
  SimTime sent_by = SimTime::zero();
  Call send_then_be_busy([&] {
    sent = loop_.wall_now();
    send(tcp_frame(1));
    sent_by = loop_.wall_now();
    while (loop_.wall_now() < sent_by + Duration::ms(5)) {
    }
  });
  simulation_.schedule(send_then_be_busy, SimTime::zero());
  run_until_captured(1);
  ASSERT_EQ(link_.packets.size(), 1u);
  EXPECT_GE(link_.packets[0]->first_arrival, sent);
  EXPECT_LE(link_.packets[0]->first_arrival, sent_by + Duration::us(100))
      << "the clocks are read one after the other";
  EXPECT_EQ(simulation_.now(), link_.packets[0]->first_arrival);
}

TEST_P(EitherBackendTest, drops_above_the_backlog_are_counted) {
  backlog_ = 2;
  make(GetParam());
  for (int i = 0; i < 5; ++i) portal_->accept(packet(tcp_frame(10), {}));
  EXPECT_EQ(portal_->counters().dropped_out.of(DropReason::portal_backlog), 3u);
  portal_->flush();
  EXPECT_EQ(arrived().size(), 2u);
  expect_balance();
}

TEST_P(EitherBackendTest, frames_that_a_device_refuses_are_counted) {
  make(GetParam());
  ip("link set dev p0 down");
  for (int i = 0; i < 3; ++i) portal_->accept(packet(tcp_frame(10), {}));
  EXPECT_FALSE(portal_->flush());
  EXPECT_EQ(portal_->counters().dropped_out.of(DropReason::device_refused), 3u);
  expect_balance();
}

TEST_P(EitherBackendTest, a_missing_device_is_named) {
  EmulationPortal::Config config;
  config.name = "p-s1";
  config.device = "nowhere0";
  try {
    make_emulation_portal(GetParam(), simulation_, loop_, pool_, config);
    FAIL() << "made a portal without a device";
  } catch (const EnvironmentError& error) {
    EXPECT_NE(std::string(error.what()).find("nowhere0"), std::string::npos);
  }
}

INSTANTIATE_TEST_SUITE_P(backends, EitherBackendTest, testing::Values("packet", "pcap"),
                         [](const auto& backend) { return std::string(backend.param); });

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

TEST_F(EmulationPortalTest, packet_writes_a_train_as_one_super_packet) {
  make("packet");
  portal_->accept(train(20'000, 1'448));
  portal_->flush();
  const auto got = arrived();
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0].second, tcp_frame(20'000));
  EXPECT_EQ(got[0].first.gso_type, VirtioNetHeader::kGsoTcpv4);
  EXPECT_EQ(got[0].first.gso_size, 1'448);
  EXPECT_EQ(portal_->counters().written_segments, 14u);
}

TEST_F(EmulationPortalTest, pcap_writes_a_train_as_finished_single_frames) {
  make("pcap");
  portal_->accept(train(2'500, 1'000));
  portal_->flush();
  const auto got = arrived();
  ASSERT_EQ(got.size(), 3u);
  for (const auto& [header, frame] : got) EXPECT_TRUE(tcp_checksum_is_right(frame));
  EXPECT_EQ(got[2].second.size(), kHeaders + 500u);
  expect_balance();
}

TEST_F(EmulationPortalTest, pcap_gets_single_finished_frames_of_a_sender_with_offloads) {
  make("pcap");
  send(tcp_frame(4'000), train_of(1'000));
  run_until_captured(4);
  ASSERT_EQ(link_.packets.size(), 4u);
  for (const PacketPtr& packet : link_.packets) EXPECT_TRUE(tcp_checksum_is_right(packet->bytes()));
  EXPECT_TRUE(portal_->notes().empty()) << portal_->notes().front();
}

TEST_F(EmulationPortalTest, packet_puts_a_stripped_vlan_tag_back) {
  filter_.clear();
  make("packet");
  Bytes tagged = tcp_frame(300);
  const std::uint8_t tag[] = {0x81, 0x00, 0x20, 0x05};  // priority 1, VLAN 5
  tagged.insert(tagged.begin() + 12, std::begin(tag), std::end(tag));
  VirtioNetHeader header = partial_checksum();
  header.csum_start = 38;
  send(tagged, header);
  run_until_captured(1);
  ASSERT_EQ(link_.packets.size(), 1u);
  const Packet& packet = *link_.packets[0];
  EXPECT_TRUE(std::equal(tagged.begin(), tagged.end(), packet.bytes().begin(), packet.bytes().end()));
  EXPECT_EQ(packet.checksum_start, 38);
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
  EXPECT_EQ(arrived().size(), 1u);
}

TEST_F(EmulationPortalTest, packet_paces_what_it_writes_in_a_turn) {
  EmulationPortalOptions options;
  options.packet.segments_per_flush = 10;
  make("packet", options);
  for (int i = 0; i < 25; ++i) portal_->accept(packet(tcp_frame(1), {}));
  EXPECT_TRUE(portal_->flush());
  EXPECT_EQ(arrived().size(), 10u);
  EXPECT_TRUE(portal_->flush());
  EXPECT_FALSE(portal_->flush());
  EXPECT_EQ(arrived().size(), 15u);
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

TEST_F(EmulationPortalTest, an_unknown_backend_is_refused) { EXPECT_THROW(make("tap"), ConfigError); }

}  // namespace
}  // namespace simcore

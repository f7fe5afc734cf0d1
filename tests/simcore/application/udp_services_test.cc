// SPDX-License-Identifier: MIT
#include "simcore/application/udp_services.h"

#include <vector>

#include "simcore/application/chargen_pattern.h"
#include "simcore/stack/udp_datagrams.h"
#include "tests/simcore/stack/host_pair.h"

namespace simcore {
namespace {

class Listener final : public UdpListener {
 public:
  void receive(PacketPtr packet, const IpHeader&, const UdpHeader& header, Interface&) override {
    for_each_datagram(*packet, header, [&](const UdpDatagram& each) {
      payloads.emplace_back(each.stored.begin(), each.stored.end());
      lengths.push_back(each.length);
    });
  }
  std::vector<std::vector<std::uint8_t>> payloads;
  std::vector<std::size_t> lengths;
};

class UdpServicesTest : public testing::HostPair {
 protected:
  UdpServicesTest() {
    server_.udp().bind(7, echo_);
    server_.udp().bind(19, chargen_);
    client_.udp().bind(5'000, listener_);
  }
  void send(std::uint16_t port, std::uint16_t from, std::span<const std::uint8_t> payload,
            std::size_t unstored = 0) {
    const UdpEnds ends{.local = Ipv4Address::parse("10.0.0.1"),
                       .remote = at_server_,
                       .local_port = from,
                       .remote_port = port};
    client_.send(make_udp_frame(ends, payload, unstored, 1, pool_));
  }

  UdpEcho echo_{server_};
  UdpChargen chargen_{simulation_, server_};
  Listener listener_;
};

TEST_F(UdpServicesTest, an_echo_gives_the_payload_back_stored_and_virtual) {
  const std::vector<std::uint8_t> payload{1, 2, 3};
  send(7, 5'000, payload, 500);
  run(Duration::ms(100));
  ASSERT_EQ(listener_.payloads.size(), 1U);
  EXPECT_EQ(listener_.payloads[0], payload);
  EXPECT_EQ(listener_.lengths[0], 503U);
  EXPECT_EQ(echo_.answered(), 1);
}

TEST_F(UdpServicesTest, a_character_generator_answers_with_up_to_512_characters) {
  for (int i = 0; i < 20; ++i) send(19, 5'000, {});
  run(Duration::ms(100));
  ASSERT_EQ(listener_.payloads.size(), 20U);
  std::vector<std::uint8_t> text(512);
  write_chargen(0, text);
  for (const auto& payload : listener_.payloads) {
    ASSERT_LE(payload.size(), 512U);
    EXPECT_TRUE(std::equal(payload.begin(), payload.end(), text.begin()));
  }
}

TEST_F(UdpServicesTest, services_do_not_answer_each_other) {
  send(7, 19, {});
  send(19, 7, {});
  run(Duration::seconds(1));
  EXPECT_EQ(echo_.answered() + chargen_.answered(), 0);
  EXPECT_EQ(server_.dropped().of(DropReason::no_listener), 2U);
}

TEST(ChargenPattern, lines_are_shifted_by_one_and_end_in_crlf) {
  std::array<std::uint8_t, 148> text;
  write_chargen(0, text);
  EXPECT_EQ(text[0], ' ');
  EXPECT_EQ(text[72], '\r');
  EXPECT_EQ(text[73], '\n');
  EXPECT_EQ(text[74], '!');
  std::array<std::uint8_t, 10> later;
  write_chargen(70, later);
  EXPECT_TRUE(std::equal(later.begin(), later.end(), text.begin() + 70));
}

}  // namespace
}  // namespace simcore

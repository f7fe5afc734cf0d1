// SPDX-License-Identifier: MIT
//
// What a portal does with what a device gives and refuses, without a device: a fake one plays the kernel.
#include "simcore/portal/vnet_portal.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <utility>
#include <vector>

#include "simcore/sys/event_fd.h"
#include "simcore/units/error.h"

namespace simcore {
namespace {

class FakeDevice final : public VnetDevice {
 public:
  int fd() const override { return event_.fd(); }

  std::span<const ReceivedFrame> receive(std::size_t) override {
    error_ = std::exchange(error_to_come, 0);
    if (to_come.empty()) return {};
    given_ = std::exchange(to_come, {});
    return given_;
  }

  SendResult send(std::span<const OutgoingFrame> frames) override {
    for (std::size_t i = 0; i < frames.size(); ++i) {
      ++offered;
      if (refusal != 0 && frames[i].bytes.size() > takes) return {i, refusal};
    }
    return {frames.size(), 0};
  }

  std::uint64_t kernel_drops() override { return 0; }

  std::vector<ReceivedFrame> to_come;
  int error_to_come = 0;
  int refusal = 0;
  std::size_t takes = 0;  // so many bytes at most, while it refuses
  int offered = 0;        // frames, as often as they were

 private:
  EventFd event_;
  std::vector<ReceivedFrame> given_;
};

class TestPortal final : public VnetPortal {
 public:
  TestPortal(Simulation& simulation, RunLoop& loop, PacketPool& pool, std::unique_ptr<VnetDevice> device,
             const VnetOptions& options = {},
             const Config& config = {.name = "p", .device = "d", .filter = {}})
      : VnetPortal(simulation, loop, pool, config, std::move(device), options) {}
};

class Discard final : public PacketSink {
 public:
  void accept(PacketPtr) override { ++count; }
  int count = 0;
};

class VnetPortalTest : public testing::Test {
 protected:
  VnetPortalTest() { portal_.attach(link_); }

  void comes(std::size_t size, std::uint8_t gso_type = VirtioNetHeader::kGsoNone) {
    VnetDevice::ReceivedFrame frame{size, {}, 1};
    frame.header.gso_type = gso_type;
    device_.to_come.push_back(frame);
  }

  std::uint64_t unsupported(UnsupportedFrame kind) {
    return portal_.counters().unsupported[static_cast<std::size_t>(kind)];
  }

  PacketPool pool_;
  Simulation simulation_{1};
  RunLoop loop_{simulation_, {}};
  Discard link_;
  std::unique_ptr<FakeDevice> made_ = std::make_unique<FakeDevice>();
  FakeDevice& device_ = *made_;
  TestPortal portal_{simulation_, loop_, pool_, std::move(made_)};
};

TEST_F(VnetPortalTest, what_it_cannot_carry_is_counted_by_kind) {
  constexpr std::uint8_t kUfo = 3;  // fragmented datagrams: no train is like that
  comes(100, kUfo);
  comes(PacketPool::kLargestFrame + 1);
  comes(60);
  portal_.poll();
  EXPECT_EQ(unsupported(UnsupportedFrame::offload_kind), 1u);
  EXPECT_EQ(unsupported(UnsupportedFrame::oversize), 1u);
  EXPECT_EQ(portal_.counters().dropped_in.of(DropReason::unsupported), 2u);
  EXPECT_EQ(portal_.counters().captured_segments, 3u);
  EXPECT_EQ(link_.count, 1);
}

TEST_F(VnetPortalTest, a_kind_that_the_kernel_cannot_describe_counts_as_unsupported) {
  device_.error_to_come = EINVAL;
  portal_.poll();
  EXPECT_EQ(unsupported(UnsupportedFrame::offload_kind), 1u);
  EXPECT_EQ(portal_.counters().capture_errors, 0u);
}

TEST_F(VnetPortalTest, another_error_of_a_read_is_counted_and_drops_nothing) {
  device_.error_to_come = ENETDOWN;
  portal_.poll();
  EXPECT_EQ(portal_.counters().capture_errors, 1u);
  EXPECT_EQ(portal_.counters().captured_segments, 0u);
}

TEST_F(VnetPortalTest, a_frame_shorter_than_its_header_is_malformed) {
  comes(13);
  portal_.poll();
  EXPECT_EQ(portal_.counters().dropped_in.of(DropReason::malformed), 1u);
}

TEST_F(VnetPortalTest, a_device_without_room_is_counted_and_tried_again) {
  for (const int error : {EAGAIN, ENOBUFS}) {
    device_.refusal = error;
    portal_.accept(pool_.make(60));
    EXPECT_TRUE(portal_.flush().left);
    EXPECT_EQ(portal_.counters().in_flight, 1u);
    device_.refusal = 0;
    while (portal_.flush().left) continue;  // after ENOBUFS the next offer is 20 us later
  }
  EXPECT_EQ(portal_.counters().device_busy, 2u);
  EXPECT_EQ(portal_.counters().written_segments, 2u);
  EXPECT_EQ(portal_.counters().dropped_out.total(), 0u);
}

TEST_F(VnetPortalTest, a_frame_that_is_refused_for_good_is_dropped_alone) {
  device_.refusal = EMSGSIZE;
  portal_.accept(pool_.make(60));
  EXPECT_FALSE(portal_.flush().left);
  EXPECT_EQ(portal_.counters().dropped_out.of(DropReason::device_refused), 1u);
}

TEST_F(VnetPortalTest, a_frame_larger_than_the_other_end_takes_does_not_hold_up_those_behind_it) {
  device_.refusal = ENOBUFS;
  device_.takes = 600;
  portal_.accept(pool_.make(1000));
  portal_.accept(pool_.make(60));
  const SimTime began = loop_.turn_now();
  while (portal_.flush().left) continue;
  EXPECT_GE(loop_.turn_now() - began, DeviceRefusals::kPatience);
  EXPECT_LE(device_.offered,
            1 + 13 + 1);  // after 0, 20, 60, 140 us ..., at last after 164 ms; and the small one
  EXPECT_EQ(portal_.counters().dropped_out.of(DropReason::device_refused), 1u);
  EXPECT_EQ(portal_.counters().written_segments, 1u);

  // Now it is known.
  for (const std::size_t size : {1000u, 60u, 1400u, 600u}) portal_.accept(pool_.make(size));
  EXPECT_FALSE(portal_.flush().left);
  EXPECT_EQ(portal_.counters().dropped_out.of(DropReason::device_refused), 3u);
  EXPECT_EQ(portal_.counters().written_segments, 3u);

  // Until the device takes such a frame: then the next one may have met a full queue.
  device_.refusal = 0;
  portal_.accept(pool_.make(1000));
  EXPECT_FALSE(portal_.flush().left);
  device_.refusal = ENOBUFS;
  portal_.accept(pool_.make(1000));
  EXPECT_TRUE(portal_.flush().left);
}

TEST_F(VnetPortalTest, options_out_of_range_are_refused) {
  VnetPortal::VnetOptions options;
  options.segments_per_flush = 0;
  EXPECT_THROW(TestPortal(simulation_, loop_, pool_, std::make_unique<FakeDevice>(), options), ConfigError);
}

TEST_F(VnetPortalTest, one_that_begins_later_takes_nothing_of_the_pool_before_and_gives_all_of_it_back) {
  PacketPool pool;
  for (const bool capture_thread : {false, true}) {
    EmulationPortal::Config config;
    config.name = "p";
    config.device = "d";
    config.begins_later = true;
    VnetPortal::VnetOptions options;
    options.capture_thread = capture_thread;
    TestPortal portal(simulation_, loop_, pool, std::make_unique<FakeDevice>(), options, config);
    EXPECT_EQ(pool.in_use(), 0u);
    portal.attach(link_);
    portal.begin();
    EXPECT_GT(pool.in_use(), 0u);
    for (int i = 0; i < 3; ++i) portal.accept(pool.make(60));
    portal.stop_capture();
    portal.drop_all();
    EXPECT_EQ(pool.in_use(), 0u);
    EXPECT_EQ(portal.counters().dropped_out.of(DropReason::removed), 3u);
    EXPECT_EQ(portal.counters().in_flight, 0u);
  }
}

}  // namespace
}  // namespace simcore

// SPDX-License-Identifier: MIT
//
// A portal at p0 of a real veth pair p0 === p1, where p1 is the neighbour's.
#include "simcore/portal/device_carriers.h"

#include <gtest/gtest.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "simcore/portal/emulation_portal_factory.h"
#include "simcore/sys/network_device.h"
#include "simcore/sys/thread.h"
#include "tests/simcore/sys/network_namespace.h"

namespace simcore {
namespace {

class DeviceCarriersTest : public NetworkNamespaceTest {
 protected:
  void SetUp() override {
    NetworkNamespaceTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    make_veth("p0", "p1");
    EmulationPortal::Config config;
    config.name = "p-p1";
    config.device = "p0";
    portal_ = make_emulation_portal("packet", simulation_, loop_, pool_, config, {});
    carriers_ = std::make_unique<DeviceCarriers>(
        [this](const EmulationPortal& /*portal*/, bool there) { heard_.push_back(there); });
    carriers_->add(*portal_, device_index("p0"));
  }

  // Whether p1 has a carrier becomes that.
  bool neighbour_becomes(bool carrier) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    const FileDescriptor socket = open_control_socket();
    const auto there = [&socket] {
      ifreq request{};
      std::string("p1").copy(request.ifr_name, IFNAMSIZ - 1);
      EXPECT_EQ(::ioctl(socket.get(), SIOCGIFFLAGS, &request), 0);
      return (request.ifr_flags & IFF_RUNNING) != 0;
    };
    while (there() != carrier && std::chrono::steady_clock::now() < end) turn();
    return there() == carrier;
  }
  // What it has said of carriers so far becomes that.
  bool hears(const std::vector<bool>& all) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    while (heard_ != all && std::chrono::steady_clock::now() < end) turn();
    return heard_ == all;
  }
  void turn() {
    if (!carriers_) return;
    pollfd waiting{.fd = carriers_->fd(), .events = POLLIN, .revents = 0};
    ::poll(&waiting, 1, 10);
    carriers_->poll();
    carriers_->flush();
  }

  Simulation simulation_{1};
  PacketPool pool_;
  RunLoop loop_{simulation_, {}};
  std::unique_ptr<EmulationPortal> portal_;
  std::unique_ptr<DeviceCarriers> carriers_;
  std::vector<bool> heard_;
};

TEST_F(DeviceCarriersTest, a_link_that_goes_down_takes_the_neighbours_carrier_away) {
  turn();  // the kernel says that it is a veth pair
  portal_->link_changed(false);
  EXPECT_TRUE(neighbour_becomes(false));
  portal_->link_changed(true);
  EXPECT_TRUE(neighbour_becomes(true));
  EXPECT_TRUE(heard_.empty());  // it was this side's doing
}

TEST_F(DeviceCarriersTest, a_neighbour_that_goes_down_takes_the_link_down) {
  turn();
  take_down("p1");
  EXPECT_TRUE(hears({false}));
  bring_up("p1");
  EXPECT_TRUE(hears({false, true}));
}

TEST_F(DeviceCarriersTest, what_it_set_down_is_up_when_it_is_gone) {
  turn();
  portal_->link_changed(false);
  EXPECT_TRUE(neighbour_becomes(false));
  carriers_.reset();
  EXPECT_TRUE(neighbour_becomes(true));
}

TEST_F(DeviceCarriersTest, what_it_set_down_is_up_when_it_is_followed_no_more) {
  turn();
  portal_->link_changed(false);
  EXPECT_TRUE(neighbour_becomes(false));
  carriers_->remove(*portal_);
  EXPECT_TRUE(neighbour_becomes(true));
  portal_->link_changed(false);
  take_down("p1");
  turn();
  EXPECT_TRUE(heard_.empty());
  carriers_->remove(*portal_);  // which is no error
}

TEST_F(DeviceCarriersTest, what_is_followed_already_keeps_what_is_known_of_it) {
  turn();
  portal_->link_changed(false);
  EXPECT_TRUE(neighbour_becomes(false));
  carriers_->add(*portal_, device_index("p0"));
  portal_->link_changed(true);
  EXPECT_TRUE(neighbour_becomes(true));
}

TEST_F(DeviceCarriersTest, a_loop_of_real_time_that_starts_it_lends_its_thread_no_priority) {
  carriers_.reset();
  if (!try_fifo_priority(1)) GTEST_SKIP() << "no thread may run under SCHED_FIFO here";
  carriers_ = std::make_unique<DeviceCarriers>([](const EmulationPortal&, bool) {});
  leave_fifo();
  carriers_->add(*portal_, device_index("p0"));
  turn();
  portal_->link_changed(false);
  EXPECT_TRUE(neighbour_becomes(false));  // so its thread runs
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    EXPECT_EQ(::sched_getscheduler(std::stoi(task.path().filename())), SCHED_OTHER) << task.path();
  }
}

}  // namespace
}  // namespace simcore

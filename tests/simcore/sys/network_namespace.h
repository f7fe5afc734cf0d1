// SPDX-License-Identifier: MIT
//
// For tests that need real devices: the calling thread in a network namespace of its own, with a sysfs that shows it.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "simcore/sys/checked_call.h"
#include "simcore/sys/file_descriptor.h"

namespace simcore {

// Such tests are skipped without root; the rest of the suite needs none.
class NetworkNamespaceTest : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "this test makes network devices: run it as root";
    for (std::size_t i = 0; i < kKinds.size(); ++i) {
      const std::string path = std::string("/proc/thread-self/ns/") + kKinds[i].name;
      before_[i] = FileDescriptor(checked(::open(path.c_str(), O_RDONLY | O_CLOEXEC), "open " + path));
    }
    folder_ = std::filesystem::current_path();
    if (::unshare(CLONE_NEWNET | CLONE_NEWNS) != 0) GTEST_SKIP() << "this root may not make namespaces";
    entered_ = true;
    ASSERT_EQ(::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr), 0);
    ASSERT_EQ(::mount("sysfs", "/sys", "sysfs", 0, nullptr), 0);
  }

  // Goes back, and with that the namespaces and all that is in them are gone. Not in TearDown(): what a test made
  // lives until its fixture is destroyed, and puts settings back.
  ~NetworkNamespaceTest() override {
    if (!entered_) return;
    // A thread that the test has joined may hold its share of this thread's root a little longer, and who shares that
    // cannot change its mount namespace.
    EXPECT_EQ(::unshare(CLONE_FS), 0);
    for (std::size_t i = 0; i < kKinds.size(); ++i) {
      EXPECT_EQ(::setns(before_[i].get(), kKinds[i].flag), 0)
          << "back to the " << kKinds[i].name << " namespace";
    }
    std::filesystem::current_path(folder_);  // entering a mount namespace leads to its root
  }

  static void ip(const std::string& arguments) {
    ASSERT_EQ(std::system(("ip " + arguments).c_str()), 0) << "ip " << arguments;
  }

  // Without IPv6 addresses, whose neighbour discovery would be captured besides what the test sends.
  static void make_veth(const std::string& one, const std::string& other) {
    ip("link add name " + one + " type veth peer name " + other);
    for (const std::string& device : {one, other}) ip("link set dev " + device + " addrgenmode none up");
    for (const std::string& device : {one, other}) await_carrier(device);
  }

  // The kernel takes notice of a carrier some time after it is there; until then it throws away what is sent.
  static void await_carrier(const std::string& device) {
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    for (std::string state; state != "up";) {
      ASSERT_LT(std::chrono::steady_clock::now(), give_up) << device << " is " << state;
      std::ifstream("/sys/class/net/" + device + "/operstate") >> state;
      std::this_thread::yield();
    }
  }

 private:
  struct Kind {
    const char* name;
    int flag;
  };
  static constexpr std::array<Kind, 2> kKinds{{{"net", CLONE_NEWNET}, {"mnt", CLONE_NEWNS}}};

  bool entered_ = false;
  std::array<FileDescriptor, 2> before_;
  std::filesystem::path folder_;
};

}  // namespace simcore

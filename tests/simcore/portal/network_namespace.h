// SPDX-License-Identifier: MIT
//
// For tests that need real devices: the calling thread in a network namespace of its own, with a sysfs that shows it.
#pragma once

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace simcore {

// Such tests are skipped without root; the rest of the suite needs none.
class NetworkNamespaceTest : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "this test makes network devices: run it as root";
    if (::unshare(CLONE_NEWNET | CLONE_NEWNS) != 0) GTEST_SKIP() << "this root may not make namespaces";
    ASSERT_EQ(::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr), 0);
    ASSERT_EQ(::mount("sysfs", "/sys", "sysfs", 0, nullptr), 0);
  }

  // The namespace goes with the process that ctest starts for each test; within one process each test makes another.
  static void ip(const std::string& arguments) {
    ASSERT_EQ(std::system(("ip " + arguments).c_str()), 0) << "ip " << arguments;
  }

  // Without IPv6 addresses, whose neighbour discovery would be captured besides what the test sends.
  static void make_veth(const std::string& one, const std::string& other) {
    ip("link add name " + one + " type veth peer name " + other);
    for (const std::string& device : {one, other}) ip("link set dev " + device + " addrgenmode none up");
  }
};

}  // namespace simcore

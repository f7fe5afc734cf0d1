// SPDX-License-Identifier: MIT
#include "simcore/sys/network_device.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string>

#include "simcore/sys/file_descriptor.h"
#include "simcore/units/error.h"
#include "tests/simcore/sys/network_namespace.h"

namespace simcore {
namespace {

class NetworkDeviceTest : public NetworkNamespaceTest {};

// A process in another network namespace, for as long as the object lives.
class OtherNamespace {
 public:
  OtherNamespace() {
    std::array<int, 2> begun{};
    std::array<int, 2> end{};
    if (::pipe(begun.data()) != 0 || ::pipe(end.data()) != 0) ADD_FAILURE() << "no pipes";
    process_ = ::fork();
    char byte = 0;
    if (process_ == 0) {
      ::close(end[1]);
      if (::unshare(CLONE_NEWNET) != 0 || ::write(begun[1], &byte, 1) != 1) ::_exit(1);
      ::_exit(static_cast<int>(::read(end[0], &byte, 1)));  // until the other process closes its end
    }
    ::close(begun[1]);
    ::close(end[0]);
    begun_ = FileDescriptor(begun[0]);
    end_ = FileDescriptor(end[1]);
    EXPECT_EQ(::read(begun_.get(), &byte, 1), 1) << "the process has no namespace";
  }
  ~OtherNamespace() {
    end_.close();
    int status = 0;
    ::waitpid(process_, &status, 0);
  }

  pid_t process() const { return process_; }

 private:
  pid_t process_ = -1;
  FileDescriptor begun_;
  FileDescriptor end_;
};

TEST_F(NetworkDeviceTest, the_other_end_of_a_veth_pair_is_found) {
  make_veth("p0", "p1");
  EXPECT_EQ(veth_peer("p0"), "p1");
  EXPECT_EQ(veth_peer("p1"), "p0");
}

TEST_F(NetworkDeviceTest, an_other_end_in_another_namespace_is_not_mistaken_for_a_device_here) {
  const OtherNamespace other;
  make_veth("p0", "p1");  // the indexes 2 and 3; in the other namespace p1 would be 2 or 3 as well
  ip("link set dev p1 netns " + std::to_string(other.process()));
  make_veth("q0", "q1");
  EXPECT_EQ(veth_peer("p0"), std::nullopt);
}

TEST_F(NetworkDeviceTest, a_device_without_another_end_has_none) { EXPECT_EQ(veth_peer("lo"), std::nullopt); }

TEST_F(NetworkDeviceTest, the_mtu_is_the_devices) {
  make_veth("p0", "p1");
  ip("link set dev p0 mtu 1450");
  EXPECT_EQ(device_mtu("p0"), 1450);
}

TEST_F(NetworkDeviceTest, a_device_that_is_not_there_is_named) {
  try {
    device_mtu("nowhere0");
    FAIL() << "found a device that does not exist";
  } catch (const EnvironmentError& error) {
    EXPECT_NE(std::string(error.what()).find("nowhere0"), std::string::npos);
  }
}

}  // namespace
}  // namespace simcore

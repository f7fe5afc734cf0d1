// SPDX-License-Identifier: MIT
#include "simcore/sys/ethtool.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "simcore/sys/checked_call.h"
#include "simcore/sys/file_descriptor.h"
#include "simcore/sys/sysfs_setting.h"
#include "simcore/units/error.h"
#include "tests/simcore/sys/network_namespace.h"

namespace simcore {
namespace {

class EthtoolTest : public NetworkNamespaceTest {
 protected:
  void SetUp() override {
    NetworkNamespaceTest::SetUp();
    if (!IsSkipped() && !HasFatalFailure()) make_veth("p0", "p1");
  }

  static std::string flush_timeout(const std::string& device) {
    std::ifstream file("/sys/class/net/" + device + "/gro_flush_timeout");
    std::string value;
    file >> value;
    return value;
  }
};

TEST_F(EthtoolTest, a_guard_puts_features_back) {
  Ethtool device("p0");
  ASSERT_TRUE(device.set_feature("tx-tcp-segmentation", true));
  {
    FeatureGuard guard("p0");
    EXPECT_TRUE(guard.set("tx-tcp-segmentation", false));
    EXPECT_EQ(device.feature("tx-tcp-segmentation"), false);
  }
  EXPECT_EQ(device.feature("tx-tcp-segmentation"), true);
}

TEST_F(EthtoolTest, a_feature_that_the_kernel_does_not_know_is_not_set) {
  Ethtool device("p0");
  EXPECT_EQ(device.feature("rx-telepathy"), std::nullopt);
  EXPECT_FALSE(device.set_feature("rx-telepathy", true));
}

TEST_F(EthtoolTest, a_guard_outlives_its_device) {
  FeatureGuard guard("p0");
  guard.set("rx-gro", true);
  ip("link del p0");
}

TEST_F(EthtoolTest, a_sysfs_setting_is_put_back) {
  ASSERT_EQ(flush_timeout("p0"), "0");
  {
    const SysfsSetting setting("p0", "gro_flush_timeout", 50'000);
    EXPECT_EQ(setting.failure(), std::nullopt);
    EXPECT_EQ(flush_timeout("p0"), "50000");
  }
  EXPECT_EQ(flush_timeout("p0"), "0");
}

TEST_F(EthtoolTest, another_namespaces_device_of_that_name_is_left_alone) {
  // A further namespace, of which this /sys knows nothing, with devices of the same names. The first one stays.
  const FileDescriptor first(
      checked(::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC), "open the namespace"));
  ASSERT_EQ(::unshare(CLONE_NEWNET), 0);
  make_veth("p0", "p1");
  const SysfsSetting setting("p0", "gro_flush_timeout", 50'000);
  EXPECT_TRUE(setting.failure());
  EXPECT_EQ(flush_timeout("p0"), "0");
}

}  // namespace
}  // namespace simcore

// SPDX-License-Identifier: MIT
#include "simcore/units/error.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <string>

namespace simcore {
namespace {

TEST(SystemError, namesTheAttemptAndWhatTheKernelSaid) {
  const SystemError error("open device eth9", ENODEV);
  EXPECT_EQ(error.error_number(), ENODEV);
  EXPECT_EQ(std::string(error.what()), "open device eth9: No such device");
}

TEST(Error, everyErrorIsCaughtAsOne) {
  EXPECT_THROW(throw ConfigError("x"), Error);
  EXPECT_THROW(throw EnvironmentError("x"), Error);
  EXPECT_THROW(throw SystemError("x", EPERM), Error);
}

}  // namespace
}  // namespace simcore

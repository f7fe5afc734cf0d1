// SPDX-License-Identifier: MIT
#include "simcore/sys/file_descriptor.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <utility>

#include "simcore/sys/checked_call.h"

namespace simcore {
namespace {

bool is_open(int fd) { return ::fcntl(fd, F_GETFD) != -1; }

FileDescriptor open_null() {
  return FileDescriptor(checked(::open("/dev/null", O_RDONLY), "open /dev/null"));
}

TEST(FileDescriptorTest, closes_in_the_end) {
  int fd = -1;
  {
    const FileDescriptor owner = open_null();
    fd = owner.get();
    EXPECT_TRUE(is_open(fd));
  }
  EXPECT_FALSE(is_open(fd));
}

TEST(FileDescriptorTest, moving_hands_it_over_and_closes_what_was_there) {
  FileDescriptor first = open_null();
  FileDescriptor second = open_null();
  const int kept = first.get();
  const int closed = second.get();
  second = std::move(first);
  EXPECT_EQ(second.get(), kept);
  EXPECT_TRUE(is_open(kept));
  EXPECT_FALSE(is_open(closed));
}

TEST(CheckedCallTest, a_failure_names_the_attempt_and_the_cause) {
  try {
    checked(::open("/nonexistent", O_RDONLY), "open /nonexistent");
    FAIL() << "opened a file that does not exist";
  } catch (const SystemError& error) {
    EXPECT_EQ(error.error_number(), ENOENT);
    EXPECT_STREQ(error.what(), "open /nonexistent: No such file or directory");
  }
}

}  // namespace
}  // namespace simcore

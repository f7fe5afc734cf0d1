// SPDX-License-Identifier: MIT
#include "simcore/trace/queued_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>

#include "simcore/units/error.h"

namespace simcore {
namespace {

class QueuedFileTest : public testing::Test {
 protected:
  ~QueuedFileTest() override { std::filesystem::remove(path_); }

  std::vector<std::uint8_t> written() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  const std::string path_ = testing::TempDir() + "queued_file_test." + std::to_string(::getpid());
};

TEST_F(QueuedFileTest, everything_that_found_room_is_in_the_file_in_order) {
  QueuedFile file(path_, "record", 1'000);  // round and round
  file.start();
  std::vector<std::uint8_t> expected;
  std::vector<std::uint8_t> piece(333);
  for (int i = 0; i < 3'000; ++i) {
    std::iota(piece.begin(), piece.end(), static_cast<std::uint8_t>(i));
    if (file.room(piece.size()) != QueuedFile::Room::yes) continue;
    file.put(piece.data(), 100);
    file.put(piece.data() + 100, 233);
    file.commit();
    expected.insert(expected.end(), piece.begin(), piece.end());
  }
  file.finish();
  file.file().close();
  EXPECT_GE(expected.size(), 999u);
  EXPECT_EQ(written(), expected);
}

TEST_F(QueuedFileTest, there_is_no_room_for_more_than_the_capacity) {
  QueuedFile file(path_, "record", 1'000);
  EXPECT_EQ(file.room(1'000), QueuedFile::Room::yes);
  EXPECT_EQ(file.room(1'001), QueuedFile::Room::none);
  const std::vector<std::uint8_t> piece(600);
  file.put(piece.data(), piece.size());  // nobody writes yet
  file.commit();
  EXPECT_EQ(file.room(400), QueuedFile::Room::yes);
  EXPECT_EQ(file.room(401), QueuedFile::Room::none);
}

TEST_F(QueuedFileTest, a_failed_write_is_seen_by_who_puts_and_told_at_the_end) {
  QueuedFile file("/dev/full", "record", 1 << 20);
  file.start();
  const std::vector<std::uint8_t> piece(1'000);
  while (file.room(piece.size()) != QueuedFile::Room::failed) {
    if (file.room(piece.size()) != QueuedFile::Room::yes) continue;
    file.put(piece.data(), piece.size());
    file.commit();
  }
  EXPECT_EQ(file.failure(), "write the record /dev/full: No space left on device");
  file.finish();
  EXPECT_THROW(file.file().close(), SystemError);
}

}  // namespace
}  // namespace simcore

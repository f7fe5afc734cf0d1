// SPDX-License-Identifier: MIT
//
// Pipe: a portal for tests of the run loop. Its device is a pipe; poll() takes one byte at a time.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <functional>

#include "simcore/realtime/pollable.h"
#include "simcore/sys/file_descriptor.h"

namespace simcore {

class Pipe final : public Pollable {
 public:
  Pipe() {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) ADD_FAILURE() << "no pipe";
    read_end_ = FileDescriptor(ends[0]);
    write_end_ = FileDescriptor(ends[1]);
  }

  void send(int bytes) {
    for (int i = 0; i < bytes; ++i) ASSERT_EQ(::write(write_end_.get(), "x", 1), 1);
  }

  int fd() const override { return read_end_.get(); }
  std::size_t poll() override {
    char byte = 0;
    EXPECT_EQ(::read(read_end_.get(), &byte, 1), 1);
    on_byte();
    return 1;
  }
  Flushed flush() override { return on_flush(); }
  bool stamps_arrivals() const override { return stamps; }

  std::function<void()> on_byte = [] {};
  std::function<Flushed()> on_flush = [] { return Flushed{}; };
  bool stamps = false;

 private:
  FileDescriptor read_end_;
  FileDescriptor write_end_;
};

}  // namespace simcore

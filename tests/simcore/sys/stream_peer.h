// SPDX-License-Identifier: MIT
//
// For tests of stream connections within one process: addresses nobody else uses, and waiting with a deadline.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

namespace simcore::testing {

// A TCP address of this machine that no other process of these tests uses, each time with another port.
inline std::string free_tcp_address() {
  static int port = 46'000;
  const auto host = (127U << 24) + 1 + static_cast<std::uint32_t>(::getpid());
  std::string text = "tcp:";
  for (const unsigned shift : {24U, 16U, 8U, 0U})
    text += std::to_string(host >> shift & 255U) + (shift > 0 ? "." : ":");
  return text + std::to_string(++port);
}

// The path of a Unix socket, each time another.
inline std::string free_path() {
  static int number = 0;
  return ::testing::TempDir() + "stream." + std::to_string(::getpid()) + "." + std::to_string(++number);
}

// Whether `condition` comes true within 10 s, while `turn` makes things go on.
template <class Condition, class Turn>
bool comes_true(Condition condition, Turn turn) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    turn();
    std::this_thread::yield();
  }
  return true;
}

}  // namespace simcore::testing

// SPDX-License-Identifier: MIT
#include "simcore/sys/shallow_idle.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <string>
#include <utility>

namespace simcore {

ShallowIdle::ShallowIdle() {
  FileDescriptor file(::open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC));
  if (!file.valid()) return;
  const auto microseconds = static_cast<std::int32_t>(bound().count_ns() / 1'000);
  if (::write(file.get(), &microseconds, sizeof microseconds) == sizeof microseconds) file_ = std::move(file);
}

Duration ShallowIdle::bound() {
  std::ifstream file("/sys/devices/system/cpu/cpuidle/current_driver");
  std::string driver;
  file >> driver;
  return driver == "haltpoll" ? Duration::zero() : Duration::us(2);
}

}  // namespace simcore

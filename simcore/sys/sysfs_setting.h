// SPDX-License-Identifier: MIT
//
// SysfsSetting: a number under /sys/class/net/<device>, changed for as long as the object lives.
//
// sysfs shows the network namespace in which it was mounted, which need not be ours: a device
// of the same name there is not our device. So the device's index and hardware address are compared
// before anything is written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace simcore {

class SysfsSetting {
 public:
  // Sets `attribute` (for example "gro_flush_timeout") of `device` to `value`. When that cannot be done,
  // failure() says why, and nothing was changed.
  SysfsSetting(const std::string& device, const std::string& attribute, std::int64_t value);
  SysfsSetting(const SysfsSetting&) = delete;
  SysfsSetting& operator=(const SysfsSetting&) = delete;
  ~SysfsSetting();  // writes the former value back

  const std::optional<std::string>& failure() const { return failure_; }

 private:
  std::string path_;
  std::optional<std::string> before_;
  std::optional<std::string> failure_;
};

}  // namespace simcore

// SPDX-License-Identifier: MIT
//
// Device features as `ethtool -k` shows them (rx-gro, tx-tcp-segmentation, ...), changed for as
// long as an object lives.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "simcore/sys/file_descriptor.h"

namespace simcore {

class Ethtool {
 public:
  // Throws EnvironmentError when the namespace has no such device.
  explicit Ethtool(const std::string& device);

  // Whether the feature is on; nothing when this kernel does not know it. Names are the kernel's: "rx-gro".
  std::optional<bool> feature(const std::string& name) const;

  // True when the feature is now as asked; false when it is unknown or fixed. Throws EnvironmentError
  // without CAP_NET_ADMIN.
  bool set_feature(const std::string& name, bool on);

  // How many queues the device receives with; nothing when it does not say.
  std::optional<unsigned> receive_queues() const;

  const std::string& device() const { return device_; }

 private:
  std::vector<std::string> names_of(std::uint32_t string_set) const;
  bool request(void* command) const;

  std::string device_;
  FileDescriptor control_;
};

// Sets features of one device and puts them back in the end, as far as the device still exists.
class FeatureGuard {
 public:
  explicit FeatureGuard(const std::string& device) : ethtool_(device) {}
  FeatureGuard(const FeatureGuard&) = delete;
  FeatureGuard& operator=(const FeatureGuard&) = delete;
  ~FeatureGuard();

  // As Ethtool::set_feature.
  bool set(const std::string& name, bool on);

 private:
  Ethtool ethtool_;
  std::vector<std::pair<std::string, bool>> before_;
};

}  // namespace simcore

// SPDX-License-Identifier: MIT
#include "simcore/sys/sysfs_setting.h"

#include <net/if.h>
#include <sys/ioctl.h>

#include <array>
#include <cstdio>
#include <fstream>

#include "simcore/sys/network_device.h"

namespace simcore {

namespace {

std::optional<std::string> first_line_of(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  return line;
}

bool write_line(const std::string& path, const std::string& line) {
  std::ofstream file(path);
  file << line << std::flush;
  return file.good();
}

std::string hardware_address(const std::string& device) {
  ifreq request{};
  device.copy(request.ifr_name, IFNAMSIZ - 1);
  if (::ioctl(open_control_socket().get(), SIOCGIFHWADDR, &request) < 0) return {};
  std::array<char, 18> text{};
  const auto* const mac = reinterpret_cast<const unsigned char*>(request.ifr_hwaddr.sa_data);
  std::snprintf(text.data(), text.size(), "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2], mac[3],
                mac[4], mac[5]);
  return text.data();
}

}  // namespace

SysfsSetting::SysfsSetting(const std::string& device, const std::string& attribute, std::int64_t value)
    : path_("/sys/class/net/" + device + "/" + attribute) {
  const std::string folder = "/sys/class/net/" + device;
  const std::optional<std::string> index = first_line_of(folder + "/ifindex");
  if (!index) {
    failure_ = path_ + " is not there: sysfs is not mounted, or shows another network namespace";
    return;
  }
  if (*index != std::to_string(device_index(device)) ||
      first_line_of(folder + "/address") != hardware_address(device)) {
    failure_ = path_ + " is another namespace's " + device + ": mount sysfs in this one";
    return;
  }
  const std::optional<std::string> before = first_line_of(path_);
  if (!before) {
    failure_ = path_ + " cannot be read";
    return;
  }
  if (!write_line(path_, std::to_string(value))) {
    failure_ = path_ + " cannot be written: it needs root and a sysfs that is not mounted read-only";
    return;
  }
  before_ = before;
}

SysfsSetting::~SysfsSetting() {
  if (before_) write_line(path_, *before_);  // fails only when the device is gone, and the setting with it
}

}  // namespace simcore

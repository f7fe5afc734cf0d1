// SPDX-License-Identifier: MIT
#include "simcore/sys/ethtool.h"

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "simcore/sys/checked_call.h"
#include "simcore/sys/network_device.h"

namespace simcore {

namespace {

// The structures of <linux/ethtool.h> end in an array whose length the caller chooses; this is
// memory for one of them.
template <class Command, class Element>
class VariableCommand {
 public:
  explicit VariableCommand(std::size_t elements)
      : words_((sizeof(Command) + elements * sizeof(Element) + sizeof(std::uint64_t) - 1) /
               sizeof(std::uint64_t)) {}

  Command* operator->() { return get(); }
  Command* get() { return reinterpret_cast<Command*>(words_.data()); }
  Element& element(std::size_t i) {
    return reinterpret_cast<Element*>(reinterpret_cast<std::byte*>(words_.data()) + sizeof(Command))[i];
  }

 private:
  std::vector<std::uint64_t> words_;
};

std::optional<std::size_t> position_of(const std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

std::uint32_t bit_of(std::size_t position) { return std::uint32_t{1} << (position % 32); }

}  // namespace

Ethtool::Ethtool(const std::string& device) : device_(device), control_(open_control_socket()) {
  device_index(device);
}

std::optional<bool> Ethtool::feature(const std::string& name) const {
  const std::vector<std::string> names = names_of(ETH_SS_FEATURES);
  const auto position = position_of(names, name);
  if (!position) return std::nullopt;
  const std::size_t blocks = (names.size() + 31) / 32;
  VariableCommand<ethtool_gfeatures, ethtool_get_features_block> get(blocks);
  get->cmd = ETHTOOL_GFEATURES;
  get->size = static_cast<std::uint32_t>(blocks);
  if (!request(get.get())) return std::nullopt;
  return (get.element(*position / 32).active & bit_of(*position)) != 0;
}

bool Ethtool::set_feature(const std::string& name, bool on) {
  const std::vector<std::string> names = names_of(ETH_SS_FEATURES);
  const auto position = position_of(names, name);
  if (!position) return false;
  const std::size_t blocks = (names.size() + 31) / 32;
  VariableCommand<ethtool_sfeatures, ethtool_set_features_block> set(blocks);
  set->cmd = ETHTOOL_SFEATURES;
  set->size = static_cast<std::uint32_t>(blocks);
  ethtool_set_features_block& block = set.element(*position / 32);
  block.valid = bit_of(*position);
  block.requested = on ? bit_of(*position) : 0;
  if (!request(set.get())) {
    if (errno == EPERM) {
      throw EnvironmentError("set " + name + " of " + device_ + ": this needs CAP_NET_ADMIN; run as root");
    }
    return false;
  }
  return feature(name) == on;
}

std::optional<unsigned> Ethtool::receive_queues() const {
  ethtool_channels channels{};
  channels.cmd = ETHTOOL_GCHANNELS;
  if (!request(&channels)) return std::nullopt;
  return channels.rx_count + channels.combined_count;
}

// The names in one of the kernel's tables, in its order; none when the device has no such table.
std::vector<std::string> Ethtool::names_of(std::uint32_t string_set) const {
  VariableCommand<ethtool_sset_info, std::uint32_t> info(1);
  info->cmd = ETHTOOL_GSSET_INFO;
  info->sset_mask = std::uint64_t{1} << string_set;
  if (!request(info.get()) || info->sset_mask == 0) return {};
  const std::uint32_t count = info.element(0);

  VariableCommand<ethtool_gstrings, std::array<char, ETH_GSTRING_LEN>> strings(count);
  strings->cmd = ETHTOOL_GSTRINGS;
  strings->string_set = string_set;
  strings->len = count;
  if (!request(strings.get())) return {};
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < count; ++i) {
    const char* const text = strings.element(i).data();
    names.emplace_back(text, ::strnlen(text, ETH_GSTRING_LEN));
  }
  return names;
}

// False, with errno set, when the kernel refuses.
bool Ethtool::request(void* command) const {
  ifreq request{};
  device_.copy(request.ifr_name, IFNAMSIZ - 1);
  request.ifr_data = static_cast<char*>(command);
  return ::ioctl(control_.get(), SIOCETHTOOL, &request) >= 0;
}

FeatureGuard::~FeatureGuard() {
  // In reverse, since features depend on each other. A device that is gone has nothing to put back.
  for (auto change = before_.rbegin(); change != before_.rend(); ++change) {
    try {
      ethtool_.set_feature(change->first, change->second);
    } catch (const Error&) {
      // The privilege was dropped in the meantime; a destructor has nobody to tell.
    }
  }
}

bool FeatureGuard::set(const std::string& name, bool on) {
  const std::optional<bool> before = ethtool_.feature(name);
  if (!ethtool_.set_feature(name, on)) return false;
  if (before != on) before_.emplace_back(name, *before);
  return true;
}

}  // namespace simcore

// SPDX-License-Identifier: MIT
#include "simcore/device/node.h"

#include <utility>

#include "simcore/units/error.h"

namespace simcore {

Interface& Node::make_interface(Interface::Config config) {
  constexpr std::uint16_t kLeastMtu = 68;
  const std::string attempt = "make interface " + config.name + " of " + name_ + ": ";
  for (const auto& other : interfaces_) {
    if (other->name() == config.name) {
      throw ConfigError(attempt + "there is one of that name already; choose another name");
    }
  }
  if (config.mtu < kLeastMtu) {
    throw ConfigError(attempt + "MTU is " + std::to_string(config.mtu) + " bytes; it must be at least " +
                      std::to_string(kLeastMtu));
  }
  interfaces_.push_back(std::make_unique<Interface>(*this, interfaces_.size(), std::move(config)));
  return *interfaces_.back();
}

void Node::remove_interface(Interface& interface) {
  if (processor_) dropped_.add(DropReason::removed, processor_->drop_from(interface));
  const std::size_t place = interface.index();
  std::swap(interfaces_[place], interfaces_.back());
  interfaces_[place]->index_ = place;
  interfaces_.pop_back();
}

}  // namespace simcore

// SPDX-License-Identifier: MIT
#include "simcore/portal/device_carriers.h"

#include <algorithm>
#include <utility>

#include "simcore/sys/network_device.h"
#include "simcore/sys/thread.h"
#include "simcore/units/error.h"

namespace simcore {

DeviceCarriers::DeviceCarriers(std::function<void(EmulationPortal&, bool)> changed)
    : on_carrier_(std::move(changed)), thread_([this] { set_devices(); }) {}

DeviceCarriers::~DeviceCarriers() {
  while (!followed_.empty()) remove(*followed_.begin()->second.portal);
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  more_.notify_one();
  thread_.join();
}

void DeviceCarriers::add(EmulationPortal& portal, int device) {
  if (find(portal) != followed_.end()) return;
  followed_[device] = {.portal = &portal, .device = portal.device()};
  portal.watch_link(this);
  notices_.ask(device);
}

void DeviceCarriers::remove(EmulationPortal& portal) {
  const auto found = find(portal);
  if (found == followed_.end()) return;
  portal.watch_link(nullptr);
  if (!found->second.asked) {
    const std::lock_guard lock(mutex_);
    orders_[found->second.device] = true;
    more_.notify_one();
  }
  followed_.erase(found);
}

std::map<int, DeviceCarriers::Followed>::iterator DeviceCarriers::find(const EmulationPortal& portal) {
  return std::ranges::find_if(followed_,
                              [&portal](const auto& each) { return each.second.portal == &portal; });
}

std::size_t DeviceCarriers::poll() {
  if (!notices_.read([this](const DeviceNotices::Notice& notice) { take(notice); })) {
    for (const auto& [number, each] : followed_) notices_.ask(number);
  }
  return 0;
}

void DeviceCarriers::take(const DeviceNotices::Notice& notice) {
  const auto found = followed_.find(notice.device);
  if (found == followed_.end() || !notice.veth) return;
  Followed& of = found->second;
  of.veth = changed_ = true;
  if (!notice.up || of.carrier == notice.carrier) return;
  of.carrier = notice.carrier;
  on_carrier_(*of.portal, of.carrier);
}

void DeviceCarriers::portal_link_changed(EmulationPortal& portal, bool up) {
  find(portal)->second.link = up;
  changed_ = true;
}

// A link that goes and comes within a turn, as when another takes its place, is none that went.
DeviceCarriers::Flushed DeviceCarriers::flush() {
  if (!changed_) return {};
  changed_ = false;
  const std::lock_guard lock(mutex_);
  for (auto& [number, each] : followed_) {
    if (!each.veth || each.asked == each.link) continue;
    each.asked = each.link;
    orders_[each.device] = each.link;
  }
  more_.notify_one();
  return {};
}

void DeviceCarriers::set_devices() {
  leave_fifo();  // whoever starts it may be the loop
  std::unique_lock lock(mutex_);
  while (true) {
    more_.wait(lock, [this] { return over_ || !orders_.empty(); });
    if (orders_.empty()) return;
    const auto order = orders_.extract(orders_.begin());
    lock.unlock();
    try {
      order.mapped() ? bring_up(order.key()) : take_down(order.key());
    } catch (const std::exception&) {  // the device has gone, and its link goes with it
    }
    lock.lock();
  }
}

}  // namespace simcore

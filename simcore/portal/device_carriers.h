// SPDX-License-Identifier: MIT
//
// DeviceCarriers: makes the link at a portal one with the wire beyond it, where that is a veth pair.
//
//   the neighbour's end goes down -->  notice of the kernel  -->  the portal takes the link down
//   the link goes down            -->  the portal's device goes down  -->  the neighbour has no carrier
//
// Setting a device down takes the kernel milliseconds, so a thread does it. While a device is down for that reason,
// nobody knows what the neighbour's end is like; what was known last holds.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "simcore/portal/emulation_portal.h"
#include "simcore/realtime/pollable.h"
#include "simcore/sys/device_notices.h"

namespace simcore {

class DeviceCarriers final : public Pollable, private PortalLinkWatcher {
 public:
  // `changed`: hears that a portal's device has got or lost its carrier, and sees to the link.
  explicit DeviceCarriers(std::function<void(EmulationPortal&, bool)> changed);
  // Sets devices up again that it has set down.
  ~DeviceCarriers();
  DeviceCarriers(const DeviceCarriers&) = delete;
  DeviceCarriers& operator=(const DeviceCarriers&) = delete;

  // `device`: the number of the portal's. The portal must outlive it, or be removed. One that it follows already stays as it
  // is: what is known and asked of a device outlives the link that leads to it.
  void add(EmulationPortal& portal, int device);
  // Its device is set up again, if need be. Nothing happens where the portal is not followed.
  void remove(EmulationPortal& portal);

  int fd() const override { return notices_.fd(); }
  std::size_t poll() override;
  Flushed flush() override;

 private:
  struct Followed {
    EmulationPortal* portal;
    std::string device;
    bool veth = false;  // the kernel has said so
    bool carrier = true;
    bool link = true;   // up, as far as it is not this device's doing
    bool asked = true;  // of the device
  };

  std::map<int, Followed>::iterator find(const EmulationPortal& portal);
  void portal_link_changed(EmulationPortal& portal, bool up) override;
  void take(const DeviceNotices::Notice& notice);
  void set_devices();

  std::function<void(EmulationPortal&, bool)> on_carrier_;
  DeviceNotices notices_;
  std::map<int, Followed> followed_;  // by device number
  bool changed_ = false;              // some device may have to be asked for something else

  std::mutex mutex_;
  std::condition_variable more_;
  // What devices are to become, up or down; under the mutex, as what follows. The last word about each: a controller may
  // change its mind more often than the kernel can follow.
  std::map<std::string, bool> orders_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace simcore

// SPDX-License-Identifier: MIT
#include "simcore/portal/device_refusals.h"

namespace simcore {

bool DeviceRefusals::offer_again(const Packet& packet, SimTime now) {
  if (size_of(packet) >= refused_from_) return false;
  if (!refusing_) {
    refusing_ = true;
    first_ = now;
    wait_ = kFirstWait;
  } else if (now - first_ >= kPatience) {
    refusing_ = false;
    refused_from_ = size_of(packet);
    return false;
  }
  next_ = now + wait_;
  wait_ = wait_ * 2;
  return true;
}

}  // namespace simcore

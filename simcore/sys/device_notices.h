// SPDX-License-Identifier: MIT
//
// DeviceNotices: what the kernel tells of the network devices of this namespace when they change, by rtnetlink(7).
#pragma once

#include <cstddef>
#include <functional>

#include "simcore/sys/file_descriptor.h"

namespace simcore {

class DeviceNotices {
 public:
  struct Notice {
    int device;    // its number
    bool up;       // it is set up
    bool carrier;  // and somebody is at its other end
    bool veth;     // it is one end of a veth pair
  };

  // Throws SystemError.
  DeviceNotices();

  int fd() const { return fd_.get(); }

  // Lets the kernel tell of a device now; the answer comes with the others.
  void ask(int device);

  // What has come, at most some dozens, without blocking. False: some was lost, and is to be asked for.
  bool read(const std::function<void(const Notice&)>& take);

 private:
  FileDescriptor fd_;
};

}  // namespace simcore

// SPDX-License-Identifier: MIT
//
// ShallowIdle: while it lives, idle cores of this computer stay in states that they leave within microseconds. It is a
// request to the kernel's PM QoS (/dev/cpu_dma_latency; kernel, Documentation/power/pm_qos_interface.rst), which ends
// with the open file and so with the process, however that ends.
//
// On most computers 2 us are asked for: of x86's states that leaves C1, which is left in 1 to 2 us. In a virtual machine
// (cpuidle driver haltpoll) a core has one state, of which the driver says 1 us, but which the hypervisor must be asked
// to leave, tens of us; there 0 us are asked for, and an idle core looks for work until it has some. Its sleep is then
// no longer the hypervisor's to give to others.
#pragma once

#include "simcore/sys/file_descriptor.h"
#include "simcore/units/time.h"

namespace simcore {

class ShallowIdle {
 public:
  // When the request cannot be made (it needs root), refused() is true and nothing has changed.
  ShallowIdle();

  bool refused() const { return !file_.valid(); }

  // What is asked for on this computer.
  static Duration bound();

 private:
  FileDescriptor file_;
};

}  // namespace simcore

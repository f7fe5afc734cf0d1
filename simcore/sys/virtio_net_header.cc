// SPDX-License-Identifier: MIT
#include "simcore/sys/virtio_net_header.h"

#include <sys/utsname.h>

#include <cstdio>
#include <utility>

namespace simcore {

bool kernel_describes_udp_trains() {
  utsname kernel{};
  std::pair<int, int> version;
  if (::uname(&kernel) != 0 || std::sscanf(kernel.release, "%d.%d", &version.first, &version.second) != 2)
    return false;
  return version >= std::pair(6, 2);
}

}  // namespace simcore

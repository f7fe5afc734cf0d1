// SPDX-License-Identifier: MIT
#include "simcore/sys/vnet_device.h"

namespace simcore {

const std::array<std::uint8_t, VnetDevice::kZeros> VnetDevice::kZeroBytes{};

}  // namespace simcore

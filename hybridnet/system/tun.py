# SPDX-License-Identifier: MIT
"""Where programs make TAP devices, among them Open vSwitch in user space, for each bridge."""

TUN = "/dev/net/tun"

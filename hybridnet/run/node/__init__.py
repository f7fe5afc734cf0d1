# SPDX-License-Identifier: MIT
"""Live hosts, switches, their interfaces and links."""

from hybridnet.run.node.link import Intf, Link
from hybridnet.run.node.node import (
    CPULimitedHost,
    Host,
    Node,
    OVSKernelSwitch,
    OVSSwitch,
    Switch,
)

__all__ = [
    "CPULimitedHost", "Host", "Intf", "Link", "Node", "OVSKernelSwitch", "OVSSwitch", "Switch",
]  # fmt: skip

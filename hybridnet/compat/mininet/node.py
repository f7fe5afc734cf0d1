# SPDX-License-Identifier: MIT
"""Mininet's module of that name: hosts, switches and controllers, from where they are made."""

from __future__ import annotations

from hybridnet.compat.mininet.containers import Docker
from hybridnet.compat.mininet.controllers.kinds import (
    NOX,
    Controller,
    DefaultController,
    DefaultControllers,
    NullController,
    OVSController,
    RemoteController,
    Ryu,
    findController,
)
from hybridnet.compat.mininet.hosts import CPULimitedHost, Host, Node
from hybridnet.compat.mininet.switches import (
    IVSSwitch,
    OVSBatch,
    OVSBridge,
    OVSKernelSwitch,
    OVSSwitch,
    Switch,
    UserSwitch,
)

__all__ = [
    "NOX", "CPULimitedHost", "Controller", "DefaultController", "DefaultControllers", "Docker", "Host", "IVSSwitch",
    "Node", "NullController", "OVSBatch", "OVSBridge", "OVSController", "OVSKernelSwitch", "OVSSwitch",
    "RemoteController", "Ryu", "Switch", "UserSwitch", "findController",
]  # fmt: skip

# SPDX-License-Identifier: MIT
"""Mininet's further nodes: a Linux bridge, and address translation toward the outside."""

from __future__ import annotations

from typing import Any

from hybridnet.errors import UsageError
from hybridnet.mininet.node import Node, OVSBridge
from hybridnet.mininet.tolerance import tolerate

__all__ = ["NAT", "LinuxBridge"]


class LinuxBridge(OVSBridge):
    """A learning bridge: Open vSwitch's without a controller takes the Linux bridge's place, and that is said.

    Args:
        name: unique in the network.
        stp: have it run the spanning tree protocol.
        prio: its priority in that protocol.
    """

    def __init__(self, name: str, stp: bool = False, prio: int | None = None, **params: Any) -> None:
        tolerate("LinuxBridge", "an Open vSwitch bridge without a controller takes its place")
        super().__init__(name, stp=stp, **params)
        self.prio = prio


class NAT(Node):
    """Refused: networks have no way to the outside yet."""

    def __init__(self, name: str, subnet: str = "10.0/8", **params: Any) -> None:
        raise UsageError(f"NAT {name}: networks have no way to the outside yet; leave it out")

# SPDX-License-Identifier: MIT
"""Mininet's further nodes: a Linux bridge, and address translation toward the outside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hybridnet.errors import UsageError
from hybridnet.mininet.controllers import Controller
from hybridnet.mininet.node import Node, Switch
from hybridnet.node import node as live

__all__ = ["NAT", "LinuxBridge"]


class LinuxBridge(Switch):
    """A bridge of the Linux kernel, which learns by itself.

    Args:
        name: unique in the network; also the bridge's.
        stp: have it run the spanning tree protocol.
        prio: its priority in that protocol; the lowest is the root.
    """

    nextPrio = 100  # of the next bridge that runs the protocol and says none, as in Mininet

    def __init__(self, name: str, stp: bool = False, prio: int | None = None, **params: Any) -> None:
        if stp and prio is None:
            prio = LinuxBridge.nextPrio
            LinuxBridge.nextPrio += 1
        super().__init__(name, **params)
        self.stp, self.prio = stp, prio
        self.params |= {"bridge": "linux", "stp": bool(stp), "prio": prio}

    def defaultDpid(self, dpid: str | None = None) -> str:
        """None to speak of: it knows no controller."""
        return dpid or ""

    def start(self, controllers: Sequence[Controller] = ()) -> None:
        """It has no controllers."""

    def connected(self) -> bool:
        """Whether it forwards; with the spanning tree protocol, once that has settled."""
        return live.LinuxBridge.connected(self)  # type: ignore[arg-type]  # it needs only `execute`


class NAT(Node):
    """Refused: networks have no way to the outside yet."""

    def __init__(self, name: str, subnet: str = "10.0/8", **params: Any) -> None:
        raise UsageError(f"NAT {name}: networks have no way to the outside yet; leave it out")

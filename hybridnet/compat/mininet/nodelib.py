# SPDX-License-Identifier: MIT
"""Mininet's further nodes: a Linux bridge, and address translation toward the outside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hybridnet.compat.mininet.hosts import Node
from hybridnet.compat.mininet.lenient_options import tolerate, truth
from hybridnet.compat.mininet.switches import Bridge
from hybridnet.compat.mininet.util import ipStr, netParse
from hybridnet.kinds import linux
from hybridnet.system.log import info

__all__ = ["NAT", "LinuxBridge"]


class LinuxBridge(Bridge):
    """A bridge of the Linux kernel, which learns by itself.

    Args:
        name: unique in the network; also the bridge's.
        stp: have it run the spanning tree protocol.
        prio: its priority in that protocol; the lowest is the root.
    """

    made_of = "linux"
    nextPrio = 100  # of the next bridge that runs the protocol and says none, as in Mininet

    def __init__(self, name: str, stp: bool = False, prio: int | None = None, **params: Any) -> None:
        if truth(stp) and prio is None:
            prio = LinuxBridge.nextPrio
            LinuxBridge.nextPrio += 1
        self.stp, self.prio = stp, prio
        super().__init__(name, **params)

    def take_attributes(self) -> None:
        """See `Switch`."""
        self.params |= {"stp": truth(self.stp), "prio": self.prio}
        self.params |= dict.fromkeys(
            ("dpid", "failMode", "listenPort", "protocols", "datapath")
        )  # of OpenFlow

    def defaultDpid(self, dpid: str | None = None) -> str:
        """None to speak of: it knows no controller."""
        return dpid or ""

    def start(self, controllers: Sequence[Any] = ()) -> None:
        """It has no controllers; after `stop`, its ports go up again."""
        self.raise_stopped_ports()

    def connected(self) -> bool:
        """Whether it forwards; with the spanning tree protocol, once that has settled."""
        return linux.LinuxBridge.connected(self)  # type: ignore[arg-type]  # it needs only `execute`


class NAT(Node):
    """A node that translates addresses, so that its subnet reaches what it reaches itself.

    Args:
        name, **params: as of `Node`; with inNamespace=False it reaches what its machine's computer does.
        subnet: whose addresses it translates.
        localIntf: the interface toward the subnet; None: the first one.
        flush: accepted; rules that are there already stay.
    """

    def __init__(
        self, name: str, subnet: str = "10.0/8", localIntf: Any = None, flush: bool = False, **params: Any
    ) -> None:
        super().__init__(name, **params)
        if flush:
            tolerate(f"NAT {name}: flush=", "the rules that are there already stay")
        self.subnet, self.localIntf, self.flush = subnet, localIntf, flush

    def setManualConfig(self, intf: Any) -> None:
        """Nothing: no manager of networks looks at the interfaces of a network."""

    def config(self, **params: Any) -> dict[str, object]:  # type: ignore[override]
        """`Node.config`, and its rules; says what makes them."""
        results = super().config(**params)
        if self.localIntf is None:
            self.localIntf = self.defaultIntf()
        number, length = netParse(self.subnet)
        tool = self._call(
            "translate", node=self.name, subnet=f"{ipStr(number)}/{length}", interface=str(self.localIntf)
        )
        info(f"*** {self.name} translates {self.subnet} by {tool}\n")
        return results

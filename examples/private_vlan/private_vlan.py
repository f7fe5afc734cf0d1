# SPDX-License-Identifier: MIT
"""A kind of switch: a bridge of the Linux kernel as a private VLAN (RFC 5517). Isolated ports reach only the others.

topo.addSwitch("b1", kind="private", isolated=["b1-eth2", "b1-eth3"])
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hybridnet import LinuxBridge, TopologyError
from hybridnet.describe.kinds import KindOption, SwitchKind
from hybridnet.describe.schema.plans import NodePlan
from hybridnet.kinds.linux import LinuxBridges
from hybridnet.system.command import run


class PrivateBridges(LinuxBridges):
    """Makes them on one machine."""

    def __init__(self, journal: Any) -> None:
        super().__init__(journal)
        self._isolated: set[str] = set()  # ports

    def create(self, nodes: Sequence[NodePlan]) -> None:
        """Make bridges, without ports."""
        self._isolated.update(port for node in nodes for port in node["options"].get("isolated", []))
        super().create(nodes)

    def add_ports(self, switch: str, devices: Sequence[str]) -> None:
        """Make devices ports of a bridge."""
        super().add_ports(switch, devices)
        for device in self._isolated.intersection(devices):
            run(["bridge", "link", "set", "dev", device, "isolated", "on"])


class PrivateBridge(LinuxBridge):
    """A live one."""

    kind = "private"


def isolated(value: Any, what: str) -> list[str]:
    """The names of ports."""
    if not isinstance(value, list) or not all(isinstance(port, str) for port in value):
        raise TopologyError(f"{what} {value!r} is not a list of ports; write ['b1-eth2', 'b1-eth3']")
    return value


PRIVATE = SwitchKind(
    name="private",
    title="private VLAN",
    maker=PrivateBridges,
    live=PrivateBridge,
    options={"isolated": KindOption(isolated, "ports that reach only those that are not isolated", "list")},
)

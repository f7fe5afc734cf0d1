# SPDX-License-Identifier: MIT
"""Mininet's library of topologies: trees and tori; and Containernet's trees."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hybridnet.compat.mininet.containers import Docker
from hybridnet.compat.mininet.net import Containernet, Mininet
from hybridnet.compat.mininet.topo import Topo
from hybridnet.compat.mininet.util import irange

__all__ = ["ContainerTreeTopo", "TorusTopo", "TreeContainerNet", "TreeNet", "TreeTopo"]


class TreeTopo(Topo):
    """A tree of switches with hosts at its leaves, numbered from the root down, the first branch first."""

    leaf: Mapping[str, Any] = {}
    """Options of the hosts."""

    def build(self, depth: int = 1, fanout: int = 2) -> None:
        """Add it."""
        self.hostNum = self.switchNum = 1
        self.addTree(depth, fanout)

    def addTree(self, depth: int, fanout: int) -> str:
        """Add a tree of that depth; one of depth 0 is a host. Returns the name of its root."""
        if depth <= 0:
            host = self.addHost(f"h{self.hostNum}", **self.leaf)
            self.hostNum += 1
            return host
        switch = self.addSwitch(f"s{self.switchNum}")
        self.switchNum += 1
        for _ in range(fanout):
            self.addLink(switch, self.addTree(depth - 1, fanout))
        return switch


class ContainerTreeTopo(TreeTopo):
    """The same with hosts of an image."""

    def build(self, depth: int = 1, fanout: int = 2, dimage: Any = "ubuntu:trusty") -> None:
        """Add it."""
        self.leaf = {"cls": Docker, "dimage": dimage}
        super().build(depth, fanout)


def TreeNet(depth: int = 1, fanout: int = 2, **kwargs: Any) -> Mininet:
    """A network that is a tree."""
    return Mininet(TreeTopo(depth, fanout), **kwargs)


def TreeContainerNet(
    depth: int = 1, fanout: int = 2, dimage: Any = "ubuntu:trusty", **kwargs: Any
) -> Containernet:
    """A network that is a tree with hosts of an image."""
    return Containernet(topo=ContainerTreeTopo(depth, fanout, dimage), **kwargs)


class TorusTopo(Topo):
    """Switches s1x1 ... in x columns and y rows that wrap around, each with n hosts.

    It has loops: it needs a controller that handles them, or spanning trees in the switches.

    Raises:
        Exception: x or y is below 3: the links would be doubled.
    """

    def build(self, x: int, y: int, n: int = 1) -> None:
        """Add it."""
        if x < 3 or y < 3:
            raise Exception("a torus needs x and y of at least 3")
        names = {}
        for column in range(x):
            for row in range(y):
                place = f"{column + 1}x{row + 1}"
                number = 256 * (column + 1) + row + 1
                names[column, row] = self.addSwitch(f"s{place}", dpid=f"{number:x}")
                for of_switch in irange(1, n):
                    host = self.addHost(f"h{place}" if n == 1 else f"h{place}x{of_switch}")
                    self.addLink(host, names[column, row])
        for (column, row), switch in names.items():
            self.addLink(switch, names[column, (row + 1) % y])
            self.addLink(switch, names[(column + 1) % x, row])

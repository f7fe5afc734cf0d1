# SPDX-License-Identifier: MIT
"""A grid of switches that wraps around in both directions. It has loops."""

from __future__ import annotations

from typing import Any

from hybridnet.describe.topo import Topo, TopologyError, size

__all__ = ["TorusTopo"]

LEAST = 3  # with two, the two links between neighbours would be parallel


class TorusTopo(Topo):
    """Switches s1x1 ... in `x` columns and `y` rows, each with `n` hosts.

    As in Mininet, the hosts are h1x1 ... if n is 1, else h1x1x1, h1x1x2 ... A name has several numbers, so dpids
    count from 1, column by column.

    Raises:
        TopologyError: x or y is below 3.
    """

    def build(self, x: int = 3, y: int = 3, n: int = 1, **link: Any) -> None:
        for name, value in (("x", x), ("y", y)):
            if size(value, f"torus: {name}") < LEAST:
                raise TopologyError(f"torus: {name}={value} is below {LEAST}; write --topo torus,3,3 or more")
        size(n, "torus: n")
        self.reserve(f"torus: x={x}, y={y}, n={n}", x * y * (n + 1))
        switches = {}
        for column in range(x):
            for row in range(y):
                place = f"{column + 1}x{row + 1}"
                switch = self.addSwitch(f"s{place}", dpid=f"{column * y + row + 1:x}")
                switches[column, row] = switch
                for number in range(1, n + 1):
                    host = self.addHost(f"h{place}" if n == 1 else f"h{place}x{number}")
                    self.addLink(host, switch, **link)
        for (column, row), switch in switches.items():
            self.addLink(switch, switches[column, (row + 1) % y], **link)
            self.addLink(switch, switches[(column + 1) % x, row], **link)

# SPDX-License-Identifier: MIT
"""A line of switches, each with hosts."""

from __future__ import annotations

from typing import Any

from hybridnet.describe.topo import Topo, size

__all__ = ["LinearTopo"]


class LinearTopo(Topo):
    """`k` switches in a row with `n` hosts each.

    As in Mininet, the hosts are h1 ... hk if n is 1, else h1s1, h2s1, ... hnsk.
    """

    def build(self, k: int = 2, n: int = 1, **link: Any) -> None:
        size(k, "linear: k")
        size(n, "linear: n")
        self.reserve(f"linear: k={k}, n={n}", k + k * n)
        for switch in range(1, k + 1):
            self.addSwitch(f"s{switch}")
            for host in range(1, n + 1):
                name = f"h{switch}" if n == 1 else f"h{host}s{switch}"
                self.addLink(self.addHost(name), f"s{switch}", **link)
            if switch > 1:
                self.addLink(f"s{switch}", f"s{switch - 1}", **link)

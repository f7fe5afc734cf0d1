# SPDX-License-Identifier: MIT
"""One switch and its hosts."""

from __future__ import annotations

from typing import Any

from hybridnet.describe.topo import Topo, size

__all__ = ["MinimalTopo", "SingleSwitchReversedTopo", "SingleSwitchTopo"]


class SingleSwitchTopo(Topo):
    """Switch s1 with `k` hosts; hN is at port N."""

    def build(self, k: int = 2, **link: Any) -> None:
        size(k, "single: k")
        self.reserve(f"single: k={k}", k + 1)
        self.addSwitch("s1")
        for number in range(1, k + 1):
            self.addLink(self.addHost(f"h{number}"), "s1", **link)


class SingleSwitchReversedTopo(Topo):
    """Switch s1 with `k` hosts; h1 is at the highest port, so port numbers and addresses differ."""

    def build(self, k: int = 2, **link: Any) -> None:
        size(k, "single: k")
        self.reserve(f"single: k={k}", k + 1)
        self.addSwitch("s1")
        for number in range(1, k + 1):
            self.addLink(self.addHost(f"h{number}"), "s1", port1=0, port2=k - number + 1, **link)


class MinimalTopo(SingleSwitchTopo):
    """Two hosts at one switch: the smallest network with something to ping."""

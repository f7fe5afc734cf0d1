# SPDX-License-Identifier: MIT
"""Two groups of hosts, and one bottleneck between them."""

from __future__ import annotations

from typing import Any

from hybridnet.describe.topo import Topo, side_names, size

__all__ = ["DumbbellTopo"]


class DumbbellTopo(Topo):
    """`n` hosts at s1 (h1 ... hn), `n` at s2 (the rest), and the link s1-s2 with rate and delay of its own.

    Args:
        n: hosts on each side.
        bw, delay, max_queue_size: of the bottleneck.
        machines: one name for each side, or None.
    """

    def build(
        self,
        n: int = 2,
        bw: Any = 10,
        delay: Any = "5ms",
        max_queue_size: Any = 100,
        machines: tuple[str, str] | None = None,
    ) -> None:
        size(n, "dumbbell: n")
        self.reserve(f"dumbbell: n={n}", 2 * n + 2)
        names = None if machines is None else side_names(machines, "dumbbell: machines")
        for side in (1, 2):
            placed = {} if names is None else {"machine": names[side - 1]}
            self.addSwitch(f"s{side}", **placed)
            for number in range(1, n + 1):
                self.addLink(self.addHost(f"h{(side - 1) * n + number}", **placed), f"s{side}")
        self.addLink("s1", "s2", bw=bw, delay=delay, max_queue_size=max_queue_size)

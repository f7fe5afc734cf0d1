# SPDX-License-Identifier: MIT
"""The network of `reproduce controller-load`."""

from __future__ import annotations

from typing import Any

from hybridnet import Topo

__all__ = ["Chain"]


class Chain(Topo):
    """Two hosts with switches between them; port 1 of each leads to the first host, port 2 to the second."""

    def build(self, count: int, switch: dict[str, Any]) -> None:
        before, port = self.addHost("h1"), None
        for number in range(1, count + 1):
            name = self.addSwitch(f"s{number}", **switch)
            self.addLink(before, name, port1=port, port2=1)
            before, port = name, 2
        self.addLink(before, self.addHost("h2"), port1=2)

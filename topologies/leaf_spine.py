# SPDX-License-Identifier: MIT
"""The two levels of switches of many data centres: every leaf is joined to every spine. It has loops."""

from __future__ import annotations

from typing import Any

from hybridnet.describe.topo import Topo, size

__all__ = ["LeafSpineTopo"]


class LeafSpineTopo(Topo):
    """`spines` switches s1 ..., then `leaves` switches, each with `hosts` hosts and a link to every spine.

    Hosts are numbered leaf by leaf from h1. Between hosts at two leaves there are as many shortest paths as spines.
    """

    def build(self, spines: int = 2, leaves: int = 4, hosts: int = 2, **link: Any) -> None:
        for name, value in (("spines", spines), ("leaves", leaves), ("hosts", hosts)):
            size(value, f"leaf-spine: {name}")
        self.reserve(
            f"leaf-spine: spines={spines}, leaves={leaves}, hosts={hosts}", spines + leaves * (1 + hosts)
        )
        above = [self.addSwitch(f"s{number}") for number in range(1, spines + 1)]
        for index in range(leaves):
            leaf = self.addSwitch(f"s{spines + 1 + index}")
            for spine in above:
                self.addLink(leaf, spine, **link)
            for number in range(1, hosts + 1):
                self.addLink(self.addHost(f"h{index * hosts + number}"), leaf, **link)

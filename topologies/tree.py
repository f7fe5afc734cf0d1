# SPDX-License-Identifier: MIT
"""A tree of switches with hosts at its leaves."""

from __future__ import annotations

from typing import Any

from hybridnet.describe.topo import Topo, size

__all__ = ["TreeTopo", "add_tree", "reserve_trees", "switches_in_tree"]

MOST_LEVELS = 500


class TreeTopo(Topo):
    """A tree of `depth` levels of switches; every switch has `fanout` children, the lowest have hosts.

    Switches and hosts are numbered depth first from s1 and h1, as in Mininet: s1 is the root. `machine` puts
    the whole tree on one machine.
    """

    def build(self, depth: int = 1, fanout: int = 2, machine: str | None = None, **link: Any) -> None:
        add_tree(self, depth, fanout, machine=machine, **link)


def add_tree(
    topo: Topo,
    depth: int,
    fanout: int = 2,
    *,
    first_host: int = 1,
    first_switch: int = 1,
    machine: str | None = None,
    **link: Any,
) -> str:
    """Add such a tree to `topo`, numbered from `first_host` and `first_switch`. Returns its root."""
    reserve_trees(topo, "tree", depth, fanout, 1)
    placed = {} if machine is None else {"machine": machine}
    hosts = iter(range(first_host, first_host + fanout**depth))
    switches = iter(range(first_switch, first_switch + switches_in_tree(depth, fanout)))

    def add(level: int) -> str:
        if level == 0:
            return topo.addHost(f"h{next(hosts)}", **placed)
        switch = topo.addSwitch(f"s{next(switches)}", **placed)
        for _ in range(fanout):
            topo.addLink(switch, add(level - 1), **link)
        return switch

    return add(depth)


def reserve_trees(topo: Topo, what: str, depth: int, fanout: int, trees: int) -> None:
    """Raise TopologyError where so many such trees do not fit into a description, in no time."""
    size(depth, f"{what}: depth", MOST_LEVELS)
    size(fanout, f"{what}: fanout")
    nodes, level = 0, 1
    for _ in range(depth + 1):
        nodes, level = nodes + level, level * fanout
        topo.reserve(f"{what}: depth={depth}, fanout={fanout}", trees * nodes)


def switches_in_tree(depth: int, fanout: int = 2) -> int:
    """Return how many switches such a tree has.

    Example:
        >>> switches_in_tree(6)
        63
    """
    return sum(fanout**level for level in range(depth))

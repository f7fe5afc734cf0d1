# SPDX-License-Identifier: MIT
"""MaxiNet's partitions: topologies, one for each worker, and the links between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hybridnet.compat.mininet.lenient_options import shaping
from hybridnet.compat.mininet.topo import Topo
from hybridnet.describe import topo as described
from hybridnet.errors import UsageError
from hybridnet.plan.placement.spread import spread

__all__ = ["Clustering", "Partitioner"]


class Clustering:
    """A topology in parts.

    Args:
        topologies: one for each worker.
        tunnels: of each link between two of them (node, node, its options).
    """

    def __init__(self, topologies: Sequence[Topo], tunnels: Sequence[Sequence[Any]]) -> None:
        self.topos = list(topologies)
        self.tunnels = [list(tunnel) for tunnel in tunnels]

    def getTopos(self) -> list[Topo]:
        """The parts."""
        return self.topos

    def getTunnels(self) -> list[list[Any]]:
        """The links between them."""
        return self.tunnels

    def whole(self) -> tuple[Topo, dict[str, int]]:
        """The parts as one topology, and the part of each node, from 0."""
        topo = Topo()
        part_of: dict[str, int] = {}
        for number, part in enumerate(self.topos):
            for name in part.nodes():
                topo.addNode(name, **part.nodeInfo(name))
                part_of[name] = number
        for part in self.topos:
            for link in part.links(withInfo=True):
                topo.addLink(**link[2])
        for node1, node2, options in self.tunnels:
            own = {name: value for name, value in options.items() if name not in ("node1", "node2")}
            topo.addLink(node1, node2, **own)
        return topo, part_of


class Partitioner:
    """Partitions a topology; `metis`, MaxiNet's name of a program, is not used."""

    def __init__(self, metis: str = "") -> None:
        self.topo = Topo()

    def loadtopo(self, topo: Topo) -> None:
        """Take the topology that is to be partitioned."""
        self.topo = topo

    def partition(self, n: int, shares: Sequence[float] | None = None) -> Clustering:
        """Partition it into `n` parts, of equal size or as `shares` say."""
        plain = described.Topo()
        for name in self.topo.nodes(sort=False):
            (plain.addSwitch if self.topo.isSwitch(name) else plain.addHost)(name)
        for node1, node2, info in self.topo.iterLinks(withInfo=True):
            plain.addLink(node1, node2, **shaping(info, f"link {node1}-{node2}"))
        parts = [f"part{number}" for number in range(n)]
        laid = spread(plain, parts, shares=shares)
        return self._clustering({name: parts.index(part) for name, part in laid.machine_of.items()}, n)

    def partition_using_map(self, mapping: Mapping[str, int]) -> Clustering:
        """Partition it as `mapping` says: the part of each switch, from 0. Hosts follow their switch.

        Raises:
            UsageError: a switch is not in it.
        """
        for switch in self.topo.switches():
            if switch not in mapping:
                raise UsageError(f"nodemapping: switch {switch} has no worker; give each switch one")
        part_of = dict(mapping)
        for node1, node2 in self.topo.links():
            part_of.setdefault(node1, part_of.get(node2, 0))
            part_of.setdefault(node2, part_of.get(node1, 0))
        return self._clustering(part_of, max(part_of.values(), default=0) + 1)

    def _clustering(self, part_of: Mapping[str, int], n: int) -> Clustering:
        parts = [Topo() for _ in range(n)]
        for name in self.topo.nodes(sort=False):
            parts[part_of[name]].addNode(name, **self.topo.nodeInfo(name))
        tunnels = []
        for node1, node2, info in self.topo.iterLinks(withInfo=True):
            if part_of[node1] == part_of[node2]:
                parts[part_of[node1]].addLink(**info)
            else:
                tunnels.append((node1, node2, dict(info)))
        return Clustering(parts, tunnels)

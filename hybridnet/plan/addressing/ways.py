# SPDX-License-Identifier: MIT
"""Ways: the shortest paths between simulated routers, through links and switches. Pure.

Dijkstra's algorithm, which keeps of each path what a route says: the interface it begins with, and the first router on
it. A library would keep whole paths, and of thousands of routers those are most of the work.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count

from hybridnet.describe.topo.options import End
from hybridnet.plan.addressing.addresses import Addresses
from hybridnet.plan.placement.layout import Layout

__all__ = ["Way", "Ways"]

# More than any path has links, so that the number of links only decides between equal delays.
_DELAY_WEIGHT = 1_000_000


@dataclass(frozen=True)
class Way:
    """The shortest way from one router to another.

    Args:
        length: total propagation delay, and then the number of links.
        near: the interface with which it begins.
        via: the interface by which it enters the first router on it; empty as long as there is none.
    """

    length: int
    near: str
    via: str


@dataclass(frozen=True)
class _Edge:
    weight: int
    near: str
    far: str


class Ways:
    """What forwards packets of one family, and how it is joined. Of parallel links, that of the least delay counts.

    Args:
        addresses: of the family: a router without one there does not take part.
        down: links that carry nothing.
    """

    def __init__(self, layout: Layout, addresses: Addresses, down: Collection[str]) -> None:
        self.routers = {spec.name for spec in layout.nodes.values() if spec.role == "simrouter"}
        self._edges: dict[str, dict[str, _Edge]] = {
            spec.name: {}
            for spec in layout.nodes.values()
            if spec.forwards_frames or spec.name in self.routers
        }

        def takes_part(end: End) -> bool:
            return end.node in self._edges and (
                end.node not in self.routers or end.interface in addresses.by_interface
            )

        for link in layout.links:
            if link.name in down or not (takes_part(link.a) and takes_part(link.b)):
                continue
            for near, far, direction in ((link.a, link.b, link.a_to_b), (link.b, link.a, link.b_to_a)):
                weight = direction.delay_ns * _DELAY_WEIGHT + 1
                known = self._edges[near.node].get(far.node)
                if known is None or weight < known.weight:
                    self._edges[near.node][far.node] = _Edge(weight, near.interface, far.interface)

    def from_router(self, start: str, *, no_further: bool = False) -> dict[str, Way]:
        """The ways to all other routers that it reaches, the nearest first; with `no_further`, only to those that no
        other router is before.
        """
        found: dict[str, Way] = {}
        ended: set[str] = set()
        shortest = {start: 0}
        numbers = count(1)
        queue: list[tuple[int, int, str, Way]] = [(0, 0, start, Way(0, "", ""))]
        while queue:
            length, _, node, way = heappop(queue)
            if node in ended:
                continue
            ended.add(node)
            if node in self.routers and node != start:
                found[node] = way
                if no_further:
                    continue
            for far, edge in self._edges[node].items():
                further = length + edge.weight
                if far in ended or further >= shortest.get(far, further + 1):
                    continue
                shortest[far] = further
                via = way.via or (edge.far if far in self.routers else "")
                heappush(queue, (further, next(numbers), far, Way(further, way.near or edge.near, via)))
        return found

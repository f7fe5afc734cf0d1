# SPDX-License-Identifier: MIT
"""Partition: a graph whose vertices and edges have weights, in parts of which little passes to others. Pure.

METIS does the work. The same graph gives the same parts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

__all__ = ["Groups", "parts_of"]

IMBALANCE = 100  # thousandths by which a part may hold more than its share
_SEARCHES = 8  # partitions that METIS compares
_SEED = 1

Vertex = TypeVar("Vertex", bound=Hashable)


class Groups:
    """Names that stay together, as a disjoint-set forest."""

    def __init__(self, names: Iterable[str]) -> None:
        self._above = {name: name for name in names}

    def join(self, one: str, other: str) -> None:
        """These two stay together, and who stays with them."""
        self._above[self.of(other)] = self.of(one)

    def of(self, name: str) -> str:
        """The one who stands for all that stay with `name`."""
        above = self._above
        while above[name] != name:
            above[name] = above[above[name]]
            name = above[name]
        return name


def parts_of(
    weights: Mapping[Vertex, int],
    edges: Mapping[tuple[Vertex, Vertex], int],
    shares: Sequence[float],
) -> dict[Vertex, int]:
    """The part of each vertex, from 0 to the number of shares less one. With fewer vertices than parts the last parts
    are empty; others may be, too.

    Args:
        weights: of the vertices, at least 1 each.
        edges: by their two ends, once; what it costs to cut each.
        shares: of the weight that each part gets; they add up to 1.
    """
    count = min(len(shares), len(weights))
    if count < 2:
        return dict.fromkeys(weights, 0)
    from pymetis import CSRAdjacency, Options, part_graph

    numbers = {vertex: number for number, vertex in enumerate(weights)}
    neighbours: list[Counter[int]] = [Counter() for _ in numbers]
    for (one, other), weight in edges.items():
        a, b = numbers[one], numbers[other]
        if a != b:
            neighbours[a][b] += weight
            neighbours[b][a] += weight
    starts: list[int] = [0]
    ends: list[int] = []
    costs: list[int] = []
    for own in neighbours:
        ends += own.keys()
        costs += own.values()
        starts.append(len(ends))
    total = sum(shares[:count])
    _, parts = part_graph(
        count,
        CSRAdjacency(starts, ends),
        vweights=list(weights.values()),
        eweights=costs,
        tpwgts=[share / total for share in shares[:count]],
        recursive=True,
        options=Options(ufactor=IMBALANCE, ncuts=_SEARCHES, seed=_SEED),
    )
    return {vertex: int(parts[number]) for vertex, number in numbers.items()}

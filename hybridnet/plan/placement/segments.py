# SPDX-License-Identifier: MIT
"""Segments: which interfaces hear each other's broadcasts.

A switch, emulated or simulated, joins all its ports; a link joins its two ends; hosts and routers end a
segment. So a segment may reach over several machines and through several simulated links. A segment with a
simulated router in it is *routed*: the router is its hosts' gateway.
"""

from __future__ import annotations

from dataclasses import dataclass

from hybridnet.describe.topo.options import End
from hybridnet.plan.placement.layout import Layout

__all__ = ["Segment", "find_segments"]


@dataclass(frozen=True)
class Segment:
    """The interfaces of hosts and routers on one Ethernet segment, in the order of the description."""

    hosts: tuple[End, ...]
    routers: tuple[End, ...]

    def __hash__(self) -> int:
        """That of an interface, which is on one segment: one of thousands of hosts is looked up often."""
        return hash((self.hosts or self.routers)[0].interface)

    @property
    def routed(self) -> bool:
        return bool(self.routers)

    @property
    def point_to_point(self) -> bool:
        """Whether it joins two routers and nothing else."""
        return len(self.routers) == 2 and not self.hosts

    @property
    def ends(self) -> tuple[End, ...]:
        return (*self.hosts, *self.routers)


def find_segments(layout: Layout) -> list[Segment]:
    """All segments that hold at least one host or router interface, in the order of the description's
    links.
    """
    joined: dict[str, str] = {}  # a disjoint-set forest over switches and interfaces

    def root(item: str) -> str:
        while joined.setdefault(item, item) != item:
            joined[item] = joined[joined[item]]
            item = joined[item]
        return item

    def item_of(end: End) -> str:
        # A switch stands for all its ports. Interface names are unique, but a node may be named like an
        # interface.
        return (
            f"switch {end.node}" if layout.nodes[end.node].forwards_frames else f"interface {end.interface}"
        )

    for link in layout.links:
        joined[root(item_of(link.a))] = root(item_of(link.b))
    hosts: dict[str, list[End]] = {}
    routers: dict[str, list[End]] = {}
    for link in layout.links:
        for end in (link.a, link.b):
            spec = layout.nodes[end.node]
            if spec.forwards_frames:
                continue
            segment = root(item_of(end))
            hosts.setdefault(segment, [])
            routers.setdefault(segment, [])
            (routers if spec.role == "simrouter" else hosts)[segment].append(end)
    return [Segment(tuple(hosts[segment]), tuple(routers[segment])) for segment in hosts]

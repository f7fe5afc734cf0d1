# SPDX-License-Identifier: MIT
"""The way of a flow through a planned network: the links from host to host, and which way along each. Pure.

The way of least total delay, then of fewest links, as simulated routers choose it. Hosts do not forward.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from functools import cached_property

from hybridnet.describe.topo.direction import Direction
from hybridnet.errors import UsageError
from hybridnet.plan.network import Plan
from hybridnet.plan.network.links import LinkPlan

__all__ = ["Hop", "Ways"]

HOSTS = ("host", "simhost", "external")


@dataclass(frozen=True)
class Hop:
    """A link on a way, and in which direction: from `a` to `b`, or back."""

    link: LinkPlan
    forward: bool

    @property
    def source(self) -> str:
        """The node that it leaves."""
        return (self.link.a if self.forward else self.link.b).node

    @property
    def target(self) -> str:
        """The node that it leads to."""
        return (self.link.b if self.forward else self.link.a).node

    @property
    def direction(self) -> Direction:
        """What happens to packets on it."""
        return self.link.a_to_b if self.forward else self.link.b_to_a

    @property
    def name(self) -> str:
        """As a table names it."""
        return f"link {self.source} to {self.target}"

    @property
    def instances(self) -> tuple[str, str]:
        """Of its near and its far end."""
        near, far = self.link.instances
        return (near, far) if self.forward else (far, near)

    def has_portal(self, *, near: bool) -> bool:
        """Whether that end is a portal, where frames enter or leave an instance."""
        end = self.link.a if near == self.forward else self.link.b
        return end.interface in self.link.portals


class Ways:
    """Finds ways in one plan.

    Attributes:
        kind: of each node: host, ovs, other, switch, openflow, router, simhost, external.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self.kind: dict[str, str] = dict.fromkeys(plan.machine_of, "external")
        names = {"router": "router", "switch": "switch", "host": "simhost", "openflow": "openflow"}
        for machine in plan.machines.values():
            self.kind |= {host["name"]: "host" for host in machine["hosts"]}
            self.kind |= {switch["name"]: "ovs" for switch in machine["switches"]}
            self.kind |= {node["name"]: "other" for node in machine.get("nodes", [])}
            for instance in machine["instances"]:
                self.kind |= {node["name"]: names[node["kind"]] for node in instance["nodes"]}
        self._trees: dict[str, dict[str, Hop]] = {}

    def way(self, source: str, target: str) -> list[Hop]:
        """The hops from one host to another.

        Raises:
            UsageError: there is no such host, or no way.
        """
        for name in (source, target):
            if self.kind.get(name) not in HOSTS:
                what = f"{name} is a switch or a router" if name in self.kind else f"there is no host {name}"
                raise UsageError(f"flow from {source} to {target}: {what}; name a host of the network")
        if source == target:
            raise UsageError(f"flow from {source} to {target}: a host does not send to itself; name two")
        into = self._trees.get(source)
        if into is None:
            into = self._trees[source] = self._tree(source)
        if target not in into:
            raise UsageError(
                f"flow from {source} to {target}: no link leads there; join them, or leave it out"
            )
        hops: list[Hop] = []
        at = target
        while at != source:
            hops.append(into[at])
            at = into[at].source
        return hops[::-1]

    @cached_property
    def _leaving(self) -> dict[str, list[Hop]]:
        leaving: dict[str, list[Hop]] = {name: [] for name in self.kind}
        for link in self._plan.links:
            for forward in (True, False):
                hop = Hop(link, forward)
                leaving[hop.source].append(hop)
        return leaving

    def _tree(self, source: str) -> dict[str, Hop]:
        """The last hop to each node that can be reached."""
        into: dict[str, Hop] = {}
        nearest: dict[str, tuple[int, int]] = {source: (0, 0)}
        waiting: list[tuple[int, int, int, str]] = [(0, 0, 0, source)]
        number = 0
        while waiting:
            delay, links, _, at = heapq.heappop(waiting)
            if (delay, links) > nearest[at] or (at != source and self.kind[at] in HOSTS):
                continue
            for hop in self._leaving[at]:
                reached = (delay + hop.direction.least_delay_ns, links + 1)
                if hop.target not in nearest or reached < nearest[hop.target]:
                    nearest[hop.target] = reached
                    into[hop.target] = hop
                    number += 1
                    heapq.heappush(waiting, (*reached, number, hop.target))
        return into

# SPDX-License-Identifier: MIT
"""Passages: the way that packets of IPv4 take through the simulated nodes of an instance plan. Pure.

From a node with addresses to the next one as its routes say, by the longest prefix; and between the two through the
switches of that segment, with as few links as possible.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Interface, IPv4Network, ip_address, ip_interface, ip_network
from typing import cast

from hybridnet.describe.schema.plans import DirectionPlan, SimulatedLink, SimulatedNode

__all__ = ["NoPassageError", "Passages"]


class NoPassageError(Exception):
    """A node on the way knows none to the end.

    Args:
        node: its name.
    """

    def __init__(self, node: str) -> None:
        super().__init__(node)
        self.node = node


@dataclass(frozen=True)
class _Link:
    """One direction of a link, from one simulated interface to another."""

    name: str
    far: str
    direction: DirectionPlan


class Passages:
    """The ways through nodes and links of an instance plan. Links that lead to portals and peers are no part of any."""

    def __init__(self, nodes: Iterable[SimulatedNode], links: Iterable[SimulatedLink]) -> None:
        self._nodes = {node["name"]: node for node in nodes}
        interfaces = [(node["name"], each) for node in self._nodes.values() for each in node["interfaces"]]
        self._node_of = {each["name"]: node for node, each in interfaces}
        self._addresses: dict[str, IPv4Interface] = {
            each["name"]: cast("IPv4Interface", ip_interface(each["address"]))
            for _, each in interfaces
            if "address" in each
        }
        self._links: dict[str, _Link] = {}
        for link in links:
            a, b = link["a"].get("interface"), link["b"].get("interface")
            if isinstance(a, str) and isinstance(b, str):
                self._links[a] = _Link(link["name"], b, link["a_to_b"])
                self._links[b] = _Link(link["name"], a, link["b_to_a"])

    def node_of(self, interface: str) -> str:
        """The node that has it."""
        return self._node_of[interface]

    def link_of(self, interface: str) -> str | None:
        """The name of the link between simulated nodes that begins there; None: there is none."""
        link = self._links.get(interface)
        return None if link is None else link.name

    def direction_of(self, interface: str) -> DirectionPlan:
        """What happens to packets that leave by it. Precondition: it has a link between simulated nodes."""
        return self._links[interface].direction

    def far_of(self, interface: str) -> str:
        """The interface at the other end. Precondition: as above."""
        return self._links[interface].far

    def address_of(self, node: str) -> str | None:
        """Where it is reached, in IPv4; None: it has no address."""
        arrival = self.arrival_at(node)
        return None if arrival is None else str(self._addresses[arrival].ip)

    def arrival_at(self, node: str) -> str | None:
        """The interface with that address: the first that has one."""
        return next((name for name in _names(self._nodes[node]) if name in self._addresses), None)

    def way(self, start: str, end: str) -> list[str]:
        """The interfaces by which packets from one node to the address of another leave each node on their way.

        Raises:
            NoPassageError: a node knows no way, or they go round in circles.
        """
        target = self.address_of(end)
        node, way, passed = start, list[str](), 0
        while node != end:
            step = None if target is None else self._step(self._nodes[node], target)
            passed += 1
            if step is None or passed > len(self._nodes):
                raise NoPassageError(node)
            way += step
            node = self._node_of[self._links[step[-1]].far]
        return way

    def _step(self, node: SimulatedNode, target: str) -> list[str] | None:
        """The interfaces to the next node on the way that has addresses, by the longest prefix."""
        address = ip_address(target)
        known: list[tuple[int, str, str]] = [
            (self._addresses[name].network.prefixlen, name, target)
            for name in _names(node)
            if name in self._addresses and address in self._addresses[name].network
        ]
        for route in node.get("routes", []):
            prefix = ip_network(route["prefix"])
            if isinstance(prefix, IPv4Network) and address in prefix:
                known.append((prefix.prefixlen, route["interface"], route["via"] or target))
        if not known:
            return None
        _, near, via = max(known, key=lambda each: each[0])
        return self._across(near, via)

    def _across(self, near: str, via: str) -> list[str] | None:
        """From an interface through switches to the interface with an address, with as few links as possible."""
        todo = deque([[near]])
        seen = {near}
        while todo:
            path = todo.popleft()
            link = self._links.get(path[-1])
            if link is None:
                continue
            if link.far in self._addresses and str(self._addresses[link.far].ip) == via:
                return path
            behind = self._nodes[self._node_of[link.far]]
            if behind["kind"] in ("host", "router"):
                continue
            for interface in _names(behind):
                if interface != link.far and interface not in seen:
                    seen.add(interface)
                    todo.append([*path, interface])
        return None


def _names(node: SimulatedNode) -> list[str]:
    return [each["name"] for each in node["interfaces"]]

# SPDX-License-Identifier: MIT
"""The routes that a description gives simulated routers: names become prefixes and addresses."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence

from hybridnet.describe.schema.plans import HostRoute
from hybridnet.describe.topo.options import End
from hybridnet.describe.values import shown
from hybridnet.errors import PlanError
from hybridnet.plan.addressing.addresses import Addresses
from hybridnet.plan.placement.layout import Layout

__all__ = ["Route", "told_routes"]

Route = HostRoute


def told_routes(layout: Layout, families: Sequence[Addresses]) -> dict[str, list[Route]]:
    """Of each simulated router that is told its routes, those.

    Raises:
        PlanError: there is no such node, it has no address, or the next hop is not beside the router.
    """
    told = {
        name: spec
        for name, spec in layout.nodes.items()
        if spec.role == "simrouter" and spec.resolved.get("routes") is not None
    }
    beside: dict[str, dict[str, tuple[End, End]]] = {
        name: {} for name in told
    }  # the first link to each neighbour
    for link in layout.links if told else ():
        for near, far in ((link.a, link.b), (link.b, link.a)):
            if near.node in told:
                beside[near.node].setdefault(far.node, (near, far))
    known = _Destinations(layout, families)
    return {
        name: _routes(name, spec.resolved["routes"], beside[name], known, families)
        for name, spec in told.items()
    }


def _routes(
    router: str,
    told: Sequence[tuple[str, str]],
    beside: dict[str, tuple[End, End]],
    known: _Destinations,
    families: Sequence[Addresses],
) -> list[Route]:
    """Those of one router. One by a neighbour's name is a route for each family that both have."""
    found: list[Route] = []
    hops: dict[str, list[tuple[int, str, str | None]]] = {}
    for destination, via in told:
        try:
            if via not in hops:
                hops[via] = _hops(via, beside, families)
            prefixes = known.prefixes(destination)
            before = len(found)
            for version, address, interface in hops[via]:
                if version in prefixes:
                    found.append({"prefix": prefixes[version], "via": address, "interface": interface})
            if len(found) == before:
                raise PlanError("the two are of different families; write both for IPv4 or both for IPv6")
        except PlanError as error:
            raise PlanError(
                f"simrouter {router}: route to {shown(destination)} via {shown(via)}: {error}"
            ) from None
    return found


class _Destinations:
    """The prefixes of destinations by family, each found once: there may be millions of routes."""

    def __init__(self, layout: Layout, families: Sequence[Addresses]) -> None:
        self._layout, self._families = layout, families
        self._known: dict[str, dict[int, str]] = {"default": {4: "default", 6: "::/0"}}

    def prefixes(self, destination: str) -> dict[int, str]:
        """By 4 and 6. Raises PlanError."""
        if destination not in self._known:
            self._known[destination] = self._found(destination)
        return self._known[destination]

    def _found(self, destination: str) -> dict[int, str]:
        if destination not in self._layout.nodes:
            try:
                network = ipaddress.ip_network(destination, strict=False)
            except ValueError:
                raise PlanError(
                    "there is no such node, and it is no prefix; write one like 10.2.0.0/16"
                ) from None
            return {network.version: str(network)}
        found: dict[int, str] = {}
        for version, addresses in zip((4, 6), self._families, strict=True):
            for end in self._layout.ends_of[destination]:
                if version not in found and end.interface in addresses.by_interface:
                    found[version] = str(addresses.by_interface[end.interface].network)
        if not found:
            raise PlanError(f"{destination} has no address; choose a node that has, or write a prefix")
        return found


def _hops(
    via: str, beside: dict[str, tuple[End, End]], families: Sequence[Addresses]
) -> list[tuple[int, str, str | None]]:
    """By family the address of the next hop, and the interface toward it, if that is known."""
    if via in beside:
        near, far = beside[via]
        found: list[tuple[int, str, str | None]] = [
            (version, str(addresses.by_interface[far.interface].ip), near.interface)
            for version, addresses in zip((4, 6), families, strict=True)
            if far.interface in addresses.by_interface and near.interface in addresses.by_interface
        ]
        if not found:
            raise PlanError(f"{via} has no address there; choose a neighbour that has")
        return found
    try:
        address = ipaddress.ip_address(via)
    except ValueError:
        raise PlanError(
            f"{shown(via)} is not beside it, and is no address; its neighbours are "
            f"{', '.join(list(beside)[:5]) or 'none'}{', ...' if len(beside) > 5 else ''}"
        ) from None
    return [(address.version, str(address), None)]

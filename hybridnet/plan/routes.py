# SPDX-License-Identifier: MIT
"""Routes: shortest paths by delay for simulated routers, and the hosts' default routes.

Dijkstra over the routers and switches of the whole network, across machines: a packet from one subnet to
another takes the path of least total propagation delay, then of fewest links. The subnets of a router's own
interfaces need no route: the interface implies them.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from hybridnet.errors import PlanError
from hybridnet.plan.addresses import Addresses
from hybridnet.plan.families import Address
from hybridnet.plan.layout import Layout
from hybridnet.plan.segments import Segment
from hybridnet.topo import NodeSpec, natural
from hybridnet.topo.options import End

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["Route", "host_routes", "router_routes"]

Route = dict[str, str | None]  # prefix, via, interface: as the plans write it

# More than any path has links, so that the number of links only decides between equal delays.
_DELAY_WEIGHT = 1_000_000


def router_routes(
    layout: Layout, segments: Sequence[Segment], families: Sequence[Addresses], down: Collection[str] = ()
) -> dict[str, list[Route]]:
    """Return, for every simulated router, its routes to the subnets of each family that it is not on, in the order of
    the segments; none over a link that is `down`.
    """
    routes: dict[str, list[Route]] = {}
    for addresses in families:
        for router, found in _routes_of_family(layout, segments, addresses, down).items():
            routes.setdefault(router, []).extend(found)
    return routes


def _routes_of_family(
    layout: Layout, segments: Sequence[Segment], addresses: Addresses, down: Collection[str]
) -> dict[str, list[Route]]:
    routers = [spec.name for spec in layout.nodes.values() if spec.kind == "simrouter"]
    if not routers:
        return {}
    import networkx as nx  # a quarter of a second, which networks without routers need not wait for

    graph = _graph(layout, addresses, down)
    routed = [segment for segment in segments if segment in addresses.subnet_of]
    own: dict[str, set[str]] = {}  # the prefixes that each router is on
    for segment in routed:
        for router in _routers(segment):
            own.setdefault(router, set()).add(str(addresses.subnet_of[segment]))
    routes: dict[str, list[Route]] = {}
    for router in routers:
        distances: dict[str, int]
        paths: dict[str, list[str]]
        distances, paths = nx.single_source_dijkstra(graph, router)  # type: ignore[assignment]
        entries: dict[
            str, str
        ] = {}  # by prefix: two parts of what was one segment have one, and the nearer counts
        for segment in routed:
            entry, prefix = _nearest_router(segment, router, distances), str(addresses.subnet_of[segment])
            if entry is not None and (prefix not in entries or distances[entry] < distances[entries[prefix]]):
                entries[prefix] = entry
        routes[router] = [
            _route(layout, graph, addresses, paths[entry], prefix)
            for prefix, entry in entries.items()
            if prefix not in own.get(router, ())
        ]
    return routes


def host_routes(
    layout: Layout, segments: Sequence[Segment], families: Sequence[Addresses]
) -> dict[str, list[Route]]:
    """Return, for every host, emulated or simulated, the routes it is given, and the default route via its gateway for
    each family for which it is given none.
    """
    gateways = [_gateways(layout, segments, addresses) for addresses in families]
    gateways[0] = _translating(layout, segments, families[0]) | gateways[0]
    routes: dict[str, list[Route]] = {}
    for spec in layout.nodes.values():
        if spec.kind not in ("host", "simhost"):
            continue
        own: list[Route] = [
            {"prefix": prefix, "via": via, "interface": None}
            for prefix, via in spec.resolved.get("routes", [])
        ]
        default = spec.resolved.get("defaultRoute")
        if default is not None:
            own.append(_told_default(spec, layout, *default))
        given = {route["prefix"] for route in own}
        found = [of_family[spec.name] for of_family in gateways if spec.name in of_family]
        routes[spec.name] = own + [route for route in found if route["prefix"] not in given]
    return routes


def _graph(layout: Layout, addresses: Addresses, down: Collection[str]) -> nx.DiGraph:
    """Return the graph of what forwards packets of one family; an edge carries its two interfaces. Among parallel
    links, the one with the least delay counts.
    """
    import networkx as nx

    graph: nx.DiGraph = nx.DiGraph()
    for spec in layout.nodes.values():
        if spec.forwards_frames or spec.kind == "simrouter":
            graph.add_node(spec.name)
    for link in layout.links:
        if link.name in down:
            continue
        for near, far, direction in ((link.a, link.b, link.a_to_b), (link.b, link.a, link.b_to_a)):
            if near.node not in graph or far.node not in graph:
                continue
            if not all(_speaks(layout, end, addresses) for end in (near, far)):
                continue
            weight = direction.delay_ns * _DELAY_WEIGHT + 1
            if not graph.has_edge(near.node, far.node) or weight < graph[near.node][far.node]["weight"]:
                graph.add_edge(near.node, far.node, weight=weight, near=near.interface, far=far.interface)
    return graph


def _speaks(layout: Layout, end: End, addresses: Addresses) -> bool:
    """Whether packets of the family pass there: a router needs an address for that, a switch does not."""
    return layout.nodes[end.node].kind != "simrouter" or end.interface in addresses.by_interface


def _nearest_router(segment: Segment, start: str, distances: dict[str, int]) -> str | None:
    """Return the router through which `start` reaches the segment; None if it is on it, or cannot reach it."""
    routers = _routers(segment)
    reachable = [router for router in routers if router in distances]
    if start in routers or not reachable:
        return None
    return min(reachable, key=lambda router: (distances[router], natural(router)))


def _routers(segment: Segment) -> list[str]:
    return [end.node for end in segment.routers]


def _route(layout: Layout, graph: nx.DiGraph, addresses: Addresses, path: list[str], prefix: str) -> Route:
    """The first hop of `path`: out of its first link, to the first router on it."""
    for node, following in pairwise(path):
        if layout.nodes[following].kind == "simrouter":
            via = addresses.by_interface[graph[node][following]["far"]]
            return {"prefix": prefix, "via": str(via.ip), "interface": graph[path[0]][path[1]]["near"]}
    raise AssertionError(f"the path {path} leads to no router")


def _gateways(layout: Layout, segments: Sequence[Segment], addresses: Addresses) -> dict[str, Route]:
    """The default route of each host on a routed segment: via the segment's first router, by its first
    interface.
    """
    of_interface = {end.interface: segment for segment in segments if segment.routed for end in segment.hosts}
    gateways: dict[str, Route] = {}
    for name, ends in layout.ends_of.items():
        for end in ends:
            segment = of_interface.get(end.interface)
            if segment is None or end.interface not in addresses.by_interface or name in gateways:
                continue
            router = next((r for r in segment.routers if r.interface in addresses.by_interface), None)
            if router is not None:
                gateway = addresses.by_interface[router.interface].ip
                gateways[name] = {
                    "prefix": _default_route(gateway),
                    "via": str(gateway),
                    "interface": end.interface,
                }
    return gateways


def _translating(layout: Layout, segments: Sequence[Segment], addresses: Addresses) -> dict[str, Route]:
    """The default route of each host that has the first interface of a host with nat= on its segment, via that."""
    found: dict[str, Route] = {}
    for name, spec in layout.nodes.items():
        if not spec.resolved.get("nat") or not layout.ends_of[name]:
            continue
        first = layout.ends_of[name][0].interface
        gateway = addresses.by_interface.get(first)
        for segment in segments:
            if gateway is None or first not in (end.interface for end in segment.hosts):
                continue
            for end in segment.hosts:
                other = layout.nodes[end.node]
                own = addresses.by_interface.get(end.interface)
                if own is None or own.ip not in gateway.network:
                    continue
                if other is not spec and other.resolved.get("inNamespace", True):
                    found.setdefault(
                        end.node, {"prefix": "default", "via": str(gateway.ip), "interface": end.interface}
                    )
    return found


def _told_default(spec: NodeSpec, layout: Layout, via: str | None, device: str | None) -> Route:
    """A default route that the description says, of the gateway's family."""
    interfaces = [end.interface for end in layout.ends_of[spec.name]]
    if device is not None and device not in interfaces:
        raise PlanError(
            f"{spec.kind} {spec.name}: defaultRoute: {spec.name} has no interface {device}; "
            f"it has {', '.join(interfaces) or 'none'}"
        )
    prefix = "default" if via is None else _default_route(ipaddress.ip_address(via))
    return {"prefix": prefix, "via": via, "interface": device}


def _default_route(gateway: Address) -> str:
    """Linux reads "default" as one of IPv4."""
    return "default" if gateway.version == 4 else "::/0"

# SPDX-License-Identifier: MIT
"""Routes: shortest paths by delay for simulated routers, and the hosts' default routes.

Dijkstra over the routers and switches of the whole network, across machines: a packet from one subnet to
another takes the path of least total propagation delay, then of fewest links. The subnets of a router's own
interfaces need no route: the interface implies them.

A host in its machine's own namespace (inNamespace=False) gets no default route from a router: the machine has its own
way out, or gets one when a host there translates. Such a host gets the subnets behind the router instead.

A router whose routes the description says has those, and no others.

Where there are more than 64 subnets, a router with one way out has a default route instead of one for each: a network
of thousands of access routers would have millions of routes that all say the same.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Collection, Mapping, Sequence

from hybridnet.describe.topo import NodeSpec, natural
from hybridnet.describe.topo.roles import ROLES
from hybridnet.describe.values import shown
from hybridnet.errors import PlanError
from hybridnet.plan.addressing.addresses import Addresses
from hybridnet.plan.addressing.told_routes import Route, told_routes
from hybridnet.plan.addressing.ways import Way, Ways
from hybridnet.plan.choices.families import Address
from hybridnet.plan.placement.layout import Layout
from hybridnet.plan.placement.segments import Segment

__all__ = ["Route", "host_routes", "router_routes"]

MOST_ROUTES_OF_A_LEAF = 64


def router_routes(
    layout: Layout, segments: Sequence[Segment], families: Sequence[Addresses], down: Collection[str] = ()
) -> dict[str, list[Route]]:
    """Return, for every simulated router, its routes to the subnets of each family that it is not on, in the order of
    the segments; none over a link that is `down`. Of one that is told its routes: those.

    Raises:
        PlanError: a route that is told leads to or over what is not there.
    """
    routes = told_routes(layout, families)
    if all(name in routes for name, spec in layout.nodes.items() if spec.role == "simrouter"):
        return routes
    for addresses in families:
        for router, found in _routes_of_family(layout, segments, addresses, down).items():
            if layout.nodes[router].resolved.get("routes") is None:
                routes.setdefault(router, []).extend(found)
    return routes


def _routes_of_family(
    layout: Layout, segments: Sequence[Segment], addresses: Addresses, down: Collection[str]
) -> dict[str, list[Route]]:
    ways = Ways(layout, addresses, down)
    routers = [name for name in layout.nodes if name in ways.routers]
    subnets = [
        (str(addresses.subnet_of[segment]), [end.node for end in segment.routers])
        for segment in segments
        if segment in addresses.subnet_of
    ]
    own: dict[str, set[str]] = {}  # the prefixes that each router is on
    for prefix, on_it in subnets:
        for router in on_it:
            own.setdefault(router, set()).add(prefix)
    prefixes = len({prefix for prefix, _ in subnets})
    only_ways = _only_ways(ways, routers) if prefixes > MOST_ROUTES_OF_A_LEAF else {}
    routes: dict[str, list[Route]] = {}
    for router in routers:
        if router in only_ways:
            way = only_ways[router]
            routes[router] = [_route(_default_route(addresses.by_interface[way.via].ip), way, addresses)]
        else:
            nearest = _nearest(router, ways.from_router(router), subnets)
            routes[router] = [
                _route(prefix, way, addresses)
                for prefix, way in nearest.items()
                if prefix not in own.get(router, ())
            ]
    return routes


def _only_ways(ways: Ways, routers: Sequence[str]) -> dict[str, Way]:
    """Of each router that has but one other beside it, and is not the only one beside that: the way there."""
    next_ones = {router: ways.from_router(router, no_further=True) for router in routers}
    return {
        router: way
        for router, found in next_ones.items()
        if len(found) == 1
        for other, way in found.items()
        if len(next_ones[other]) > 1
    }


def _nearest(
    start: str, ways: Mapping[str, Way], subnets: Sequence[tuple[str, Sequence[str]]]
) -> dict[str, Way]:
    """The way to the nearest router on each subnet that `start` reaches and is not on. Two parts of what was one
    segment have one prefix; the nearer counts.
    """
    nearest: dict[str, Way] = {}
    for prefix, routers in subnets:
        reached = [router for router in routers if router in ways]
        if not reached or start in routers:
            continue
        router = min(reached, key=lambda router: (ways[router].length, natural(router)))
        if prefix not in nearest or ways[router].length < nearest[prefix].length:
            nearest[prefix] = ways[router]
    return nearest


def _route(prefix: str, way: Way, addresses: Addresses) -> Route:
    return {"prefix": prefix, "via": str(addresses.by_interface[way.via].ip), "interface": way.near}


def host_routes(
    layout: Layout, segments: Sequence[Segment], families: Sequence[Addresses]
) -> dict[str, list[Route]]:
    """Return, for every host, emulated or simulated, the routes it is given, and what it gets from its gateway: the
    default route of each family for which it is given none.

    Raises:
        PlanError: a default route names what is not there, or is a machine's second one.
    """
    _refuse_second_ways_out(layout, segments)
    gateways = [_from_routers(layout, segments, addresses) for addresses in families]
    gateways[0] = _translating(layout, segments, families[0]) | gateways[0]
    routes: dict[str, list[Route]] = {}
    for spec in layout.nodes.values():
        if not ROLES[spec.role].is_end:
            continue
        own: list[Route] = [
            {"prefix": prefix, "via": via, "interface": None}
            for prefix, via in spec.resolved.get("routes", [])
        ]
        default = spec.resolved.get("defaultRoute")
        if default is not None:
            own.append(_told_default(spec, layout, *default))
        given = {route["prefix"] for route in own}
        found = [route for of_family in gateways for route in of_family.get(spec.name, ())]
        routes[spec.name] = own + [route for route in found if route["prefix"] not in given]
    return routes


def _from_routers(
    layout: Layout, segments: Sequence[Segment], addresses: Addresses
) -> dict[str, list[Route]]:
    """What the routers of their segments give hosts: the default route; to those in their machine's own namespace the
    routes to the other subnets, each once in a machine.
    """
    reached: dict[str, set[str]] = {}
    for name, ends in layout.ends_of.items():
        if _is_in_machines_namespace(layout.nodes[name]):
            own = (addresses.by_interface.get(end.interface) for end in ends)
            reached.setdefault(layout.machine_of[name], set()).update(
                str(each.network) for each in own if each
            )
    found: dict[str, list[Route]] = {}
    for name, default in _gateways(layout, segments, addresses).items():
        found[name] = [default]
        if _is_in_machines_namespace(layout.nodes[name]):
            found[name] = []
            there = reached[layout.machine_of[name]]
            for prefix in map(str, addresses.subnet_of.values()):
                if prefix not in there:
                    there.add(prefix)
                    found[name].append({**default, "prefix": prefix})
    return found


def _is_in_machines_namespace(spec: NodeSpec) -> bool:
    return spec.resolved.get("inNamespace") is False


def _refuse_second_ways_out(layout: Layout, segments: Sequence[Segment]) -> None:
    """What a host in its machine's own namespace translates leaves by the machine's default route."""
    routed = {end.interface: segment for segment in segments if segment.routed for end in segment.hosts}
    for name, spec in layout.nodes.items():
        if not spec.resolved.get("nat") or not _is_in_machines_namespace(spec) or not layout.ends_of[name]:
            continue
        segment = routed.get(layout.ends_of[name][0].interface)
        if segment is not None:
            raise PlanError(
                f"host {name}: nat={shown(spec.resolved['nat'])} cannot give the hosts of its segment a way out: "
                f"simulated router {segment.routers[0].node} is on it and is their default route; link {name} to a "
                "switch whose segment has no simulated router (addNAT(connect=...)), or take the router from this one"
            )
        for other in layout.on(layout.machine_of[name], "host"):
            default = other.resolved.get("defaultRoute")
            if default is not None and _is_in_machines_namespace(other):
                words = " ".join(
                    f"{word} {value}" for word, value in zip(("via", "dev"), default, strict=True) if value
                )
                raise PlanError(
                    f"host {other.name}: defaultRoute={words!r} would be a second default route of machine "
                    f"{layout.machine_of[name]}, by whose own {name} (nat=) reaches the outside; leave defaultRoute "
                    f"out, or give {other.name} a namespace of its own"
                )


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


def _translating(layout: Layout, segments: Sequence[Segment], addresses: Addresses) -> dict[str, list[Route]]:
    """The default route of each host that has the first interface of a host with nat= on its segment, via that."""
    found: dict[str, list[Route]] = {}
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
                if other is not spec and not _is_in_machines_namespace(other):
                    found.setdefault(
                        end.node, [{"prefix": "default", "via": str(gateway.ip), "interface": end.interface}]
                    )
    return found


def _told_default(spec: NodeSpec, layout: Layout, via: str | None, device: str | None) -> Route:
    """A default route that the description says, of the gateway's family."""
    interfaces = [end.interface for end in layout.ends_of[spec.name]]
    if device is not None and device not in interfaces:
        raise PlanError(
            f"{spec.role} {spec.name}: defaultRoute: {spec.name} has no interface {device}; "
            f"it has {', '.join(interfaces) or 'none'}"
        )
    prefix = "default" if via is None else _default_route(ipaddress.ip_address(via))
    return {"prefix": prefix, "via": via, "interface": device}


def _default_route(gateway: Address) -> str:
    """Linux reads "default" as one of IPv4."""
    return "default" if gateway.version == 4 else "::/0"

# SPDX-License-Identifier: MIT
"""Tickets: what the computers of guests must know, one for each guest. Pure.

Each has a key of its own, which follows from the run's key and does not reveal it.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping, Sequence
from typing import NotRequired, TypedDict, final

from hybridnet.describe.schema.plans import DirectionPlan, HostInterface, PeerPlan
from hybridnet.plan.network.instance import Network
from hybridnet.plan.network.links import LinkPlan

__all__ = ["TicketContent", "tickets"]

_FORMAT = 1


@final
class TicketRoute(TypedDict):
    """A way that the guest's computer learns."""

    prefix: str
    via: str


@final
class TicketLink(TypedDict):
    """The link between the run and the guest, from the guest and to it."""

    name: str
    out: DirectionPlan
    back: DirectionPlan


@final
class TicketContent(TypedDict):
    """What one guest's computer is told: see `hybridnet.tools.join.ticket`."""

    format: int
    guest: str
    port: int
    key: str
    interface: HostInterface
    routes: list[TicketRoute]
    link: TicketLink
    peering: dict[str, object]
    slow: NotRequired[int]  # wall seconds for a simulated one; absent: 1


def tickets(
    network: Network, links: Sequence[LinkPlan], peers: Mapping[tuple[str, str], PeerPlan], slow: int
) -> dict[str, TicketContent]:
    """What each guest's computer is told, by guest.

    Args:
        peers: the entries of `guest_peer`, by instance and guest.
        slow: wall seconds for a simulated one.
    """
    made: dict[str, TicketContent] = {}
    for link in links:
        if link.guest is None:
            continue
        own, out, back = (
            (link.a, link.a_to_b, link.b_to_a)
            if link.a.node == link.guest
            else (link.b, link.b_to_a, link.a_to_b)
        )
        families = (network.addresses, network.addresses6)
        addresses = [
            str(each.by_interface[own.interface]) for each in families if own.interface in each.by_interface
        ]
        peer = peers[link.instances[0], link.guest]
        made[link.guest] = {
            "format": _FORMAT,
            "guest": link.guest,
            "port": int(peer["local"].rpartition(":")[2]),
            "key": peer["key"],
            "interface": {
                "name": own.interface,
                "mac": network.macs[own.interface],
                "addresses": addresses,
                "mtu": own.mtu,
            },
            "routes": _routes(network, link.guest, addresses),
            "link": {"name": link.name, "out": out.to_json(), "back": back.to_json()},
            "peering": {
                name: value for name, value in peer.items() if name not in ("name", "local", "remote", "key")
            },
        }
        if slow != 1:
            made[link.guest]["slow"] = slow
    return made


def _routes(network: Network, guest: str, addresses: Sequence[str]) -> list[TicketRoute]:
    """The routes that the description says; else those to the network's other subnets, by the guest's gateways. A
    default route would take the guest's computer away from everything else.
    """
    given = network.layout.nodes[guest].resolved.get("routes", [])
    if given:
        return [{"prefix": prefix, "via": via} for prefix, via in given]
    own = [ipaddress.ip_interface(address).network for address in addresses]
    gateways = {
        ipaddress.ip_address(route["via"]).version: route["via"]
        for route in network.routes.get(guest, [])
        if route["via"] is not None
    }
    subnets = [
        subnet
        for each in (network.addresses, network.addresses6)
        for subnet in dict.fromkeys(each.subnet_of.values())
        if subnet not in own
    ]
    return [
        {"prefix": str(subnet), "via": gateways[subnet.version]}
        for subnet in subnets
        if subnet.version in gateways
    ]

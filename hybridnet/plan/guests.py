# SPDX-License-Identifier: MIT
"""Guests: computers that are no machines of the run, and join it as a node. Pure.

    node ── link ── peering portal  ══ UDP, sealed ══  peering portal ── TAP, on the guest's computer
            instance of the run                        instance that `hybridnet join` starts

The link between the two is a cut link, whose delay hides the way between the computers. What the guest's computer needs
to know is its *ticket*: one for each guest, with a key of its own, which follows from the run's and does not tell it.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hybridnet.errors import PlanError
from hybridnet.quantities import format_delay
from hybridnet.topo import LinkSpec

if TYPE_CHECKING:
    from hybridnet.plan.instance import Network
    from hybridnet.plan.layout import Layout
    from hybridnet.plan.links import LinkPlan

__all__ = ["ANYBODY", "GUEST", "GUEST_PORT", "check_guest_link", "check_guests", "guest_peer", "tickets"]

Json = dict[str, Any]

GUEST = "guest"
GUEST_PORT = 47900
ANYBODY = "any"  # the remote of a peer that is a guest
FORMAT = 1  # of tickets

# What the run says of the way between its own instances, and a guest's way has not: it is UDP, sealed, without bulk,
# and between clocks that nobody knows.
_NOT_OF_A_GUEST = (
    "transport",
    "datagram_size_bytes",
    "bulk_dscp",
    "bulk_filter",
    "clocks",
    "clock_ahead_ns",
    "clock_drift_ppm",
)


def check_guests(layout: Layout, ports: Mapping[str, int]) -> None:
    """Raise PlanError where a guest is not joined as it can be.

    Args:
        ports: of each guest.
    """
    at_port: dict[tuple[str, int], str] = {}
    taken = {name for names in layout.division.instances.values() for name in names} | set(
        layout.division.instances
    )
    for spec in layout.nodes.values():
        if spec.kind != GUEST:
            continue
        links = len(layout.ends_of[spec.name])
        if links != 1:
            raise PlanError(
                f"guest {spec.name}: it has {links} links, and must have one; put a switch beside it for more"
            )
        if (
            other := at_port.setdefault((layout.machine_of[spec.name], ports[spec.name]), spec.name)
        ) != spec.name:
            raise PlanError(
                f"guest {spec.name}: UDP port {ports[spec.name]} is that of guest {other}; give each its own port="
            )
        if spec.name in taken:
            raise PlanError(
                f"guest {spec.name}: a machine or an instance has that name; choose another for the guest"
            )


def check_guest_link(link: LinkSpec, guests: Sequence[str], least_ns: int) -> None:
    """Raise PlanError where a link cannot lead to a guest.

    Args:
        guests: which of its ends are guests.
        least_ns: the least delay of a link between computers.
    """
    what = f"link {link.name}"
    if len(guests) > 1:
        raise PlanError(f"{what}: both its ends are guests; put a switch between them")
    delay_ns = min(link.a_to_b.least_delay_ns, link.b_to_a.least_delay_ns)
    if delay_ns < least_ns:
        raise PlanError(
            f"{what}: its delay ({format_delay(delay_ns)}) cannot hide the way to guest {guests[0]}; give it "
            f"delay='{format_delay(least_ns).replace(' ', '')}', or better more than that way takes, such as '10ms'"
        )
    for direction in (link.a_to_b, link.b_to_a):
        if direction.plugin is not None or "file" in (direction.rate_model or {}):
            raise PlanError(
                f"{what}: a plug-in and a trace are files of this computer, which guest {guests[0]} does not have; use "
                "them on another link, behind a switch"
            )


def guest_peer(guest: str, port: int, run_key: str | None, peering: Mapping[str, Any]) -> Json:
    """What an instance plan says of a guest.

    Args:
        port: UDP port at which the instance waits for it.
        run_key: that of the run's peering.
        peering: options of the run's peering, as in a plan.

    Raises:
        PlanError: the run has no key.
    """
    if run_key is None:
        raise PlanError(
            f"guest {guest}: it is known by a key, and the plan has none; give PlanOptions a peering_key, such as "
            "secrets.token_hex(32)"
        )
    key = hmac.new(bytes.fromhex(run_key), f"guest {guest}".encode(), hashlib.sha256).hexdigest()
    kept = {name: value for name, value in peering.items() if name not in _NOT_OF_A_GUEST}
    return {"name": guest, "local": f"0.0.0.0:{port}", "remote": ANYBODY, **kept, "key": key}


def tickets(
    network: Network, links: Sequence[LinkPlan], peers: Mapping[tuple[str, str], Mapping[str, Any]]
) -> dict[str, Json]:
    """What each guest's computer is told, by guest: see `hybridnet.join.ticket`.

    Args:
        peers: the entries of `guest_peer`, by instance and guest.
    """
    made: dict[str, Json] = {}
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
            "format": FORMAT,
            "guest": link.guest,
            "port": int(str(peer["local"]).rpartition(":")[2]),
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
    return made


def _routes(network: Network, guest: str, addresses: Sequence[str]) -> list[Json]:
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

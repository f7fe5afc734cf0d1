# SPDX-License-Identifier: MIT
"""Guests: computers that are no machines of the run, and join it as a node. Pure.

    node ── link ── peering portal  ══ UDP, sealed ══  peering portal ── TAP, on the guest's computer
            instance of the run                        instance that `hybridnet join` starts

The link between the two is a cut link, whose delay hides the way between the computers.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from typing import Any

from hybridnet.describe.quantities import format_delay
from hybridnet.describe.schema.plans import PeerPlan
from hybridnet.describe.topo import LinkSpec
from hybridnet.errors import PlanError
from hybridnet.plan.placement.layout import Layout

__all__ = ["ANYBODY", "GUEST", "GUEST_PORT", "check_guest_link", "check_guests", "guest_peer"]


GUEST = "guest"
GUEST_PORT = 47900
ANYBODY = "any"  # the remote of a peer that is a guest

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
        if spec.role != GUEST:
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


def guest_peer(guest: str, port: int, run_key: str | None, peering: Mapping[str, Any]) -> PeerPlan:
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
    kept: Any = {name: value for name, value in peering.items() if name not in _NOT_OF_A_GUEST}
    peer: PeerPlan = {"name": guest, "local": f"0.0.0.0:{port}", "remote": ANYBODY}
    peer.update(kept)
    peer["key"] = key
    return peer

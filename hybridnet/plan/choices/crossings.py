# SPDX-License-Identifier: MIT
"""Crossings: what carries the frames of a cut link whose ends are emulation portals, as ``peering="pcap"`` asks. Pure.

    instance ─ link ─ [pcap portal] ─ crossing ─ [pcap portal] ─ instance

Within a machine a crossing is a veth pair. Between machines it is one end of a VXLAN tunnel on each, so it needs
nothing of the network between them but UDP. A cut link's queue, rate and delay are at its sender; what the real transit
takes comes on top.
"""

from __future__ import annotations

from hybridnet.describe.schema.plans import CrossingPlan, EmulationPortal

__all__ = ["BACKEND", "crossing_devices", "crossings_of", "portal_of_crossing"]


BACKEND = "pcap"


def crossing_devices(number: int) -> tuple[str, str]:
    """The devices at the two ends of a crossing, distinct even where both are on one machine.

    Args:
        number: of the crossing in the network, from 1.
    """
    return f"cross{number}a", f"cross{number}b"


def portal_of_crossing(device: str) -> EmulationPortal:
    """The emulation portal at an end of a crossing, as the instance plan writes it."""
    return {"name": f"p-{device}", "device": device, "backend": BACKEND}


def crossings_of(
    number: int, machines: tuple[str, str], addresses: tuple[str, str], port: int, mtu: int
) -> dict[str, CrossingPlan]:
    """What the machines make for a crossing, as the machine plan writes it, by machine.

    Args:
        number: of the crossing.
        machines, addresses: of its two ends.
        port: UDP port of tunnels between the two.
        mtu: of the link, bytes.

    Example:
        >>> crossings_of(1, ("m1", "m1"), ("198.18.0.1", "198.18.0.1"), 47000, 1500)
        {'m1': {'device': 'cross1a', 'mtu': 1500, 'other': 'cross1b'}}
    """
    devices = crossing_devices(number)
    if machines[0] == machines[1]:
        return {machines[0]: {"device": devices[0], "mtu": mtu, "other": devices[1]}}
    return {
        machines[near]: {
            "device": devices[near],
            "mtu": mtu,
            "tunnel": {"id": number, "local": addresses[near], "remote": addresses[1 - near], "port": port},
        }
        for near in (0, 1)
    }

# SPDX-License-Identifier: MIT
"""Transports: how packets of cut links get from one instance to another, and what each takes at least.

A cut link's delay must hide what really passes between two instances. Over UDP that is reading the packet from its
portal, a datagram through the kernel, and waking the other instance: on one computer tens of microseconds, and now and
then more than a hundred. With less delay the packets of every burst would come late.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hybridnet.errors import PlanError

__all__ = ["LEAST_DELAY_NS", "least_delay_ns", "loopback_address", "peer_entry", "transport_between"]

LEAST_DELAY_NS: Mapping[str, int] = {"udp": 200_000}
"""By transport: the least delay of a cut link that it can hide on one computer."""


def transport_between(machines: tuple[str, str]) -> str:
    """The transport between instances of these two machines, or of one."""
    return "udp"


def least_delay_ns(machines: tuple[str, str], between_machines_ns: int) -> int:
    """The least delay of a cut link between instances of these two machines, or of one.

    Args:
        between_machines_ns: what the run asks of links between machines; within one the transport decides, unless the
            run asks for less.
    """
    if machines[0] != machines[1]:
        return between_machines_ns
    return min(between_machines_ns, LEAST_DELAY_NS[transport_between(machines)])


def loopback_address(number: int) -> str:
    """Where the instance of that number, from 0 on, is reached from the others of its machine.

    Example:
        >>> loopback_address(0), loopback_address(255)
        ('127.0.0.1', '127.0.1.0')
    """
    return f"127.0.{(number + 1) >> 8}.{(number + 1) & 255}"


def peer_entry(other: str, local: str, remote: str, port: int) -> dict[str, Any]:
    """What an instance plan says of a peer.

    Args:
        local, remote: addresses of this end and of the other.

    Raises:
        PlanError: there is no such port.
    """
    if port > 65535:
        raise PlanError(
            f"instance {other}: no UDP port is left for peering ({port}); start from a lower peer_port"
        )
    return {"name": other, "local": f"{local}:{port}", "remote": f"{remote}:{port}"}

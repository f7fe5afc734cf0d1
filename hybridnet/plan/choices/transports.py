# SPDX-License-Identifier: MIT
"""Transports: how packets of cut links get from one instance to another, and what each takes at least.

A cut link's delay must hide what really passes between two instances. Over UDP, between machines, that is reading the
packet from its portal, a datagram through the kernel, and waking the other instance: on one computer tens of
microseconds, and now and then more than a hundred. Instances of one machine share memory, and a busy reader is not even
woken. With less delay the packets of every burst would come late.
"""

from __future__ import annotations

from collections.abc import Mapping

from hybridnet.describe.schema.plans import PeerPlan

__all__ = ["LEAST_DELAY_NS", "least_delay_ns", "peer_entry", "port_of", "transport_between"]

LEAST_DELAY_NS: Mapping[str, int] = {"udp": 200_000, "shm": 50_000}
"""By transport: the least delay of a cut link that it can hide on one computer."""


def transport_between(machines: tuple[str, str]) -> str:
    """The transport between instances of these two machines, or of one."""
    return "udp" if machines[0] != machines[1] else "shm"


def least_delay_ns(machines: tuple[str, str], between_machines_ns: int) -> int:
    """The least delay of a cut link between instances of these two machines, or of one.

    Args:
        between_machines_ns: what the run asks of links between machines; within one the transport decides, unless the
            run asks for less.
    """
    if machines[0] != machines[1]:
        return between_machines_ns
    return min(between_machines_ns, LEAST_DELAY_NS[transport_between(machines)])


def peer_entry(
    instances: tuple[str, str], machines: tuple[str, str], addresses: tuple[str, str], port: int
) -> PeerPlan:
    """What an instance plan says of a peer.

    Args:
        instances, machines, addresses: of this end and of the other.
        port: of their pair, which no other pair has.

    Example:
        >>> peer_entry(("m1.1", "m1.2"), ("m1", "m1"), ("198.18.0.1", "198.18.0.1"), 47000)
        {'name': 'm1.2', 'local': '47000-m1.1', 'remote': '47000-m1.2', 'transport': 'shm'}
    """
    transport = transport_between(machines)
    if transport == "shm":  # names of memory on the machine
        local, remote = (f"{port}-{name}" for name in instances)
        return {"name": instances[1], "local": local, "remote": remote, "transport": transport}
    local, remote = (f"{address}:{port}" for address in addresses)
    return {"name": instances[1], "local": local, "remote": remote}


def port_of(peer: PeerPlan) -> int:
    """The port that a peer's entry was made with."""
    local = str(peer["local"])
    return int(local.partition("-")[0] if peer.get("transport") == "shm" else local.rpartition(":")[2])

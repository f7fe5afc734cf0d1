# SPDX-License-Identifier: MIT
"""What a plan says of hosts that are joined in a chain: they are no switches. Pure."""

from __future__ import annotations

from collections.abc import Container

from hybridnet.describe.topo import Topo

__all__ = ["chain_notes"]


def chain_notes(topo: Topo, *addressed: Container[str]) -> list[str]:
    """A line for each emulated host that links join with other hosts, where an interface gets no address: frames go no
    further there.

    Args:
        topo: the description.
        addressed: the interfaces that get addresses, of each family.
    """
    hosts = {spec.name for spec in topo.node_specs() if spec.role == "host" and not spec.resolved.get("nat")}
    silent: dict[str, list[str]] = {}
    for link in topo.link_specs():
        if link.a.node in hosts and link.b.node in hosts:
            for end in (link.a, link.b):
                if not any(end.interface in family for family in addressed):
                    silent.setdefault(end.node, []).append(end.interface)
    return [
        f"host {name} forwards nothing between its links, and {', '.join(interfaces)} has no address; put a switch "
        "between hosts that share a subnet, or give the link's end an address (params1, params2: ip=)"
        for name, interfaces in silent.items()
    ]

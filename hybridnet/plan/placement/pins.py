# SPDX-License-Identifier: MIT
"""Pins: what exists already, and stays as it is when a running network is planned again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hybridnet.describe.schema.plans import InstancePlan
from hybridnet.describe.topo.direction import Direction
from hybridnet.plan.choices.families import Address, Interface

__all__ = ["NO_PINS", "Pins"]


@dataclass(frozen=True)
class Pins:
    """What the nodes, interfaces, links and machines of a running network have."""

    machine_of: Mapping[str, str] = field(default_factory=dict)  # by node
    instance_of: Mapping[str, str] = field(default_factory=dict)  # by node
    port_types: Mapping[str, str] = field(default_factory=dict)  # by machine
    dpids: Mapping[str, str] = field(default_factory=dict)  # by switch
    node_of: Mapping[str, str] = field(default_factory=dict)  # by interface of a host or router
    macs: Mapping[str, str] = field(default_factory=dict)  # the same
    addresses: Mapping[str, Mapping[int, Interface]] = field(default_factory=dict)  # the same; by IP version
    lost: frozenset[str] = (
        frozenset()
    )  # those of `node_of` whose link is gone; on another one they may be elsewhere
    spent: frozenset[Address] = frozenset()  # addresses of nodes that are gone, which others still believe in
    directions: Mapping[str, tuple[Direction, Direction]] = field(default_factory=dict)  # by link
    simulated: frozenset[str] = frozenset()  # links of one machine, which stay simulated whatever they lose
    channels: Mapping[str, tuple[frozenset[str], int]] = field(
        default_factory=dict
    )  # by cut link; of which pair
    peer_ports: Mapping[frozenset[str], int] = field(default_factory=dict)  # by pair of instances
    instances: Mapping[str, InstancePlan] = field(default_factory=dict)  # instance plans by name
    instances_on: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # their names by machine

    def address(self, interface: str, version: int) -> Interface | None:
        """The address of an interface in one family; None if it has none, or does not exist yet."""
        return self.addresses.get(interface, {}).get(version)


NO_PINS = Pins()

# SPDX-License-Identifier: MIT
"""What a description consists of: nodes and links, as plain data."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from hybridnet.describe.kinds import OPENVSWITCH, SIMULATED
from hybridnet.describe.topo.direction import Direction
from hybridnet.describe.topo.options import End
from hybridnet.describe.topo.roles import ROLES

__all__ = ["LinkSpec", "NodeSpec", "natural"]


@dataclass(frozen=True)
class NodeSpec:
    """One node of the description: what was written, and what it means."""

    name: str
    role: str  # in `hybridnet.describe.topo.roles.ROLES`
    options: Mapping[str, Any] = field(default_factory=dict)  # as written
    resolved: Mapping[str, Any] = field(
        default_factory=dict
    )  # as read: `hybridnet.describe.topo.node_options`

    @property
    def kind(self) -> str:
        """What a switch is made of: see `hybridnet.describe.kinds`. Every other role has one kind, of its name."""
        kind: str = self.resolved.get("kind", OPENVSWITCH) if self.role == "switch" else self.role
        return kind

    @property
    def simulated(self) -> bool:
        """Whether the simulator is this node."""
        return ROLES[self.role].simulated or self.resolved.get("kind") == SIMULATED

    @property
    def forwards_frames(self) -> bool:
        """Whether its ports all belong to one Ethernet segment, or it is the way to others' part of one."""
        return ROLES[self.role].forwards_frames

    @property
    def machine(self) -> str | None:
        """Where it should live, if that was given."""
        return self.resolved.get("machine")

    @property
    def instance(self) -> str | int | None:
        """Which instance of its machine simulates it, or has its portals, if that was given."""
        return self.resolved.get("instance")


@dataclass(frozen=True)
class LinkSpec:
    """One link of the description, resolved: `a` is the end that `addLink` named first."""

    name: str
    a: End
    b: End
    a_to_b: Direction
    b_to_a: Direction
    key: int
    options: Mapping[str, Any] = field(default_factory=dict)  # as written
    patch: bool = (
        True  # between two bridges of Open vSwitch on one machine, where nothing is asked; else a veth pair
    )

    @property
    def shaped(self) -> bool:
        """Whether a direction has options, so that only the simulator can be this link."""
        return self.a_to_b.shaped or self.b_to_a.shaped


@lru_cache(maxsize=1 << 16)
def natural(text: str) -> tuple[str | tuple[int, str], ...]:
    """A sort key that orders s2 before s10.

    Example:
        >>> sorted(["s10", "s2", "h1"], key=natural)
        ['h1', 's2', 's10']
    """
    parts = re.split(r"([0-9]+)", str(text))  # scripts written for Mininet sort nodes by it
    parts[1::2] = [digits.lstrip("0") for digits in parts[1::2]]
    return tuple((len(part), part) if index % 2 else part for index, part in enumerate(parts))

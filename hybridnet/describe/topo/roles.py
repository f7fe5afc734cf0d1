# SPDX-License-Identifier: MIT
"""The roles of nodes: what the network takes each for, whatever it is made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = ["ROLES", "Role"]


@dataclass(frozen=True, kw_only=True)
class Role:
    """What a node is to the others.

    Args:
        name: as in errors and files.
        title: as in legends.
        add: the method of `hybridnet.Topo` that adds one; None: `addLink` does.
        section: of a network's YAML form, which has all nodes of the role; None: the form cannot say it.
        simulated: it exists only in the simulator.
        is_end: it has addresses and programs of its own, and its ports count from 0.
        forwards_frames: its ports all belong to one Ethernet segment, or it is the way to others' part of one.
        is_device: a device of its machine has its name.
        marker: of matplotlib, in pictures.
        dot: attributes of Graphviz.
    """

    name: str
    title: str
    add: str | None
    section: str | None
    simulated: bool = False
    is_end: bool = False
    forwards_frames: bool = False
    is_device: bool = False
    marker: str
    dot: str

    def add_to(self, topo: Any) -> Callable[..., str]:
        """The method of a `hybridnet.Topo` that adds a node of this role."""
        assert self.add is not None
        method: Callable[..., str] = getattr(topo, self.add)
        return method


_TABLE = (
    Role(
        name="host",
        title="host",
        add="addHost",
        section="hosts",
        is_end=True,
        marker="o",
        dot="shape=ellipse",
    ),
    Role(
        name="switch",
        title="switch",
        add="addSwitch",
        section="switches",
        forwards_frames=True,
        is_device=True,
        marker="s",
        dot="shape=box, style=rounded",
    ),
    Role(
        name="external",
        title="device of the computer",
        add=None,
        section=None,
        forwards_frames=True,
        is_device=True,
        marker="P",
        dot="shape=cds",
    ),
    Role(
        name="guest",
        title="guest",
        add="addGuest",
        section="guests",
        is_end=True,
        marker="h",
        dot="shape=ellipse, peripheries=2",
    ),
    Role(
        name="simhost",
        title="simulated host",
        add="addSimHost",
        section="simulated_hosts",
        simulated=True,
        is_end=True,
        marker="o",
        dot="shape=ellipse, style=dashed",
    ),
    Role(
        name="simrouter",
        title="simulated router",
        add="addSimRouter",
        section="simulated_routers",
        simulated=True,
        marker="D",
        dot="shape=diamond, style=dashed",
    ),
    Role(
        name="simswitch",
        title="simulated switch",
        add="addSimSwitch",
        section="simulated_switches",
        simulated=True,
        forwards_frames=True,
        marker="s",
        dot='shape=box, style="rounded,dashed"',
    ),
)
ROLES = {role.name: role for role in _TABLE}
"""By name."""

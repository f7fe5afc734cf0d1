# SPDX-License-Identifier: MIT
"""Hubs: what comes in at one port goes out at all others, so that every host can listen to all of it."""

from __future__ import annotations

from hybridnet.describe.kinds import SwitchKind
from hybridnet.describe.schema.plans import NodePlan
from hybridnet.kinds.linux import LinuxBridge, LinuxBridges

__all__ = ["HUB", "Hub"]


class Hubs(LinuxBridges):
    """Makes the hubs of one machine: bridges of the Linux kernel that forget at once what they learn."""

    def line_of(self, node: NodePlan) -> str:
        """What ``ip -batch`` is told to make a hub."""
        return f"{super().line_of(node)} ageing_time 0"


class Hub(LinuxBridge):
    """A live hub."""

    kind = "hub"


HUB = SwitchKind(name="hub", title="hub", maker=Hubs, live=Hub)

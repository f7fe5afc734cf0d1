# SPDX-License-Identifier: MIT
"""What a network has while it runs, and no longer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hybridnet.plan.network import MachineSpec, PlanOptions
from hybridnet.run.net.link_changes import LinkChanges
from hybridnet.run.net.losses import Losses
from hybridnet.run.net.members import Members
from hybridnet.run.net.outages import Outages
from hybridnet.run.net.returns import Returns
from hybridnet.run.net.timelines import Timelines

__all__ = ["Running"]


@dataclass(frozen=True)
class Running:
    """The parts of one run of a network.

    Args:
        specs, options: which it is planned with. So are its changes, with the machines that join.
    """

    specs: Sequence[MachineSpec]
    options: PlanOptions
    links: LinkChanges
    timelines: Timelines
    outages: Outages
    losses: Losses
    returns: Returns
    members: Members

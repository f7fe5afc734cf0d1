# SPDX-License-Identifier: MIT
"""Which of Open vSwitch's datapaths the arms use: decided once for all of them, and read back from each. Pure.

A switch in the kernel costs a fraction of one in user space, so a comparison of arms on different datapaths compares
datapaths.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from hybridnet.errors import ExperimentError
from hybridnet.plan.choices.fit import Switching, choose_port_types
from hybridnet.plan.choices.options import MachineSpec
from hybridnet.system.vswitch import datapath_type

READ_BACK = "ovs-vsctl --format=json -- --columns=datapath_type list Bridge -- --columns=type list Interface"
"""Run on a machine: what its Open vSwitch says that it uses."""


@dataclass(frozen=True)
class Datapath:
    """The decision for every arm.

    Args:
        port_type: how frames get into hybridnet's switches: ``afxdp``, ``afpacket`` or ``system``.
    """

    port_type: str

    @property
    def type(self) -> str:
        """Open vSwitch's name: ``system`` (in the kernel) or ``netdev`` (in user space)."""
        return datapath_type(self.port_type)

    @property
    def mininet_name(self) -> str:
        """Mininet's name for it."""
        return "kernel" if self.type == "system" else "user"

    @property
    def mininet_port_type(self) -> str:
        """How frames get into Mininet's switches, which have plain devices as ports."""
        return "system" if self.type == "system" else "afpacket"

    def check(self, arm: str, machine: str, answer: str) -> dict[str, Any]:
        """What a machine's Open vSwitch uses, once an arm is built there.

        Args:
            arm, machine: for the message.
            answer: what READ_BACK printed.

        Returns:
            ``datapath_type``, and how many interfaces there are of each type.

        Raises:
            ExperimentError: it is another datapath than the one that was decided on.
        """
        bridges, interfaces = (json.loads(line)["data"] for line in answer.strip().splitlines())
        # Open vSwitch takes an empty type for "system", of bridges and of interfaces.
        found = {kind or "system" for (kind,) in bridges}
        if found != {self.type}:
            raise ExperimentError(
                f"build the {arm} arm: the switches on {machine} use the datapath {', '.join(sorted(found)) or 'none'}"
                f", and all arms are to use {self.type}; give --port-type, the same for all arms"
            )
        return {
            "datapath_type": self.type,
            "interface_types": dict(sorted(Counter(kind or "system" for (kind,) in interfaces).items())),
        }


def resolve(wanted: str, machines: Sequence[MachineSpec], bridges: int) -> Datapath:
    """One datapath for all arms.

    Args:
        wanted: a port type, or ``auto``: the kernel's datapath where every machine has it, else what the plan would
            choose in user space.
        machines: of the comparison.
        bridges: on each of them.

    Example:
        >>> resolve("auto", [MachineSpec("m1", "10.0.0.1", kernel_datapath=True)], 63).mininet_name
        'kernel'
    """
    everywhere = all(machine.kernel_datapath for machine in machines)
    machine = replace(machines[0], kernel_datapath=everywhere)
    return Datapath(choose_port_types([Switching(machine, bridges, wanted)])[machine.name])

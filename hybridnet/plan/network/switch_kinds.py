# SPDX-License-Identifier: MIT
"""Of which kind the OpenFlow switches of a network are that leave it open: those of Open vSwitch, or simulated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hybridnet.describe.topo import Topo
from hybridnet.describe.topo.switch_options import SIMULATED
from hybridnet.plan.network.switches import is_linux_bridge

__all__ = ["OPENVSWITCH", "SWITCH_KINDS", "leaves_open", "switches_notes", "with_switches"]

OPENVSWITCH = "openvswitch"
SWITCH_KINDS = (OPENVSWITCH, SIMULATED)


def leaves_open(options: Mapping[str, Any]) -> bool:
    """Whether a switch with these options says neither where it forwards nor whose bridge it is."""
    return not options.get("bridge") and options.get("datapath") is None


def with_switches(topo: Topo, kind: str | None) -> Topo:
    """A description in which the switches that leave it open are of this kind; None: as it is."""
    if kind != SIMULATED:
        return topo
    open_ones = [spec for spec in topo.node_specs() if spec.kind == "switch" and leaves_open(spec.options)]
    return topo.revised({spec.name: {**spec.options, "datapath": SIMULATED} for spec in open_ones}, {})


def switches_notes(topo: Topo, kind: str | None) -> list[str]:
    """What is to be said if a kind was asked for and no switch of the description is of it."""
    switches = [spec for spec in topo.node_specs() if spec.kind == "switch" and not is_linux_bridge(spec)]
    if kind is None or any(spec.simulated == (kind == SIMULATED) for spec in switches):
        return []
    why = (
        "every switch says itself where it forwards (datapath=)"
        if switches
        else "there is no OpenFlow switch"
    )
    return [f"switches={kind!r} (--switches) has no effect, because {why}"]

# SPDX-License-Identifier: MIT
"""Of which kind the OpenFlow switches of a network are that leave it open: those of Open vSwitch, or simulated."""

from __future__ import annotations

from hybridnet.describe.kinds import OWN_KINDS, SIMULATED
from hybridnet.describe.topo import Topo
from hybridnet.describe.topo.node_options import check_has, leaves_open

__all__ = ["check_switches", "switches_notes", "with_switches"]


def with_switches(topo: Topo, kind: str | None) -> Topo:
    """A description in which the switches that leave it open are of this kind; None: as it is."""
    if kind != SIMULATED:
        return topo
    open_ones = [spec for spec in topo.node_specs() if spec.role == "switch" and leaves_open(spec.options)]
    return topo.revised({spec.name: {**spec.options, "kind": SIMULATED} for spec in open_ones})


def check_switches(topo: Topo, kind: str | None) -> None:
    """Raise TopologyError for an option that a switch does not have, where those that leave their kind open are of
    this one; None: of Open vSwitch.
    """
    for spec in with_switches(topo, kind).node_specs():
        if spec.role == "switch":
            check_has(spec.kind, spec.resolved, f"switch {spec.name}")


def switches_notes(topo: Topo, kind: str | None) -> list[str]:
    """What is to be said if a kind was asked for and no switch of the description is of it."""
    switches = [spec for spec in topo.node_specs() if spec.kind in OWN_KINDS]
    if kind is None or any(spec.simulated == (kind == SIMULATED) for spec in switches):
        return []
    why = (
        "every switch says itself of which kind it is, or where it forwards (kind=, datapath=)"
        if switches
        else "there is no OpenFlow switch"
    )
    return [f"switches={kind!r} (--switches) has no effect, because {why}"]

# SPDX-License-Identifier: MIT
"""Of which kind the OpenFlow switches of a network are that leave it open: those of Open vSwitch, or simulated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hybridnet.describe.kinds import OWN_KINDS, SIMULATED
from hybridnet.describe.topo import Topo
from hybridnet.describe.topo.node_options import named_kind

__all__ = ["leaves_open", "switches_notes", "with_switches"]


def leaves_open(options: Mapping[str, Any]) -> bool:
    """Whether a switch with these options says neither its kind nor where it forwards."""
    if options.get("datapath") is not None:
        return False
    return named_kind(options) is None


def with_switches(topo: Topo, kind: str | None) -> Topo:
    """A description in which the switches that leave it open are of this kind; None: as it is."""
    if kind != SIMULATED:
        return topo
    open_ones = [spec for spec in topo.node_specs() if spec.role == "switch" and leaves_open(spec.options)]
    return topo.revised({spec.name: {**spec.options, "kind": SIMULATED} for spec in open_ones}, {})


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

# SPDX-License-Identifier: MIT
"""Switches: datapath ids, and names of portals that Linux can hold."""

from __future__ import annotations

import re

from hybridnet.errors import PlanError
from hybridnet.plan.layout import Layout
from hybridnet.topo import NodeSpec
from hybridnet.topo.node_options import MAX_DEVICE_NAME

__all__ = ["assign_dpids", "check_device_names", "portal_device"]


def assign_dpids(layout: Layout) -> dict[str, str]:
    """16 hexadecimal digits for every emulated switch, unique over all machines.

    As in Mininet: s1 gets 0000000000000001, the first number in the name, unless dpid= says otherwise.

    Raises:
        PlanError: a dpid is taken, or the name has no number to derive it from.
    """
    dpids: dict[str, str] = {}
    owners: dict[str, str] = {}
    for spec in layout.nodes.values():
        if spec.kind != "switch":
            continue
        dpid = _dpid(spec)
        if dpid in owners:
            raise PlanError(
                f"switch {spec.name}: dpid {dpid} is taken by {owners[dpid]}; give one of them another name or dpid="
            )
        owners[dpid] = spec.name
        dpids[spec.name] = dpid
    return dpids


def portal_device(interface: str) -> str:
    """The name of a portal's device in the machine's own namespace."""
    return f"{interface}p"


def check_device_names(layout: Layout, portals: set[str]) -> None:
    """Raise PlanError for the first portal whose second device has a longer name than Linux allows.

    Args:
        portals: the interfaces that get a portal, and so a second device.
    """
    for spec in layout.nodes.values():
        for end in layout.ends_of[spec.name] if not spec.simulated else ():
            device = portal_device(end.interface)
            if end.interface in portals and len(device) > MAX_DEVICE_NAME:
                raise PlanError(
                    f"interface {end.interface}: its portal {device} has {len(device)} characters, Linux allows "
                    f"{MAX_DEVICE_NAME}; choose a shorter node name or intfName"
                )


def _dpid(spec: NodeSpec) -> str:
    given: str | None = spec.resolved.get("dpid")
    if given is not None:
        return given
    number = re.search(r"[0-9]+", spec.name)
    if number is None:
        raise PlanError(
            f"switch {spec.name}: its name has no number to derive a dpid from; give dpid='1' or the like"
        )
    return f"{int(number[0]):016x}"

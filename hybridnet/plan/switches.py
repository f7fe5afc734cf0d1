# SPDX-License-Identifier: MIT
"""Switches: datapath ids, OpenFlow versions, and names that Linux can hold."""

from __future__ import annotations

import re

from hybridnet.errors import PlanError
from hybridnet.plan.layout import Layout
from hybridnet.topo import NodeSpec

__all__ = [
    "MAX_DEVICE_NAME",
    "assign_dpids",
    "check_device_names",
    "fail_mode_of",
    "portal_device",
    "protocols_of",
]

MAX_DEVICE_NAME = 15  # IFNAMSIZ less its closing zero
_PROTOCOLS = tuple(f"OpenFlow1{minor}" for minor in range(6))


def assign_dpids(layout: Layout) -> dict[str, str]:
    """16 hexadecimal digits for every emulated switch, unique over all machines.

    As in Mininet: s1 gets 0000000000000001, the first number in the name, unless dpid= says otherwise.

    Raises:
        PlanError: a dpid is malformed or taken, or the name has no number to derive it from.
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


def protocols_of(spec: NodeSpec) -> list[str]:
    """The OpenFlow versions that a switch offers. Raises PlanError for one that does not exist."""
    text = spec.options.get("protocols") or "OpenFlow13"
    protocols = [part.strip() for part in (text.split(",") if isinstance(text, str) else text)]
    for protocol in protocols:
        if protocol not in _PROTOCOLS:
            raise PlanError(
                f"switch {spec.name}: protocol {protocol!r} does not exist; write one of {', '.join(_PROTOCOLS)}"
            )
    return protocols


def fail_mode_of(spec: NodeSpec, default: str) -> str:
    """What a switch does without a controller. Raises PlanError for an unknown mode."""
    mode = spec.options.get("failMode") or default
    if mode not in ("secure", "standalone"):
        raise PlanError(
            f"switch {spec.name}: failMode {mode!r} does not exist; write 'secure' or 'standalone'"
        )
    return str(mode)


def portal_device(interface: str) -> str:
    """The name of a portal's device in the machine's own namespace."""
    return f"{interface}p"


def check_device_names(layout: Layout, portals: set[str]) -> None:
    """Raise PlanError for the first name that is longer than a Linux device name may be.

    Args:
        portals: the interfaces that get a portal, and so a second device.
    """
    for spec in layout.nodes.values():
        if spec.kind == "switch":
            _check_length(spec.name, f"switch {spec.name}", "choose a shorter name")
        if spec.simulated:
            continue
        for end in layout.ends_of[spec.name]:
            what = f"interface {end.interface}"
            _check_length(end.interface, what, "choose a shorter node name or intfName")
            if end.interface in portals:
                device = portal_device(end.interface)
                _check_length(
                    device, f"{what}: its portal {device}", "choose a shorter node name or intfName"
                )


def _dpid(spec: NodeSpec) -> str:
    given = spec.options.get("dpid")
    if given is not None:
        text = str(given).replace(":", "").lower().removeprefix("0x")
        if not re.fullmatch(r"[0-9a-f]{1,16}", text):
            raise PlanError(f"switch {spec.name}: dpid {given!r} is not 1 to 16 hexadecimal digits")
        return text.zfill(16)
    number = re.search(r"\d+", spec.name)
    if number is None:
        raise PlanError(
            f"switch {spec.name}: its name has no number to derive a dpid from; give dpid='1' or the like"
        )
    dpid = f"{int(number[0]):016x}"
    if len(dpid) > 16:
        raise PlanError(
            f"switch {spec.name}: the number in its name is too large for a dpid; give dpid='1' or the like"
        )
    return dpid


def _check_length(name: str, what: str, cure: str) -> None:
    if len(name) > MAX_DEVICE_NAME:
        raise PlanError(f"{what} has {len(name)} characters, Linux allows {MAX_DEVICE_NAME}; {cure}")

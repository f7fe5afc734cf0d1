# SPDX-License-Identifier: MIT
"""Switches: the parts of a machine plan that describe its switches, datapath ids, and names of portals that Linux can
hold.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypedDict

from hybridnet.describe.kinds import OWN_KINDS, switch_kind
from hybridnet.describe.schema.plans import NodePlan, SwitchPlan
from hybridnet.describe.topo import NodeSpec
from hybridnet.describe.topo.node_options import MAX_DEVICE_NAME
from hybridnet.describe.topo.options import DEFAULT_MTU, End
from hybridnet.errors import PlanError
from hybridnet.plan.choices.options import PlanOptions
from hybridnet.plan.placement.layout import Layout
from hybridnet.plan.placement.pins import NO_PINS, Pins

__all__ = [
    "assign_dpids",
    "check_device_names",
    "jumbo",
    "node_plan",
    "portal_device",
    "switch_plan",
]


def switch_plan(
    spec: NodeSpec, ends: Sequence[End], dpid: str, controllers: Sequence[str], options: PlanOptions
) -> SwitchPlan:
    """One bridge of Open vSwitch."""
    given = spec.resolved
    plan: SwitchPlan = {
        "name": spec.name,
        "dpid": dpid,
        "protocols": given.get("protocols", list(options.protocols)),
        "fail_mode": given.get("failMode") or options.fail_mode,
        "controllers": list(controllers),
        "ports": [{"name": end.interface, "number": end.port} for end in ends],
    }
    if given.get("stp") is not None:
        plan["spanning_tree"] = given["stp"]
    if given.get("prio") is not None:
        plan["priority"] = given["prio"]
    if given.get("listenPort") is not None:
        plan["listen_port"] = given["listenPort"]
    if given.get("reconnectms") is not None:
        plan["reconnect_ms"] = given["reconnectms"]
    if given.get("inband"):
        plan["in_band"] = True
    if given.get("devices"):
        plan["devices"] = given["devices"]
    return plan


def node_plan(spec: NodeSpec, ends: Sequence[End]) -> NodePlan:
    """One switch of a kind that a package brings."""
    options = {name: value for name, value in spec.resolved.items() if name in switch_kind(spec.kind).options}
    plan: NodePlan = {
        "kind": spec.kind,
        "name": spec.name,
        "ports": [end.interface for end in ends],
        "options": options,
    }
    if spec.resolved.get("devices"):
        plan["devices"] = spec.resolved["devices"]
    return plan


class Jumbo(TypedDict, total=False):
    """The MTU of a port, in bytes, where it is not the usual one."""

    mtu: int


def jumbo(end: End) -> Jumbo:
    """What a plan says of the MTU of a switch's port: nothing where it is the usual one."""
    return {} if end.mtu == DEFAULT_MTU else {"mtu": end.mtu}


def assign_dpids(layout: Layout, pins: Pins = NO_PINS) -> dict[str, str]:
    """16 hexadecimal digits for every emulated switch, unique over all machines.

    As in Mininet: s1 gets 0000000000000001, the first number in the name, unless dpid= says otherwise. Of 0, which
    Open vSwitch takes for none, it is `OF_ZERO`. One that exists keeps its own.

    Raises:
        PlanError: a dpid is taken, or the name has no number to derive it from.
    """
    dpids: dict[str, str] = {}
    owners: dict[str, str] = {}
    for spec in layout.nodes.values():
        if spec.kind not in OWN_KINDS:
            continue
        dpid = pins.dpids.get(spec.name) or _dpid(spec)
        if dpid in owners:
            raise PlanError(
                f"switch {spec.name}: dpid {dpid} is taken by {owners[dpid]}; give one of them another name or dpid="
            )
        owners[dpid] = spec.name
        dpids[spec.name] = dpid
    return dpids


OF_ZERO = "0000020000000000"
"""Open vSwitch would derive one from a MAC address; this is one of the locally administered addresses."""


def portal_device(interface: str) -> str:
    """The name of a portal's device in the machine's own namespace."""
    return f"{interface}p"


def check_device_names(layout: Layout, portals: set[str]) -> None:
    """Raise PlanError for the first portal whose second device has a longer name than Linux allows.

    Args:
        portals: the interfaces that get a portal, and so a second device.
    """
    for spec in layout.nodes.values():
        for end in () if spec.simulated or spec.role == "external" else layout.ends_of[spec.name]:
            device = portal_device(end.interface)
            if end.interface in portals and len(device) > MAX_DEVICE_NAME:
                raise PlanError(
                    f"interface {end.interface}: its portal {device} has {len(device)} characters, Linux allows "
                    f"{MAX_DEVICE_NAME}; choose a shorter node name or intfName"
                )


def _dpid(spec: NodeSpec) -> str:
    number = _number_of(spec)
    return OF_ZERO if int(number, 16) == 0 else number


def _number_of(spec: NodeSpec) -> str:
    given: str | None = spec.resolved.get("dpid")
    if given is not None:
        return given
    number = re.search(r"[0-9]+", spec.name)
    if number is None:
        raise PlanError(
            f"switch {spec.name}: its name has no number to derive a dpid from; give dpid='1' or the like"
        )
    return f"{int(number[0]):016x}"

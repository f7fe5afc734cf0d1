# SPDX-License-Identifier: MIT
"""Simulated OpenFlow switches: the part of an instance plan that describes one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hybridnet.describe.options import table
from hybridnet.describe.schema.plans import OpenFlowPlan, SimulatedNode
from hybridnet.describe.topo import NodeSpec
from hybridnet.describe.topo.options import End
from hybridnet.errors import PlanError
from hybridnet.plan.choices.options import PlanOptions

__all__ = ["SPOKEN", "openflow_node"]

SPOKEN = ("OpenFlow10", "OpenFlow13")  # by simulated switches
RUN_DIRECTORY = "/run/openvswitch"  # of the machine, where ovs-ofctl looks for switches by name


def openflow_node(
    spec: NodeSpec, ends: Sequence[End], dpid: str, controllers: Sequence[str], options: PlanOptions
) -> SimulatedNode:
    """A node of an instance plan that is an OpenFlow switch.

    Raises:
        PlanError: an option that only Open vSwitch has, or a controller that is not reached by TCP.
    """
    what = f"switch {spec.name}"
    given = spec.resolved
    if given.get("devices"):
        raise PlanError(
            f"{what}: a simulated switch has no devices; leave it out, or leave kind='simulated' out"
        )
    protocols = list(given.get("protocols", options.protocols))
    for protocol in protocols:
        if protocol not in SPOKEN:
            raise PlanError(
                f"{what}: a simulated switch does not speak {protocol}; write {' or '.join(SPOKEN)}, or leave "
                "kind='simulated' out"
            )
    for target in controllers:
        if not target.startswith("tcp:"):
            raise PlanError(
                f"{what}: a simulated switch reaches controllers by TCP, not {target}; name tcp:..."
            )
    listens = [f"unix:{RUN_DIRECTORY}/{spec.name}.mgmt"]
    if given.get("listenPort") is not None:
        listens.append(f"tcp:127.0.0.1:{given['listenPort']}")
    openflow: OpenFlowPlan = {
        "dpid": dpid,
        "protocols": protocols,
        "fail_mode": given.get("failMode") or options.fail_mode,
        "controllers": list(controllers),
        "listens": listens,
    }
    if given.get("reconnectms") is not None:
        openflow["longest_retry_ns"] = given["reconnectms"] * 1_000_000
    others: Any = {
        option.key: given[name] for name, option in table("openflow").said.items() if name in given
    }
    openflow.update(others)
    return {
        "name": spec.name,
        "kind": "openflow",
        "interfaces": [
            {"name": end.interface, "number": end.port, "mac": _mac(dpid, end.port)} for end in ends
        ],
        "routes": [],
        "openflow": openflow,
    }


def _mac(dpid: str, port: int) -> str:
    """Of a port: locally administered, of the switch's id and the port's number."""
    return ":".join(f"02{dpid[-6:]}{port:04x}"[at : at + 2] for at in range(0, 12, 2))

# SPDX-License-Identifier: MIT
"""Routes of simulated nodes that change while the network runs."""

from __future__ import annotations

import ipaddress

from hybridnet.describe.schema.plans import InstancePlan, SimulatedNode, SimulatedRoute
from hybridnet.errors import PlanError
from hybridnet.plan.network.plan import Plan

__all__ = ["interface_toward", "rerouted"]

Routes = dict[str, list[SimulatedRoute]]


def rerouted(plan: Plan, other: Plan) -> dict[str, Routes]:
    """By instance: the routes that its routers and hosts have in the other plan, of those nodes that are in both."""
    before = plan.instances
    return {
        name: routes
        for name, part in other.instances.items()
        if name in before and (routes := _routes(part, {node["name"] for node in before[name]["nodes"]}))
    }


def _routes(instance: InstancePlan, names: set[str]) -> Routes:
    return {
        node["name"]: node.get("routes", [])
        for node in instance["nodes"]
        if node["kind"] in ("router", "host") and node["name"] in names
    }


def interface_toward(node: SimulatedNode, via: str) -> str:
    """The interface of a node of an instance plan on whose link an address is. Raises PlanError: there is none."""
    try:
        address = ipaddress.ip_address(via)
    except ValueError:
        raise PlanError(f"route of {node['name']}: via {via!r} is not an address") from None
    for interface in node["interfaces"]:
        for key in ("address", "address6"):
            if key in interface and address in ipaddress.ip_interface(interface[key]).network:
                return str(interface["name"])
    raise PlanError(
        f"route of {node['name']}: via {via} is on the link of none of its interfaces; name the interface"
    )

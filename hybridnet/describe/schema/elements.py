# SPDX-License-Identifier: MIT
"""What is in a plan: the elements of several kinds, together."""

from __future__ import annotations

from collections.abc import Iterable

from hybridnet.describe.schema.plans import (
    CrossingPlan,
    Fragment,
    HostPlan,
    InstancePart,
    InstancePlan,
    MachinePlan,
    NodePlan,
    OpenFlowPlan,
    SwitchPlan,
)

__all__ = ["crossing_devices", "nodes_of", "openflow_of", "other_portals"]


def nodes_of(part: MachinePlan | Fragment) -> list[HostPlan | SwitchPlan | NodePlan]:
    """All emulated hosts and switches that a machine has, or gets or loses as a whole."""
    return [*part["hosts"], *part["switches"], *part.get("nodes", [])]


def openflow_of(part: MachinePlan) -> dict[str, SwitchPlan | OpenFlowPlan]:
    """What a machine plan says of its OpenFlow switches, the simulated ones among them, by name."""
    emulated: dict[str, SwitchPlan | OpenFlowPlan] = {each["name"]: each for each in part["switches"]}
    nodes = [node for instance in part["instances"] for node in instance["nodes"]]
    return emulated | {node["name"]: node["openflow"] for node in nodes if "openflow" in node}


def crossing_devices(crossing: CrossingPlan) -> list[str]:
    """The devices of a crossing on this machine: one, or both of a veth pair."""
    return [crossing["device"], *([crossing["other"]] if "other" in crossing else [])]


def other_portals(instances: Iterable[InstancePlan | InstancePart]) -> dict[str, str]:
    """Of each portal whose link leads to another portal of the same instance, that one: no node is between them."""
    found: dict[str, str] = {}
    for instance in instances:
        for link in instance["links"]:
            if (a := link["a"].get("portal")) is not None and (b := link["b"].get("portal")) is not None:
                found |= {a: b, b: a}
    return found

# SPDX-License-Identifier: MIT
"""Fragments of a machine plan, as `build` and `change` take them: see `hybridnet.plan.network.difference`."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, cast

from hybridnet.describe.schema.plans import (
    Fragment,
    HostPlan,
    InstanceChange,
    InstancePart,
    InstancePlan,
    MachinePlan,
    NodePlan,
    SimulatedInterface,
    SimulatedNode,
    SimulatedRoute,
    SwitchPlan,
)
from hybridnet.system.interruption import heed

__all__ = [
    "Stages",
    "addition",
    "changed",
    "remade",
    "removal",
    "whole",
    "with_part",
    "without_part",
]

Node = TypeVar("Node", HostPlan, SwitchPlan, NodePlan)
Item = TypeVar("Item")


def whole(plan: MachinePlan) -> Fragment:
    """A machine plan as the first fragment."""
    return {
        "hosts": plan["hosts"],
        "host_parts": [],
        "switches": plan["switches"],
        "switch_parts": [],
        "nodes": plan.get("nodes", []),
        "node_parts": [],
        "names": plan.get("names"),
        "devices": plan.get("devices", []),
        "pairs": plan["pairs"],
        "portals": plan["portals"],
        "crossings": plan.get("crossings", []),
        "instances": [*plan["instances"]],
    }


def changed(plan: MachinePlan, remove: Fragment, add: Fragment) -> MachinePlan:
    """The machine plan once a change is made."""
    return {
        **plan,
        "hosts": _changed_nodes(
            plan["hosts"], remove["hosts"], remove["host_parts"], add["host_parts"], add["hosts"]
        ),
        "switches": _changed_nodes(
            plan["switches"], remove["switches"], remove["switch_parts"], add["switch_parts"], add["switches"]
        ),
        "nodes": _changed_nodes(
            plan.get("nodes", []), remove["nodes"], remove["node_parts"], add["node_parts"], add["nodes"]
        ),
        "pairs": _changed(plan["pairs"], remove["pairs"], add["pairs"]),
        "portals": _changed(plan["portals"], remove["portals"], add["portals"]),
        "devices": _changed(plan.get("devices", []), remove.get("devices", []), add.get("devices", [])),
        "instances": _changed_instances(plan["instances"], remove["instances"], add["instances"]),
    }


def _changed(items: Sequence[Item], gone: Sequence[Item], come: Sequence[Item]) -> list[Item]:
    return [*(item for item in items if item not in gone), *come]


def _changed_nodes(
    nodes: Sequence[Node],
    gone: Sequence[Node],
    less: Sequence[Node],
    more: Sequence[Node],
    come: Sequence[Node],
) -> list[Node]:
    names = {node["name"] for node in gone}
    stay: dict[str, Node] = {node["name"]: node for node in nodes if node["name"] not in names}
    for part in less:
        stay[part["name"]] = without_part(stay[part["name"]], part)
    for part in more:
        stay[part["name"]] = with_part(stay[part["name"]], part)
    made: list[Node] = list(stay.values())
    made.extend(come)
    return made


def without_part(node: Node, part: Node) -> Node:
    """A node without the interfaces, routes, neighbours and ports of a part of it."""
    return _with_lists(node, part, lambda own, items: [item for item in own if item not in items])


def with_part(node: Node, part: Node) -> Node:
    """A node with those of a part of it besides its own."""
    return _with_lists(node, part, lambda own, items: [*own, *items])


def _with_lists(node: Node, part: Node, joined: Callable[[list[Any], list[Any]], list[Any]]) -> Node:
    lists = [key for key in ("interfaces", "routes", "arp", "ports") if key in node or key in part]
    own, other = cast(Mapping[str, Any], node), cast(Mapping[str, Any], part)
    return cast(Node, {**own, **{key: joined(own.get(key, []), other.get(key, [])) for key in lists}})


def _changed_instances(
    plans: Sequence[InstancePlan],
    remove: Sequence[InstancePlan | InstancePart],
    add: Sequence[InstancePlan | InstancePart],
) -> list[InstancePlan]:
    """The plans of a machine's instances once these parts are gone and those have come."""
    ended = {part["name"] for part in remove if "format" in part}
    less = {part["name"]: part for part in remove if "format" not in part}
    more = {part["name"]: part for part in add if "format" not in part}
    kept = [
        _changed_instance(plan, less.get(plan["name"]), more.get(plan["name"]))
        for plan in plans
        if plan["name"] not in ended
    ]
    return [*kept, *(part for part in add if "format" in part)]


def _changed_instance(
    plan: InstancePlan, less: InstancePart | None, more: InstancePart | None
) -> InstancePlan:
    nothing = InstancePart(
        name=plan["name"], nodes=[], interfaces={}, emulation_portals=[], peers=[], links=[], routes={}
    )
    less, more = less or nothing, more or nothing
    gone = {node["name"] for node in less["nodes"]}
    nodes = [*(node for node in plan["nodes"] if node["name"] not in gone), *more["nodes"]]
    return {
        **plan,
        "nodes": [
            _changed_node(
                node,
                less["interfaces"].get(node["name"], []),
                more["interfaces"].get(node["name"], []),
                more["routes"].get(node["name"]),
            )
            for node in nodes
        ],
        "emulation_portals": _changed(
            plan["emulation_portals"], less["emulation_portals"], more["emulation_portals"]
        ),
        "peers": _changed(plan["peers"], less["peers"], more["peers"]),
        "links": _changed(plan["links"], less["links"], more["links"]),
    }


def _changed_node(
    node: SimulatedNode,
    gone: Sequence[SimulatedInterface],
    come: Sequence[SimulatedInterface],
    routes: list[SimulatedRoute] | None,
) -> SimulatedNode:
    """A simulated node without interfaces, with others, and with these routes; None: those that it has."""
    names = {interface["name"] for interface in gone}
    stay = [each for each in node["interfaces"] if each["name"] not in names]
    made: SimulatedNode = {**node, "interfaces": [*stay, *come]}
    if routes is not None:
        made["routes"] = routes
    return made


def remade(remove: Fragment, add: Fragment) -> dict[str, list[str]]:
    """The interfaces of hosts that go and come again with the same addresses, as other devices; by host."""
    before = {part["name"]: part["interfaces"] for part in remove["host_parts"]}
    found = {
        part["name"]: [each["name"] for each in part["interfaces"] if each in before.get(part["name"], [])]
        for part in add["host_parts"]
    }
    return {host: names for host, names in found.items() if names}


def removal(part: InstancePart) -> InstanceChange:
    """What the instance's verb `change` is told to remove a part."""
    return {
        "remove": {
            "links": [link["name"] for link in part["links"]],
            "portals": [portal["name"] for portal in part["emulation_portals"]],
            "peers": [peer["name"] for peer in part["peers"]],
            "nodes": [node["name"] for node in part["nodes"]],
            "interfaces": [each["name"] for own in part["interfaces"].values() for each in own],
        }
    }


def addition(part: InstancePart) -> InstanceChange:
    """What it is told to add one."""
    return {
        "add": {
            "nodes": part["nodes"],
            "interfaces": part["interfaces"],
            "emulation_portals": part["emulation_portals"],
            "peers": part["peers"],
            "links": part["links"],
        },
        "routes": part["routes"],
    }


class Stages:
    """How many seconds each stage of building or changing has taken."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = time.monotonic()

    def done(self, stage: str) -> None:
        """A stage is over. Raises MachineError: what is built is to be removed, so there is no next one."""
        now = time.monotonic()
        self.seconds[stage] = self.seconds.get(stage, 0.0) + now - self._last
        self._last = now
        heed()

# SPDX-License-Identifier: MIT
"""Fragments of a machine plan, as `build` and `change` take them: see `hybridnet.plan.network.difference`."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from hybridnet.system.interruption import heed

__all__ = ["Stages", "addition", "changed", "remade", "removal", "whole"]


def whole(plan: Mapping[str, Any]) -> dict[str, Any]:
    """A machine plan as the first fragment."""
    own = {key: plan[key] for key in ("hosts", "switches", "pairs", "portals", "instances")}
    parts: dict[str, Any] = {"host_parts": [], "switch_parts": [], "bridge_parts": []}
    optional = {key: plan.get(key, []) for key in ("bridges", "devices", "crossings")}
    return {**own, **parts, **optional, "names": plan.get("names")}


def changed(plan: Mapping[str, Any], remove: Mapping[str, Any], add: Mapping[str, Any]) -> dict[str, Any]:
    """The machine plan once a change is made."""
    made = dict(plan)
    for key, part, lists in (
        ("hosts", "host_parts", ("interfaces", "routes", "arp")),
        ("switches", "switch_parts", ("ports",)),
        ("bridges", "bridge_parts", ("ports",)),
    ):
        gone = {node["name"] for node in remove[key]}
        nodes = {node["name"]: node for node in plan.get(key, []) if node["name"] not in gone}
        for less in remove[part]:
            nodes[less["name"]] = _with_lists(nodes[less["name"]], lists, less, {})
        for more in add[part]:
            nodes[more["name"]] = _with_lists(nodes[more["name"]], lists, {}, more)
        made[key] = [*nodes.values(), *add[key]]
    for key in ("pairs", "portals", "devices"):
        kept = [item for item in plan.get(key, []) if item not in remove.get(key, [])]
        made[key] = kept + add.get(key, [])
    made["instances"] = _changed_instances(plan["instances"], remove["instances"], add["instances"])
    return made


def _changed_instances(
    plans: Sequence[Mapping[str, Any]], remove: Sequence[Mapping[str, Any]], add: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """The plans of a machine's instances once these parts are gone and those have come."""
    less, more = ({part["name"]: part for part in parts} for parts in (remove, add))
    kept = [
        _changed_instance(plan, less.get(plan["name"], {}), more.get(plan["name"], {}))
        for plan in plans
        if "format" not in less.get(plan["name"], {})
    ]
    return [*kept, *(dict(part) for part in add if "format" in part)]


def _changed_instance(
    plan: Mapping[str, Any], less: Mapping[str, Any], more: Mapping[str, Any]
) -> dict[str, Any]:
    made = dict(plan)
    for key in ("nodes", "emulation_portals", "peers", "links"):
        gone = {item["name"] for item in less.get(key, [])}
        made[key] = [item for item in plan[key] if item["name"] not in gone] + more.get(key, [])
    made["nodes"] = [
        _changed_node(
            node,
            {item["name"] for item in less.get("interfaces", {}).get(node["name"], [])},
            more.get("interfaces", {}).get(node["name"], []),
            more.get("routes", {}).get(node["name"]),
        )
        for node in made["nodes"]
    ]
    return made


def _changed_node(
    node: dict[str, Any],
    gone: set[str],
    came: list[dict[str, Any]],
    routes: list[dict[str, Any]] | None,
) -> dict[str, Any]:
    """A simulated node without interfaces, with others, and with these routes; None: those that it has."""
    interfaces = [each for each in node["interfaces"] if each["name"] not in gone] + came
    made = {**node, "interfaces": interfaces}
    return made if routes is None else {**made, "routes": routes}


def _with_lists(
    node: Mapping[str, Any], keys: Sequence[str], less: Mapping[str, Any], more: Mapping[str, Any]
) -> dict[str, Any]:
    """A node without what of its lists is in `less`, and with what is in `more`."""
    lists = {
        key: [item for item in node.get(key, []) if item not in less.get(key, [])] + more.get(key, [])
        for key in keys
    }
    return {**node, **lists}


def remade(remove: Mapping[str, Any], add: Mapping[str, Any]) -> dict[str, list[str]]:
    """The interfaces of hosts that go and come again with the same addresses, as other devices; by host."""
    before = {part["name"]: part["interfaces"] for part in remove["host_parts"]}
    found = {
        part["name"]: [each["name"] for each in part["interfaces"] if each in before.get(part["name"], [])]
        for part in add["host_parts"]
    }
    return {host: names for host, names in found.items() if names}


def removal(part: Mapping[str, Any]) -> dict[str, Any]:
    """What the instance's verb `change` is told to remove a part."""
    lists = {"links": "links", "portals": "emulation_portals", "peers": "peers", "nodes": "nodes"}
    names = {kind: [item["name"] for item in part[key]] for kind, key in lists.items()}
    names["interfaces"] = [item["name"] for own in part["interfaces"].values() for item in own]
    return {"remove": names}


def addition(part: Mapping[str, Any]) -> dict[str, Any]:
    """What it is told to add one."""
    keys = ("nodes", "interfaces", "emulation_portals", "peers", "links")
    return {"add": {key: part[key] for key in keys}, "routes": part["routes"]}


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

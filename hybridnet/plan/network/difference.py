# SPDX-License-Identifier: MIT
"""The difference of two plans of one network: what each machine removes and makes while it runs.

A *fragment* is shaped like a machine plan. Besides whole hosts and switches it has parts of those that stay:

    hosts, switches, nodes       nodes that come or go
    host_parts, switch_parts,    of nodes that stay: the interfaces, routes, neighbours and ports that come or go
    node_parts
    names                        those by address that come or go; or null
    pairs, portals, devices      as in the machine plan
    instances                    by name, the nodes, emulation portals, peers and links that an instance gets or loses,
                                 the interfaces that nodes that stay get or lose, and their routes before or after; or
                                 the whole plan of an instance that starts or ends

A machine that only one of the two plans has is built or removed as a whole: there is no difference of it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from hybridnet.describe.schema.plans import (
    Fragment,
    HostPlan,
    InstancePart,
    InstancePlan,
    MachinePlan,
    NodePlan,
    PairPlan,
    PortalPlan,
    SwitchPlan,
)
from hybridnet.errors import PlanError
from hybridnet.plan.network.plan import Plan

__all__ = ["Change", "difference"]

Node = TypeVar("Node", HostPlan, SwitchPlan, NodePlan)
Item = TypeVar("Item")


@dataclass(frozen=True)
class Change:
    """What one machine does: remove a fragment, and add another one."""

    remove: Fragment
    add: Fragment

    def reverse(self) -> Change:
        """The change that undoes this one."""
        return Change(self.add, self.remove)

    def __bool__(self) -> bool:
        """Whether there is something to do."""
        return any(value for part in (self.remove, self.add) for value in part.values())


def difference(old: Plan, new: Plan) -> dict[str, Change]:
    """What changes on each machine of both plans, where something does. `new` is planned with the pins of `old`.

    Raises:
        PlanError: it cannot change while the network runs; the message names the node and the cure.
    """
    both = [name for name in new.machines if name in old.machines]
    changes = {name: _difference(old.machines[name], new.machines[name]) for name in both}
    return {name: change for name, change in changes.items() if change}


def _difference(old: MachinePlan, new: MachinePlan) -> Change:
    remade = _remade(old, new)
    hosts = _nodes(old["hosts"], new["hosts"], lambda a, b: _host_parts(a, b, remade))
    switches = _nodes(old["switches"], new["switches"], lambda a, b: _switch_parts(a, b, remade))
    others = _nodes(old.get("nodes", []), new.get("nodes", []), lambda a, b: _other_parts(a, b, remade))
    names = _names(old.get("names"), new.get("names"))
    devices = _apart(old.get("devices", []), new.get("devices", []), lambda device: device)
    pairs = _apart(old["pairs"], new["pairs"], _ends, lambda pair: not remade & set(_interfaces(pair)))
    portals = _apart(
        old["portals"],
        new["portals"],
        lambda portal: portal["name"],
        lambda portal: not remade & set(_interfaces(portal)),
    )
    if old.get("crossings", []) != new.get("crossings", []):
        raise PlanError(
            f"machine {new['machine']}: a link between instances that pcap portals cross cannot come or go while the "
            "network runs; describe it before the network starts"
        )
    instances = _instances(old["instances"], new["instances"])
    remove, add = (
        Fragment(
            hosts=hosts.whole[at],
            host_parts=hosts.parts[at],
            switches=switches.whole[at],
            switch_parts=switches.parts[at],
            nodes=others.whole[at],
            node_parts=others.parts[at],
            names=names[at],
            devices=devices[at],
            pairs=pairs[at],
            portals=portals[at],
            instances=instances[at],
        )
        for at in (0, 1)
    )
    return Change(remove, add)


def _remade(old: MachinePlan, new: MachinePlan) -> set[str]:
    """The interfaces that are in both plans, but as other devices, or with other addresses."""
    before, after = (_by_interface([*plan["pairs"], *plan["portals"]]) for plan in (old, new))
    was, becomes = (
        {interface["name"]: interface for host in plan["hosts"] for interface in host["interfaces"]}
        for plan in (old, new)
    )
    both = before.keys() & after.keys()
    changed = {name for name in both if before[name] != after[name] or was.get(name) != becomes.get(name)}
    # A pair has two ends, and goes as a whole.
    return (
        changed
        | {name for each in changed for item in (before, after) for name in _interfaces(item[each])} & both
    )


def _by_interface(items: Sequence[PairPlan | PortalPlan]) -> dict[str, PairPlan | PortalPlan]:
    return {name: item for item in items for name in _interfaces(item)}


def _interfaces(item: PairPlan | PortalPlan) -> tuple[str, ...]:
    """The interfaces of a pair or portal."""
    return (item["a"]["interface"], item["b"]["interface"]) if "kind" in item else (item["interface"],)


def _name(item: Mapping[str, Any]) -> Any:
    return item["name"]


def _ends(pair: PairPlan) -> Any:
    return pair["kind"], *_interfaces(pair)


def _apart(
    old: Sequence[Item],
    new: Sequence[Item],
    key: Callable[[Item], Any],
    same: Callable[[Item], bool] = lambda item: True,
) -> tuple[list[Item], list[Item]]:
    """What is only in the one, and what is only in the other. Items of one key that are not the same are in both."""
    before, after = {key(item): item for item in old}, {key(item): item for item in new}
    stay = {each for each, item in before.items() if each in after and after[each] == item and same(item)}
    return (
        [item for each, item in before.items() if each not in stay],
        [item for each, item in after.items() if each not in stay],
    )


@dataclass(frozen=True)
class _Nodes(Generic[Node]):
    """Of the old plan and of the new one: nodes that only this one has, and parts of nodes that both have."""

    whole: tuple[list[Node], list[Node]]
    parts: tuple[list[Node], list[Node]]


def _nodes(
    old: Sequence[Node], new: Sequence[Node], parts: Callable[[Node, Node], tuple[Node, Node]]
) -> _Nodes[Node]:
    before, after = ({node["name"]: node for node in nodes} for nodes in (old, new))
    less: list[Node] = []
    more: list[Node] = []
    for name in [name for name in before if name in after]:
        for found, kept in zip(parts(before[name], after[name]), (less, more), strict=True):
            if any(found.get(key) for key in ("interfaces", "routes", "arp", "ports")):
                kept.append(found)
    gone = [node for name, node in before.items() if name not in after]
    come = [node for name, node in after.items() if name not in before]
    return _Nodes((gone, come), (less, more))


def _host_parts(old: HostPlan, new: HostPlan, remade: set[str]) -> tuple[HostPlan, HostPlan]:
    _refuse_other("host", old, new, ("interfaces", "routes", "arp"))
    less: HostPlan = {**old, "private_dirs": []}
    more: HostPlan = {**new, "private_dirs": []}
    less["interfaces"], more["interfaces"] = _apart(
        old["interfaces"], new["interfaces"], _name, lambda item: item["name"] not in remade
    )
    # Routes and neighbours of a device go with it, and come again with it. A route that says no device may be over it.
    routes_stay = not any(item["name"] in remade for item in old["interfaces"])
    less["routes"], more["routes"] = _apart(
        old["routes"], new["routes"], lambda route: route["prefix"], lambda route: routes_stay
    )
    if "arp" in new:
        less["arp"], more["arp"] = _apart(
            old["arp"],
            new["arp"],
            lambda entry: (entry["interface"], entry["address"]),
            lambda entry: entry["interface"] not in remade,
        )
    return less, more


def _switch_parts(old: SwitchPlan, new: SwitchPlan, remade: set[str]) -> tuple[SwitchPlan, SwitchPlan]:
    _refuse_other("switch", old, new, ("ports",))
    less: SwitchPlan = {**old, "controllers": []}
    more: SwitchPlan = {**new, "controllers": []}
    less["ports"], more["ports"] = _apart(
        old["ports"], new["ports"], _name, lambda port: port["name"] not in remade
    )
    return less, more


def _other_parts(old: NodePlan, new: NodePlan, remade: set[str]) -> tuple[NodePlan, NodePlan]:
    _refuse_other("switch", old, new, ("ports",))
    ports = _apart(old["ports"], new["ports"], lambda port: port, lambda port: port not in remade)
    return {**old, "ports": ports[0]}, {**new, "ports": ports[1]}


def _refuse_other(
    kind: str, old: Mapping[str, Any], new: Mapping[str, Any], may_change: Collection[str]
) -> None:
    for key in sorted((old.keys() | new.keys()) - set(may_change)):
        if old.get(key) != new.get(key):
            raise PlanError(
                f"{kind} {old['name']}: its {key} cannot change from {old.get(key)} to {new.get(key)} while it exists; "
                "remove it first, and add it again in another change"
            )


def _names(
    old: dict[str, list[str]] | None, new: dict[str, list[str]] | None
) -> tuple[dict[str, list[str]] | None, dict[str, list[str]] | None]:
    """The names by address that are gone, and those that are new; None where hosts have the computer's."""
    if old is None and new is None:
        return None, None
    old, new = old or {}, new or {}
    return (
        {address: names for address, names in old.items() if new.get(address) != names},
        {address: names for address, names in new.items() if old.get(address) != names},
    )


def _instances(
    old: Sequence[InstancePlan], new: Sequence[InstancePlan]
) -> tuple[list[InstancePlan | InstancePart], list[InstancePlan | InstancePart]]:
    """What instances that run lose and get; those that start or end are whole."""
    running, stay = {plan["name"]: plan for plan in old}, {plan["name"] for plan in new}
    remove: list[InstancePlan | InstancePart] = [plan for plan in old if plan["name"] not in stay]
    add: list[InstancePlan | InstancePart] = []
    for plan in new:
        if plan["name"] not in running:
            add.append(plan)
            continue
        for fragment, part in zip((remove, add), _instance_parts(running[plan["name"]], plan), strict=True):
            if any(value for key, value in part.items() if key != "name"):
                fragment.append(part)
    return remove, add


def _instance_parts(old: InstancePlan, new: InstancePlan) -> tuple[InstancePart, InstancePart]:
    portals = _apart(old["emulation_portals"], new["emulation_portals"], _name)
    peers = _apart(old["peers"], new["peers"], _name)
    links = _apart(old["links"], new["links"], _name)
    was, becomes = ({node["name"]: node for node in plan["nodes"]} for plan in (old, new))
    nodes = (
        [node for name, node in was.items() if name not in becomes],
        [node for name, node in becomes.items() if name not in was],
    )
    less, more = (
        InstancePart(
            name=old["name"],
            nodes=nodes[at],
            interfaces={},
            emulation_portals=portals[at],
            peers=peers[at],
            links=links[at],
            routes={},
        )
        for at in (0, 1)
    )
    for name in [name for name in was if name in becomes]:
        before, after = was[name], becomes[name]
        _refuse_other("simulated node", before, after, ("interfaces", "routes"))
        parts = _apart(before["interfaces"], after["interfaces"], _name)
        for fragment, node, interfaces in ((less, before, parts[0]), (more, after, parts[1])):
            if interfaces:
                fragment["interfaces"][name] = interfaces
            if before["routes"] != after["routes"]:
                fragment["routes"][name] = node["routes"]
    return less, more

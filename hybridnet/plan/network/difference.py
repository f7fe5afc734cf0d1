# SPDX-License-Identifier: MIT
"""The difference of two plans of one network: what each machine removes and makes while it runs.

A *fragment* is shaped like a machine plan. Besides whole hosts and switches it has parts of those that stay:

    hosts, switches, bridges     nodes that come or go
    host_parts, switch_parts,    of nodes that stay: the interfaces, routes, neighbours and ports that come or go
    bridge_parts
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
from typing import Any

from hybridnet.errors import PlanError
from hybridnet.plan.network.plan import Plan

__all__ = ["Change", "difference"]

Json = dict[str, Any]
Items = Sequence[Mapping[str, Any]]

_ALL = (
    "hosts",
    "host_parts",
    "switches",
    "switch_parts",
    "bridges",
    "bridge_parts",
    "names",
    "devices",
    "pairs",
    "portals",
)


@dataclass(frozen=True)
class Change:
    """What one machine does: remove a fragment, and add another one."""

    remove: Json
    add: Json

    def reverse(self) -> Change:
        """The change that undoes this one."""
        return Change(self.add, self.remove)

    def __bool__(self) -> bool:
        """Whether there is something to do."""
        return any(part[key] for part in (self.remove, self.add) for key in (*_ALL, "instances"))


def difference(old: Plan, new: Plan) -> dict[str, Change]:
    """What changes on each machine of both plans, where something does. `new` is planned with the pins of `old`.

    Raises:
        PlanError: it cannot change while the network runs; the message names the node and the cure.
    """
    both = [name for name in new.machines if name in old.machines]
    changes = {name: _difference(old.machines[name], new.machines[name]) for name in both}
    return {name: change for name, change in changes.items() if change}


def _difference(old: Json, new: Json) -> Change:
    remade = _remade(old, new)
    remove: Json = {}
    add: Json = {}
    _part_nodes("hosts", "host_parts", old, new, remove, add, lambda a, b: _host_parts(a, b, remade))
    _part_nodes("switches", "switch_parts", old, new, remove, add, lambda a, b: _switch_parts(a, b, remade))
    _part_nodes("bridges", "bridge_parts", old, new, remove, add, lambda a, b: _bridge_parts(a, b, remade))
    remove["names"], add["names"] = _names(old.get("names"), new.get("names"))
    before, after = old.get("devices", []), new.get("devices", [])
    remove["devices"] = [device for device in before if device not in after]
    add["devices"] = [device for device in after if device not in before]
    for key, identity in (("pairs", _ends), ("portals", _name)):
        remove[key], add[key] = _apart(
            old[key], new[key], identity, lambda item: not remade & set(_interfaces(item))
        )
    if old.get("crossings", []) != new.get("crossings", []):
        raise PlanError(
            f"machine {new['machine']}: a link between instances that pcap portals cross cannot come or go while the "
            "network runs; describe it before the network starts"
        )
    remove["instances"], add["instances"] = _instances(old["instances"], new["instances"])
    return Change(remove, add)


def _remade(old: Json, new: Json) -> set[str]:
    """The interfaces that are in both plans, but as other devices, or with other addresses."""
    before, after = (
        {name: item for item in (*plan["pairs"], *plan["portals"]) for name in _interfaces(item)}
        for plan in (old, new)
    )
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


def _interfaces(item: Mapping[str, Any]) -> tuple[str, ...]:
    """The interfaces of a pair or portal."""
    return (item["a"]["interface"], item["b"]["interface"]) if "kind" in item else (item["interface"],)


def _name(item: Mapping[str, Any]) -> Any:
    return item["name"]


def _ends(pair: Mapping[str, Any]) -> Any:
    return pair["kind"], *_interfaces(pair)


def _apart(
    old: Items,
    new: Items,
    key: Callable[[Mapping[str, Any]], Any],
    same: Callable[[Mapping[str, Any]], bool] = lambda item: True,
) -> tuple[list[Any], list[Any]]:
    """What is only in the one, and what is only in the other. Items of one key that are not the same are in both."""
    before, after = {key(item): item for item in old}, {key(item): item for item in new}
    stay = {each for each, item in before.items() if each in after and after[each] == item and same(item)}
    return (
        [item for each, item in before.items() if each not in stay],
        [item for each, item in after.items() if each not in stay],
    )


def _part_nodes(
    whole: str,
    part: str,
    old: Json,
    new: Json,
    remove: Json,
    add: Json,
    parts: Callable[[Json, Json], tuple[Json, Json]],
) -> None:
    """Put nodes that come and go, and parts of those that stay, into the fragments."""
    before, after = ({node["name"]: node for node in plan.get(whole, [])} for plan in (old, new))
    remove[whole] = [node for name, node in before.items() if name not in after]
    add[whole] = [node for name, node in after.items() if name not in before]
    remove[part], add[part] = [], []
    for name in [name for name in before if name in after]:
        less, more = parts(before[name], after[name])
        for where, found in ((remove, less), (add, more)):
            if any(found.get(key) for key in ("interfaces", "routes", "arp", "ports")):
                where[part].append(found)


def _host_parts(old: Json, new: Json, remade: set[str]) -> tuple[Json, Json]:
    _refuse_other("host", old, new, ("interfaces", "routes", "arp"))
    less: Json = {**old, "private_dirs": []}
    more: Json = {**new, "private_dirs": []}
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


def _switch_parts(old: Json, new: Json, remade: set[str]) -> tuple[Json, Json]:
    _refuse_other("switch", old, new, ("ports",))
    less, more = {**old, "controllers": []}, {**new, "controllers": []}
    less["ports"], more["ports"] = _apart(
        old["ports"], new["ports"], _name, lambda port: port["name"] not in remade
    )
    return less, more


def _bridge_parts(old: Json, new: Json, remade: set[str]) -> tuple[Json, Json]:
    _refuse_other("switch", old, new, ("ports",))
    kept = [port for port in old["ports"] if port in new["ports"] and port not in remade]
    less, more = (
        {**plan, "ports": [port for port in plan["ports"] if port not in kept]} for plan in (old, new)
    )
    return less, more


def _refuse_other(kind: str, old: Json, new: Json, may_change: Collection[str]) -> None:
    for key in sorted((old.keys() | new.keys()) - set(may_change)):
        if old.get(key) != new.get(key):
            raise PlanError(
                f"{kind} {old['name']}: its {key} cannot change from {old.get(key)} to {new.get(key)} while it exists; "
                "remove it first, and add it again in another change"
            )


def _names(old: Json | None, new: Json | None) -> tuple[Json | None, Json | None]:
    """The names by address that are gone, and those that are new; None where hosts have the computer's."""
    if old is None and new is None:
        return None, None
    old, new = old or {}, new or {}
    return (
        {address: names for address, names in old.items() if new.get(address) != names},
        {address: names for address, names in new.items() if old.get(address) != names},
    )


def _instances(old: Items, new: Items) -> tuple[list[Json], list[Json]]:
    """What instances that run lose and get; those that start or end are whole."""
    running, stay = {plan["name"]: plan for plan in old}, {plan["name"] for plan in new}
    remove: list[Json] = [dict(plan) for plan in old if plan["name"] not in stay]
    add: list[Json] = []
    for plan in new:
        less, more = _instance_parts(running[plan["name"]], plan) if plan["name"] in running else ({}, plan)
        for fragment, part in ((remove, less), (add, more)):
            if any(value for key, value in part.items() if key != "name"):
                fragment.append(dict(part))
    return remove, add


def _instance_parts(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[Json, Json]:
    less: Json = {"name": old["name"]}
    more: Json = {"name": old["name"]}
    for key in ("emulation_portals", "peers", "links"):
        less[key], more[key] = _apart(old[key], new[key], _name)
    was, becomes = ({node["name"]: node for node in plan["nodes"]} for plan in (old, new))
    less["nodes"] = [node for name, node in was.items() if name not in becomes]
    more["nodes"] = [node for name, node in becomes.items() if name not in was]
    for fragment in (less, more):
        fragment |= {"interfaces": {}, "routes": {}}
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

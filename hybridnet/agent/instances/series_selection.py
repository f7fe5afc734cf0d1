# SPDX-License-Identifier: MIT
"""Which elements of a machine are in a time series: what the plan of the moment says, and what the user chose."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from hybridnet.describe.schema.plans import HostPlan, MachinePlan, SimulatedNode

__all__ = ["Chosen", "chosen_of", "not_there"]

_ALWAYS = ("applications", "connections", "portals")  # unless elements are named


@dataclass(frozen=True)
class Chosen:
    """What is sampled of one machine.

    Args:
        devices: of each emulated host that is looked into, the names of its interfaces.
        links, interfaces: names of simulated ones, by instance.
        all: every simulated element; then `links` and `interfaces` do not matter.
        named: what the user named; None: nothing.
    """

    devices: dict[str, frozenset[str]]
    links: dict[str, list[str]]
    interfaces: dict[str, list[str]]
    all: bool = False
    named: frozenset[str] | None = None

    def takes(self, kind: str, element: str) -> bool:
        """Whether a row of the instance is in the series. Links and interfaces were chosen when they were asked for."""
        if self.named is None or kind not in _ALWAYS:
            return True
        return element in self.named or element.partition(":")[0] in self.named


def chosen_of(plan: MachinePlan, elements: str | list[str] | None) -> Chosen:
    """What is sampled of a machine with this plan.

    Args:
        elements: None: cut links, portals, applications, TCP connections, and the interfaces of emulated hosts; "all":
            every simulated link, node and interface, too; or the names of nodes, links, interfaces and applications.
    """
    instances = {instance["name"]: instance for instance in plan["instances"]}
    hosts = {
        host["name"]: frozenset(interface["name"] for interface in host["interfaces"])
        for host in plan["hosts"]
    }
    if not isinstance(elements, list):
        cut = {
            name: [link["name"] for link in instance["links"] if "peer" in link["a"] or "peer" in link["b"]]
            for name, instance in instances.items()
        }
        return Chosen(hosts, cut, {}, all=elements == "all")
    named = frozenset(elements)
    return Chosen(
        {
            name: devices if name in named else devices & named
            for name, devices in hosts.items()
            if name in named or devices & named
        },
        {
            name: [link["name"] for link in instance["links"] if link["name"] in named]
            for name, instance in instances.items()
        },
        {
            name: [
                interface["name"]
                for node in instance["nodes"]
                for interface in node["interfaces"]
                if interface["name"] in named or node["name"] in named
            ]
            for name, instance in instances.items()
        },
        named=named,
    )


def not_there(plans: Iterable[MachinePlan], elements: str | list[str] | None) -> list[str]:
    """What the user named and no machine with one of these plans can sample: nothing simulated and no emulated host has
    this name. An application is there if its host is.
    """
    if not isinstance(elements, list):
        return []
    there: set[str] = set()
    for plan in plans:
        simulated = [node for instance in plan["instances"] for node in instance["nodes"]]
        nodes: list[HostPlan | SimulatedNode] = [*plan["hosts"], *simulated]
        there |= {node["name"] for node in nodes}
        for node in nodes:
            there |= {interface["name"] for interface in node["interfaces"]}
        links = [link for instance in plan["instances"] for link in instance["links"]]
        there |= {link["name"] for link in links}
        there |= {end["portal"] for link in links for end in (link["a"], link["b"]) if "portal" in end}
    return [name for name in elements if name not in there and name.partition(":")[0] not in there]

# SPDX-License-Identifier: MIT
"""What the page draws: the nodes and links of a running network as plain data."""

from __future__ import annotations

from hybridnet.describe.topo import natural
from hybridnet.plan.network import Plan
from hybridnet.plan.network.links import LinkPlan
from hybridnet.run.live.network import Live
from hybridnet.run.live.response_schemas import Answer

__all__ = ["describe", "describe_link"]

KINDS = {"simhost": "host", "simrouter": "router", "simswitch": "switch"}


def describe(live: Live) -> Answer:
    """The machines, nodes and links. The place of a link in the list is its number in updates of rates."""
    plan, down = live.plan, live.down()
    simulated = plan.simulated
    return {
        "machines": [{"name": name, "address": live.net.cluster.address(name)} for name in plan.machines],
        "nodes": [
            _node(live, plan, name, name in simulated) for name in sorted(plan.machine_of, key=natural)
        ],
        "links": [_link(link, link.name in down) for link in plan.links],
    }


def describe_link(live: Live, name: str) -> Answer:
    """One link, with what was said of it, from its first end and from its second."""
    said = live.options(live.link_spec(name))
    return {
        **_link(live.link(name), name in live.down()),
        "options": [
            {key: value for key, value in options.items() if isinstance(value, str | int | float | bool)}
            for options in said
        ],
    }


def _node(live: Live, plan: Plan, name: str, simulated: bool) -> Answer:
    spec = live.net.topo.node_spec(name)
    machine = plan.machine_of[name]
    return {
        "name": name,
        "kind": KINDS.get(spec.role, spec.role),
        "simulated": simulated,
        "machine": machine,
        "addresses": _addresses(plan, machine, name),
    }


def _addresses(plan: Plan, machine: str, name: str) -> list[str]:
    if name in plan.guests:
        return list(plan.guests[name]["interface"]["addresses"])
    part = plan.machines[machine]
    for host in part["hosts"]:
        if host["name"] == name:
            return [address for interface in host["interfaces"] for address in interface["addresses"]]
    for node in (node for each in part["instances"] for node in each["nodes"]):
        if node["name"] == name:
            found = [(each.get("address"), each.get("address6")) for each in node["interfaces"]]
            return [address for both in found for address in both if address]
    return []


def _link(link: LinkPlan, down: bool) -> Answer:
    return {
        "name": link.name,
        "a": {"node": link.a.node, "interface": link.a.interface},
        "b": {"node": link.b.node, "interface": link.b.interface},
        "kind": link.kind,
        "simulated": link.simulated,
        "down": down,
        "limit_bps": [link.a_to_b.rate_bps, link.b_to_a.rate_bps],
        "text": [link.a_to_b.text(), link.b_to_a.text()],
    }

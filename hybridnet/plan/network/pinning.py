# SPDX-License-Identifier: MIT
"""pins_of: what a plan has made, as pins for the next one."""

from __future__ import annotations

from collections.abc import Collection
from ipaddress import ip_interface

from hybridnet.describe.schema.plans import HostInterface, InstancePlan, SimulatedInterface
from hybridnet.plan.choices.transports import port_of
from hybridnet.plan.network.plan import Plan
from hybridnet.plan.placement.pins import Pins

__all__ = ["pins_of"]


def pins_of(
    plan: Plan, removed: Collection[str] = (), left: Collection[str] = (), replaced: Collection[str] = ()
) -> Pins:
    """Everything that a plan has made, and the addresses of interfaces that a node has lost: if it gets them again
    where they fit, it has the same ones.

    Args:
        removed: links that have been removed since; one that is described anew under the same name is new.
        replaced: of these, those in whose place there is another one, between the same interfaces.
        left: instances that leave; whoever had such a peer has it no longer.
    """
    earlier = plan.pins
    dpids: dict[str, str] = {}
    node_of = {interface: node for interface, node in earlier.node_of.items() if node in plan.machine_of}
    macs = {interface: earlier.macs[interface] for interface in node_of}
    addresses = {interface: earlier.addresses[interface] for interface in node_of}
    peer_ports: dict[frozenset[str], int] = {}
    instances: dict[str, InstancePlan] = {}
    instances_on: dict[str, tuple[str, ...]] = {}

    def pin(node: str, interface: HostInterface | SimulatedInterface, given: list[str]) -> None:
        node_of[interface["name"]] = node
        macs[interface["name"]] = interface["mac"]
        parsed = [ip_interface(address) for address in given]
        addresses[interface["name"]] = {address.version: address for address in parsed}

    for machine, made in plan.machines.items():
        dpids.update({switch["name"]: switch["dpid"] for switch in made["switches"]})
        for host in made["hosts"]:
            for interface in host["interfaces"]:
                pin(host["name"], interface, interface["addresses"])
        stay = [_without_peers(each, left) for each in made["instances"] if each["name"] not in left]
        if stay:
            instances_on[machine] = tuple(instance["name"] for instance in stay)
        for instance in stay:
            instances[instance["name"]] = instance
            dpids.update(
                {n["name"]: n["openflow"]["dpid"] for n in instance["nodes"] if n["kind"] == "openflow"}
            )
            for node in instance["nodes"]:
                for simulated in node["interfaces"] if node["kind"] in ("router", "host") else ():
                    given = [simulated["address"]]
                    if "address6" in simulated:
                        given.append(simulated["address6"])
                    pin(node["name"], simulated, given)
            for peer in instance["peers"]:
                pair = frozenset((instance["name"], peer["name"]))
                peer_ports[pair] = port_of(peer)
    for guest, ticket in plan.guests.items():
        pin(guest, ticket["interface"], ticket["interface"]["addresses"])
    links = [link for link in plan.links if link.name not in removed]
    linked = [link for link in plan.links if link.name not in removed or link.name in replaced]
    lost = node_of.keys() - {end.interface for link in linked for end in (link.a, link.b)}
    now = {address.ip for known in addresses.values() for address in known.values()}
    then = {address.ip for known in earlier.addresses.values() for address in known.values()}
    return Pins(
        plan.machine_of,
        {node: instance for node, instance in plan.instance_of.items() if instance not in left},
        {machine: made["port_type"] for machine, made in plan.machines.items()},
        dpids,
        node_of,
        macs,
        addresses,
        frozenset(lost),
        (earlier.spent | then) - now,
        {link.name: (link.a_to_b, link.b_to_a) for link in links},
        frozenset(link.name for link in links if link.kind == "simulated"),
        {link.name: (frozenset(link.instances), link.channel) for link in links if link.channel is not None},
        peer_ports,
        instances,
        instances_on,
    )


def _without_peers(instance: InstancePlan, left: Collection[str]) -> InstancePlan:
    """An instance plan without these peers."""
    stay = [peer for peer in instance["peers"] if peer["name"] not in left]
    return instance if len(stay) == len(instance["peers"]) else {**instance, "peers": stay}

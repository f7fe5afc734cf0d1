# SPDX-License-Identifier: MIT
"""Instance plans: what each simcore instance simulates (`hybridnet/describe/schema/instance.json`)."""

from __future__ import annotations

import ipaddress
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from hybridnet.describe.options import family
from hybridnet.describe.schema.plans import (
    ApplicationModel,
    CapturePlan,
    InstancePlan,
    SimulatedInterface,
    SimulatedNode,
    SimulatedRoute,
)
from hybridnet.describe.topo import NodeSpec
from hybridnet.describe.topo.fluids import FluidSpec
from hybridnet.errors import PlanError
from hybridnet.plan.addressing.addresses import Addresses
from hybridnet.plan.addressing.routes import Route
from hybridnet.plan.choices.options import PlanOptions
from hybridnet.plan.choices.pool import pool_bytes
from hybridnet.plan.choices.waiting import moderation_ns
from hybridnet.plan.network.fluids import fluid_plans
from hybridnet.plan.network.links import Ends
from hybridnet.plan.network.openflow import openflow_node
from hybridnet.plan.placement.layout import Layout

__all__ = ["Network", "instance_plan"]

_KINDS = {"simhost": "host", "simrouter": "router", "simswitch": "switch"}


@dataclass(frozen=True)
class Network:
    """Everything that was decided for the network as a whole."""

    layout: Layout
    addresses: Addresses  # of IPv4
    addresses6: Addresses  # of IPv6
    macs: Mapping[str, str]
    routes: Mapping[str, list[Route]]  # of hosts and routers
    dpids: Mapping[str, str]
    fluids: Sequence[FluidSpec] = ()


def instance_plan(
    network: Network,
    name: str,
    joints: Ends,
    options: PlanOptions,
    running: InstancePlan | None = None,
) -> InstancePlan | None:
    """The plan of one instance; None if it simulates nothing.

    Args:
        joints: its portals, peers and links.
        running: the plan of the instance that runs already, which stays, with what holds for all of it.

    Raises:
        PlanError: two interfaces or portals of the instance have the same name, or a fluid has no way.
    """
    layout = network.layout
    nodes = [
        spec for spec in layout.nodes.values() if spec.simulated and layout.instance_of[spec.name] == name
    ]
    if not nodes and not joints.links and running is None:
        return None
    described = [_node(network, spec, options) for spec in nodes]
    interfaces = [interface["name"] for node in described for interface in node["interfaces"]]
    portals = [portal["name"] for portal in joints.emulation_portals]
    for element, times in Counter([*interfaces, *portals]).items():
        if times > 1:
            raise PlanError(
                f"instance {name}: an interface and a portal are both named {element}; rename the node"
            )
    own = set(interfaces)
    captures: list[CapturePlan] = [
        {"interface": each, "file": file} for each, file in options.captures.items() if each in own
    ]
    peers = {peer["name"]: peer for peer in (running["peers"] if running else ())} | joints.peers
    plan: InstancePlan = {
        "format": 1,
        "name": name,
        "seed": options.seed,
        "token": options.token,
        "nodes": described,
        "emulation_portals": joints.emulation_portals,
        "peers": list(peers.values()),
        "links": joints.links,
        "captures": captures,
        "pool_bytes": pool_bytes(joints.links, joints.emulation_portals)
        if options.pool_bytes is None
        else options.pool_bytes,
        "realtime": options.realtime.to_json(),
    }
    plan["moderation_ns"] = moderation_ns(plan)
    if options.slow != 1:
        plan["slow"] = options.slow
    if options.record is not None:
        plan["record"] = f"{options.record}/{name}.pcapng"
    fluids = fluid_plans(network.fluids, layout, described, joints.links, options) if running is None else []
    if running is not None:
        # They keep their ways; what comes to a link that is gone is lost.
        fluids = [
            each for each in running.get("fluids", []) if own.issuperset(each["forward"] + each["back"])
        ]
        plan["captures"], plan["realtime"] = running["captures"], running["realtime"]
        plan["pool_bytes"], plan["moderation_ns"] = running["pool_bytes"], running["moderation_ns"]
        if "record" in running:
            plan["record"] = running["record"]
    if fluids:
        plan["fluids"] = fluids
    return plan


def _node(network: Network, spec: NodeSpec, options: PlanOptions) -> SimulatedNode:
    ends = network.layout.ends_of[spec.name]
    if spec.role == "switch":
        controllers = options.controllers_of(network.layout.machine_of[spec.name])
        return _processing(openflow_node(spec, ends, network.dpids[spec.name], controllers, options), spec)
    if spec.role == "simswitch":
        switch: SimulatedNode = {
            "name": spec.name,
            "kind": "switch",
            "interfaces": [{"name": end.interface} for end in ends],
            "routes": [],
        }
        return _processing(switch, spec)
    interfaces: list[SimulatedInterface] = []
    for end in ends:
        address = network.addresses.by_interface.get(end.interface)
        if address is None:
            raise PlanError(
                f"interface {end.interface}: a simulated host or router needs an address there; give it an ip"
            )
        interface: SimulatedInterface = {
            "name": end.interface,
            "mac": network.macs[end.interface],
            "address": str(address),
            "mtu": end.mtu,
        }
        if (address6 := network.addresses6.by_interface.get(end.interface)) is not None:
            interface["address6"] = str(address6)
        interfaces.append(interface)
    routes = [_route(network, spec, route) for route in network.routes.get(spec.name, [])]
    node: SimulatedNode = {
        "name": spec.name,
        "kind": _KINDS[spec.role],
        "interfaces": interfaces,
        "routes": routes,
    }
    _processing(node, spec)
    applications = spec.resolved.get("applications")
    if applications:
        node["applications"] = [_application(network, spec, each) for each in applications]
    return node


def _processing(node: SimulatedNode, spec: NodeSpec) -> SimulatedNode:
    """The node, with what it needs for a packet, where that is said."""
    if (delay_ns := spec.resolved.get("processing_delay")) is not None:
        node["processing_delay_ns"] = delay_ns
    if (packets := spec.resolved.get("processing_queue")) is not None:
        node["processing_queue_packets"] = packets
    return node


def _application(network: Network, spec: NodeSpec, given: ApplicationModel) -> ApplicationModel:
    """An application as the instance knows it: its destination is an address."""
    if "destination" not in given:
        return given
    application = given.copy()
    destination = application["destination"]
    what = f"simhost {spec.name}: {application['kind']} to {destination}"
    if destination in network.layout.nodes:
        ends = network.layout.ends_of[destination]
        found = [network.addresses.by_interface.get(end.interface) for end in ends]
        addresses = [address for address in found if address is not None]
        if not addresses:
            raise PlanError(f"{what}: that node has no address; choose one that has")
        if application["kind"] == "request_client":
            _check_sizes(application, network.layout.nodes[destination], what)
        application["destination"] = str(addresses[0].ip)
        return application
    try:
        application["destination"] = str(ipaddress.ip_address(destination))
    except ValueError:
        raise PlanError(f"{what}: there is no such node, and it is not an address of IPv4 or IPv6") from None
    return application


def _check_sizes(client: Mapping[str, Any], server: NodeSpec, what: str) -> None:
    """Raise PlanError if the server that the client asks takes or gives other sizes: one would wait for the other."""
    models = family("application").models
    for each in server.resolved.get("applications") or ():
        if each["kind"] != "request_server" or each["port"] != client["port"]:
            continue
        for name in ("request", "response"):
            mine, its = (
                of.get(f"{name}_bytes", models[of["kind"]].said[name].default) for of in (client, each)
            )
            if mine != its:
                raise PlanError(
                    f"{what}: {name} is {mine} bytes, and {its} at the request_server there, so one of them would "
                    "wait for ever; write the same at both"
                )


def _route(network: Network, spec: NodeSpec, route: Route) -> SimulatedRoute:
    """A route as the instance knows it: a prefix in figures, and always an interface."""
    prefix = "0.0.0.0/0" if route["prefix"] == "default" else route["prefix"]
    interface, via = route["interface"], route["via"]
    if interface is not None and prefix == route["prefix"]:
        return cast(SimulatedRoute, route)  # there may be millions
    if interface is None and via is not None:
        gateway = ipaddress.ip_address(via)
        addresses = network.addresses if gateway.version == 4 else network.addresses6
        for end in network.layout.ends_of[spec.name]:
            own = addresses.by_interface.get(end.interface)
            if own is not None and gateway in own.network:
                interface = end.interface
        if interface is None:
            raise PlanError(
                f"{spec.role} {spec.name}: gateway {via} is in none of its subnets; choose one that is"
            )
    assert interface is not None
    return {"prefix": prefix, "via": via, "interface": interface}

# SPDX-License-Identifier: MIT
"""From an instance plan to the simulator's objects: what an instance, a replay and a change of a running one share."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

from hybridnet.describe.options.tables import extension
from hybridnet.describe.schema.plans import (
    DirectionPlan,
    EmulationPortal,
    FluidPlan,
    InstancePlan,
    PeerPlan,
    SimulatedEnd,
    SimulatedInterface,
    SimulatedLink,
    SimulatedNode,
    SimulatedRoute,
)
from hybridnet.errors import PlanError
from hybridnet.simulate.instance.plugin import find_plugin
from hybridnet.system.network_namespace import in_network

_ANYBODY = "any"  # the remote of a guest


def build(plan: InstancePlan, directory: Path, outside: int | None = None) -> Any:
    """The `_simcore.Instance` of a checked plan.

    Args:
        directory: that of the instance's machine, where memory that it shares with others of that machine is found.
        outside: a descriptor of the network namespace where guests are awaited; None: that of this thread.

    Raises:
        EnvironmentLackError: the extension has not been built.
    """
    given = {key: plan[key] for key in ("pool_bytes", "moderation_ns", "slow") if key in plan}
    instance = extension().Instance(
        plan["name"], plan["seed"], int(plan["token"], 16), plan["realtime"], **given
    )
    if "record" in plan:
        instance.add_record(plan["record"], json.dumps(_without_keys(with_traces(plan))))
    add_nodes(instance, plan["nodes"])
    add_portals(instance, plan["emulation_portals"])
    for peer in plan["peers"]:
        elsewhere = None if peer["remote"] != _ANYBODY else outside
        with in_network(elsewhere):
            instance.add_peer(with_paths(peer, directory))
    for capture in plan["captures"]:
        instance.add_capture(capture["interface"], capture["file"])
    add_links(instance, plan["links"])
    add_fluids(instance, plan.get("fluids", []))
    return instance


def add_nodes(simulation: Any, nodes: Iterable[SimulatedNode]) -> None:
    """Adds nodes, with their interfaces, routes and applications."""
    for node in nodes:
        processing = (node.get("processing_delay_ns"), node.get("processing_queue_packets", 1000))
        if node["kind"] == "openflow":
            simulation.add_openflow_switch(node["name"], node["openflow"], *processing)
        else:
            simulation.add_node(node["kind"], node["name"], *processing)
        for interface in node["interfaces"]:
            add_interface(simulation, node["name"], interface)
        add_routes(simulation, node["name"], node.get("routes", []))
        for application in node.get("applications", []):
            simulation.add_application(node["name"], application["kind"], application)


def add_interface(simulation: Any, node: str, interface: SimulatedInterface) -> None:
    """Adds an interface to a node, which must be there."""
    simulation.add_interface(
        node,
        interface["name"],
        interface.get("mac"),
        interface.get("address"),
        interface.get("mtu", 1500),
        interface.get("address6"),
        interface.get("number", 0),
    )


def add_routes(simulation: Any, node: str, routes: list[SimulatedRoute]) -> None:
    """Adds routes to a router or host, whose interfaces must be there."""
    for route in routes:
        simulation.add_route(node, route["prefix"], route["via"], route["interface"])


def add_portals(simulation: Any, portals: Iterable[EmulationPortal]) -> None:
    """Adds emulation portals."""
    for portal in portals:
        simulation.add_emulation_portal(
            portal["name"],
            portal["device"],
            portal["backend"],
            portal.get("filter", ""),
            portal.get("options", {}),
        )


def add_links(simulation: Any, links: Iterable[SimulatedLink]) -> None:
    """Adds links. What they join, and what captures, must be there."""
    for link in links:
        there, back = with_files(link["a_to_b"]), with_files(link["b_to_a"], backward=True)
        simulation.add_link(link["name"], _end(link["a"]), _end(link["b"]), there, back)


def add_fluids(simulation: Any, fluids: Iterable[FluidPlan]) -> None:
    """Adds fluid flows. The links on their ways, and the hosts of those with packets, must be there."""
    for fluid in fluids:
        simulation.add_fluid(
            fluid["name"], fluid["model"], fluid["forward"], fluid["back"], fluid.get("packets")
        )


def with_files(direction: DirectionPlan, *, backward: bool = False) -> DirectionPlan:
    """The direction with what is in files of this machine: its trace, and where its plug-in is.

    Raises:
        PlanError: a trace cannot be read.
        UsageError: there is no such plug-in.
    """
    direction = with_trace(direction)
    plugin = direction.get("plugin")
    if plugin is None:
        return direction
    file = str(find_plugin(plugin["file"]))
    return {**direction, "plugin": {**plugin, "file": file, "backward": backward}}


def with_trace(direction: DirectionPlan) -> DirectionPlan:
    """The direction with the text of its trace file, where it has one. Raises PlanError: it cannot be read."""
    model = direction.get("rate_model")
    if model is None or model["model"] != "opportunities" or "text" in model:
        return direction
    try:
        text = Path(model["file"]).read_text(encoding="ascii")
        if "\0" in text:
            raise ValueError
    except OSError as error:
        raise PlanError(f"read trace {model['file']}: {error.strerror}; give a mahimahi trace") from None
    except ValueError:
        raise PlanError(
            f"read trace {model['file']}: it is not text; write one opportunity per line"
        ) from None
    return {**direction, "rate_model": {**model, "text": text}}


def with_traces(plan: InstancePlan) -> InstancePlan:
    """The plan with the text of every trace file: what a record needs to do without them. Raises PlanError."""
    links: list[SimulatedLink] = [
        {**link, "a_to_b": with_trace(link["a_to_b"]), "b_to_a": with_trace(link["b_to_a"])}
        for link in plan["links"]
    ]
    return {**plan, "links": links}


def _without_keys(plan: InstancePlan) -> InstancePlan:
    """The plan as it may be kept: without the run's key."""
    peers = [{key: value for key, value in peer.items() if key != "key"} for peer in plan["peers"]]
    return {**plan, "peers": cast(list[PeerPlan], peers)}


def with_paths(peer: PeerPlan, directory: Path) -> PeerPlan:
    """The peer with the whole paths of the memory that it shares, where it does."""
    if peer.get("transport") != "shm":
        return peer
    return {**peer, "local": str(directory / peer["local"]), "remote": str(directory / peer["remote"])}


def _end(end: SimulatedEnd) -> tuple[str, str] | tuple[str, str, int]:
    if "interface" in end:
        return ("interface", end["interface"])
    if "portal" in end:
        return ("portal", end["portal"])
    return ("peer", end["peer"], end["channel"])

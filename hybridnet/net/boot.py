# SPDX-License-Identifier: MIT
"""Steps of starting a network: which machines, binding live nodes to agents, and waiting for the switches."""

from __future__ import annotations

import functools
import itertools
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hybridnet.cluster import Machines
from hybridnet.errors import ControllerError
from hybridnet.node import Node, Switch
from hybridnet.node.link import Intf, Link
from hybridnet.plan import MachineSpec, Plan
from hybridnet.system.log import info
from hybridnet.topo import Topo, natural

__all__ = [
    "await_switches",
    "bind_nodes",
    "counted",
    "links_between",
    "machine_names",
    "machine_specs",
    "own_address_toward",
    "parts_text",
    "switches_with_controllers",
]

CONNECT_SECONDS = 60.0
_POLL_S = 0.1


def machine_names(topo: Topo) -> list[str]:
    """Return the machines that a topology names, or one if it names none."""
    named = {spec.machine for spec in topo.node_specs() if spec.machine is not None}
    return sorted(named, key=natural) or ["m1"]


def machine_specs(cluster: Machines) -> list[MachineSpec]:
    """The machines as the plan sees them."""
    facts = cluster.call_all({machine: ("facts", {}) for machine in cluster.machines})
    return [
        MachineSpec(
            m,
            cluster.address(m),
            facts[m]["kernel_datapath"],
            facts[m]["memory_available_bytes"],
            facts[m]["shared_switching"],
        )
        for m in cluster.machines
    ]


def bind_nodes(plan: Plan, nodes: Mapping[str, Node], cluster: Machines) -> list[Link]:
    """Give the live nodes their agents and interfaces. Returns the live links."""
    intfs: dict[str, Intf] = {}
    for name, node in nodes.items():
        machine = plan.machine_of[name]
        plans: dict[str, dict[str, Any]] = {}
        if isinstance(node, Switch):
            node.dpid = plan.switch(name).get("dpid")
        else:
            plans = {interface["name"]: interface for interface in plan.host(name)["interfaces"]}
        own = [
            Intf(end.interface, node, end.port, plans.get(end.interface))
            for link in plan.links
            for end in (link.a, link.b)
            if end.node == name
        ]
        intfs.update({intf.name: intf for intf in own})
        node.bind(functools.partial(cluster.call, machine), machine, own)
    return [
        Link(
            link.name,
            link.kind,
            intfs.get(link.a.interface, link.a.interface),
            intfs.get(link.b.interface, link.b.interface),
        )
        for link in plan.links
    ]


def await_switches(
    cluster: Machines,
    machines: Sequence[str],
    check: Callable[[], object],
    on_progress: Callable[[str, str], object] | None,
    patience_s: float = CONNECT_SECONDS,
) -> None:
    """Wait until every switch on `machines` is connected to a controller.

    Args:
        check: raises the error of a controller that has died meanwhile.

    Raises:
        ControllerError: a switch did not find one in time.
    """
    deadline = time.monotonic() + patience_s
    for attempt in itertools.count():
        answers = cluster.call_all({machine: ("switches_connected", {}) for machine in machines})
        states = {name: up for answer in answers.values() for name, up in answer.items()}
        missing = sorted((name for name, up in states.items() if not up), key=natural)
        if on_progress is not None:
            on_progress("", f"{len(states) - len(missing)} of {len(states)} switches connected")
        if not missing:
            info(f"*** {counted(len(states), 'switch')} connected\n")
            return
        check()
        if time.monotonic() > deadline:
            names = ", ".join(missing[:5]) + (" ..." if len(missing) > 5 else "")
            raise ControllerError(
                f"{len(missing)} of {len(states)} switches ({names}) found no controller within {patience_s:g} s; "
                "does it speak OpenFlow 1.3, and can it be reached from the machines?"
            )
        time.sleep(_POLL_S if attempt else 0)


def links_between(links: Sequence[Link], node1: Node, node2: Node) -> list[Link]:
    """The links whose two ends are interfaces of these nodes."""
    ends = {node1, node2}
    return [
        link
        for link in links
        if {intf.node for intf in (link.intf1, link.intf2) if isinstance(intf, Intf)} == ends
    ]


def has_something_to_obey(part: dict[str, Any]) -> bool:
    """Whether a switch of this machine plan has a controller, or waits for one to connect (``listenPort``)."""
    return any(switch["controllers"] or "listen_port" in switch for switch in part["switches"])


def switches_with_controllers(plan: Plan) -> list[str]:
    """The switches that have been told a controller."""
    return [
        switch["name"]
        for machine in plan.machines.values()
        for switch in machine["switches"]
        if switch["controllers"]
    ]


def parts_text(hosts: Sequence[object], switches: Sequence[object], links: Sequence[object]) -> str:
    """Count what there is.

    Example:
        >>> parts_text("ab", "a", "")
        '2 hosts, 1 switch, 0 links'
    """
    parts = (("host", hosts), ("switch", switches), ("link", links))
    return ", ".join(counted(len(made), what) for what, made in parts)


def counted(number: int, what: str) -> str:
    """
    Example:
        >>> counted(1, "switch"), counted(2, "switch"), counted(0, "host")
        ('1 switch', '2 switches', '0 hosts')
    """
    plural = "es" if what.endswith("ch") else "s"
    return f"{number} {what}{'' if number == 1 else plural}"


def own_address_toward(address: str) -> str:
    """Return this computer's address toward a machine. Sends nothing: a UDP socket only looks up the
    route.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect((address, 9))
        return str(probe.getsockname()[0])

# SPDX-License-Identifier: MIT
"""Steps of starting a network: which machines, binding live nodes to agents, and waiting for the switches."""

from __future__ import annotations

import functools
import itertools
import socket
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hybridnet.describe.schema.elements import openflow_of
from hybridnet.describe.schema.plans import HostInterface, MachinePlan
from hybridnet.describe.topo import Topo, natural
from hybridnet.describe.topo.options import End
from hybridnet.describe.values import counted
from hybridnet.errors import ControllerError, ControllerLateError, MachineError
from hybridnet.machines.cluster import Machines
from hybridnet.plan.network import MachineSpec, Plan
from hybridnet.plan.network.guests import ANYBODY
from hybridnet.run.net.instances import by_instance
from hybridnet.run.node import Node, Switch
from hybridnet.run.node.link import Intf, Link
from hybridnet.system.log import info

if TYPE_CHECKING:
    from hybridnet.agent.machine.facts import Capacity

__all__ = [
    "await_peers",
    "await_switches",
    "bind_again",
    "bind_nodes",
    "late_spec",
    "links_between",
    "machine_names",
    "machine_specs",
    "own_address_toward",
    "parts_text",
    "switches_with_controllers",
]

CONNECT_SECONDS = 60.0
REFUSED_SECONDS = 3.0
"""A switch that a controller has refused finds another one by then: it tries each every second."""
_POLL_S = 0.1
PEERS_SECONDS = 15.0
_PEERS_POLL_S = 0.02


def machine_names(topo: Topo) -> list[str]:
    """Return the machines that a topology names, or one if it names none."""
    named = {spec.machine for spec in topo.node_specs() if spec.machine is not None}
    return sorted(named, key=natural) or ["m1"]


def machine_specs(cluster: Machines) -> list[MachineSpec]:
    """The machines as the plan sees them. Those on one computer have parts of its processors."""
    facts = cluster.call_all({machine: ("capacity", {}) for machine in cluster.machines})
    together: dict[str, list[str]] = {}
    for machine in cluster.machines:
        together.setdefault(facts[machine]["computer"], []).append(machine)

    def processors(machine: str) -> list[int]:
        others, cpus = together[facts[machine]["computer"]], facts[machine]["cpus"]
        each = len(cpus) // len(others)
        at = others.index(machine) * each
        return list(cpus[at : at + each])

    return [_spec(m, cluster.address(m), facts[m], processors(m)) for m in cluster.machines]


def late_spec(machine: str, address: str, capacity: Capacity, there: Iterable[MachineSpec]) -> MachineSpec:
    """A machine that joins those which are there. They keep the processors that they have, so on the computer of one of
    them it has none of its own.
    """
    shared = capacity["computer"] in {spec.computer for spec in there}
    return _spec(machine, address, capacity, [] if shared else list(capacity["cpus"]))


def _spec(machine: str, address: str, capacity: Capacity, processors: list[int]) -> MachineSpec:
    return MachineSpec(
        machine,
        address,
        capacity["kernel_datapath"],
        capacity["memory_available_bytes"],
        capacity["shared_switching"],
        processors,
        capacity["computer"],
        capacity["afxdp"],
        capacity["network"],
    )


def await_peers(
    cluster: Machines,
    instances: Mapping[str, Mapping[str, Any]],
    patience_s: float = PEERS_SECONDS,
    *,
    missed: Collection[str] = (),
) -> None:
    """Wait until the instances know the clocks of their peers: packets pass between them from then on.

    Args:
        instances: their plans, by name.
        missed: instances that nobody waits for.

    Raises:
        MachineError: some do not in time; the message names the first two.
    """
    if not any(instance["peers"] for instance in instances.values()):
        return
    deadline = time.monotonic() + patience_s
    guests = {
        peer["name"]
        for plan in instances.values()
        for peer in plan["peers"]
        if peer["remote"] == ANYBODY  # who comes when it likes
    }
    call = ("snapshot", {"of_elements": False})
    while True:
        snapshots = by_instance(cluster.call_left(dict.fromkeys(cluster.machines, call)))
        waiting = [
            (name, peer["name"])
            for name, snapshot in snapshots.items()
            for peer in (snapshot["peers"] if snapshot is not None else ())
            if not peer["synchronized"] and peer["name"] not in (*missed, *guests)
        ]
        if not waiting:
            return
        if time.monotonic() > deadline:
            name, peer = waiting[0]
            ends = next(each for each in instances[name]["peers"] if each["name"] == peer)
            raise MachineError(
                f"instances {name} and {peer} do not hear each other after {patience_s:g} s, at {ends['local']} and "
                f"{ends['remote']}; between machines, let UDP pass between these addresses"
            )
        time.sleep(_PEERS_POLL_S)


def bind_nodes(
    plan: Plan,
    nodes: Mapping[str, Node],
    cluster: Machines,
    there: Sequence[Link] = (),
    earlier: Plan | None = None,
) -> list[Link]:
    """Give the live nodes their agents and interfaces. Returns the live links.

    Args:
        there: links that are live already; those, and their interfaces, stay the same objects.
        earlier: the plan until now: interfaces for which it said something else are as `plan` says.
    """
    links = {(link.name, link.kind, str(link.intf1), str(link.intf2)): link for link in there}
    intfs = {end.name: end for link in there for end in (link.intf1, link.intf2) if isinstance(end, Intf)}
    planned = _planned_interfaces(plan.machines.values())
    was = planned if earlier is None else _planned_interfaces(earlier.machines.values())
    for name in intfs.keys() & planned.keys() & was.keys():
        if planned[name] != was[name]:
            intfs[name].follow(planned[name])
    switches = {
        name: switch for machine in plan.machines.values() for name, switch in openflow_of(machine).items()
    }
    own: dict[str, list[Intf]] = {name: [] for name in nodes}
    live: list[Link] = []
    for link in plan.links:
        key = (link.name, link.kind, link.a.interface, link.b.interface)
        if key in links:
            live.append(links[key])
        else:
            ends = [_intf(end, nodes, intfs, planned) for end in (link.a, link.b)]
            live.append(Link(link.name, link.kind, *ends))
        for end, intf in ((link.a, live[-1].intf1), (link.b, live[-1].intf2)):
            if isinstance(intf, Intf):
                own[end.node].append(intf)
    for name, node in nodes.items():
        if isinstance(node, Switch):
            switch = switches.get(name)  # a Linux bridge has none
            node.dpid = None if switch is None else switch["dpid"]
            node.spoken = None if switch is None else switch.get("protocols")
        node.bind(functools.partial(cluster.call, plan.machine_of[name]), plan.machine_of[name], own[name])
    return live


def bind_again(plan: Plan, machine: str, nodes: Sequence[Node], cluster: Machines) -> None:
    """A machine has been built again: no command runs in its live nodes, and they are as planned."""
    planned = _planned_interfaces([plan.machines[machine]])
    for node in nodes:
        node.unbind()
        for intf in node.intfs.values():
            intf.follow(planned.get(intf.name))
        node.bind(functools.partial(cluster.call, machine), machine, list(node.intfs.values()))


def _planned_interfaces(parts: Iterable[MachinePlan]) -> dict[str, HostInterface]:
    """Those of the hosts of machine plans, by name."""
    hosts = [host for part in parts for host in part["hosts"]]
    return {interface["name"]: interface for host in hosts for interface in host["interfaces"]}


def _intf(
    end: End, nodes: Mapping[str, Node], there: Mapping[str, Intf], planned: Mapping[str, HostInterface]
) -> Intf | str:
    """The interface of a link's end: the one that is live already, or a new one; its name at a simulated node."""
    if end.node not in nodes:
        return end.interface
    known = there.get(end.interface)
    if known is not None and known.node is nodes[end.node] and known.port == end.port:
        return known
    return Intf(end.interface, nodes[end.node], end.port, planned.get(end.interface))


def await_switches(
    cluster: Machines,
    machines: Sequence[str],
    check: Callable[[], object],
    refusals: Callable[[], Sequence[str]],
    on_progress: Callable[[str, str], object] | None,
    patience_s: float = CONNECT_SECONDS,
) -> None:
    """Wait until every switch on `machines` is connected to a controller.

    Args:
        check: raises the error of a controller that has died meanwhile.
        refusals: why controllers have refused switches so far. Of several controllers another one may take the switch.

    Raises:
        ControllerLateError: a switch did not find one in time.
        ControllerError: a controller has died, or has refused a switch and none took it within `REFUSED_SECONDS`.
    """
    began = time.monotonic()
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
        waited_s = time.monotonic() - began
        if waited_s > REFUSED_SECONDS and (said := refusals()):
            raise ControllerError("; ".join(said))
        if waited_s > patience_s:
            names = ", ".join(missing[:5]) + (" ..." if len(missing) > 5 else "")
            raise ControllerLateError(
                f"{len(missing)} of {len(states)} switches ({names}) found no controller within {patience_s:g} s; "
                "does it speak OpenFlow 1.3, and can it be reached from the machines? For an app of OpenFlow 1.0, "
                "as Ryu's simple_switch, write addSwitch(..., protocols='OpenFlow10')"
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


def has_something_to_obey(part: MachinePlan) -> bool:
    """Whether a switch of this machine plan has a controller, or waits for one to connect (``listenPort``)."""
    return any(switch["controllers"] or "listen_port" in switch for switch in part["switches"])


def switches_with_controllers(plan: Plan) -> dict[str, str]:
    """The dpids of the switches that have been told a controller."""
    return {
        name: switch["dpid"]
        for machine in plan.machines.values()
        for name, switch in openflow_of(machine).items()
        if switch["controllers"]
    }


def parts_text(hosts: Sequence[object], switches: Sequence[object], links: Sequence[object]) -> str:
    """Count what there is.

    Example:
        >>> parts_text("ab", "a", "")
        '2 hosts, 1 switch, 0 links'
    """
    parts = (("host", hosts), ("switch", switches), ("link", links))
    return ", ".join(counted(len(made), what) for what, made in parts)


def own_address_toward(address: str) -> str:
    """Return this computer's address toward a machine. Sends nothing: a UDP socket only looks up the
    route.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect((address, 9))
        return str(probe.getsockname()[0])

# SPDX-License-Identifier: MIT
"""Division: which instance of its machine simulates each node, or has its portals. Pure.

    somebody says instance= on the machine      those are there, and the others follow their neighbours
    nobody, and one instance is asked for       the instance has the machine's name
    nobody, and several                         METIS divides what is simulated: m1.1, m1.2 ...

What METIS divides are groups of nodes that must stay together, joined by links that can be cut:

    stays together        the ends of a link with less delay than a cut link takes; a SimpleNet; a host, simulated host,
                          guest or device of the computer with its only neighbour
    weight of a group     its simulated nodes and portals, and the rates of their links (1000 Mbit/s where there is no
                          limit), each as its part of all there is on the machine
    weight of a link      its rate in Mbit/s; up to ten times that where its delay is short

So a cut goes where little passes and the delay is long.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from hybridnet.describe.quantities import format_delay
from hybridnet.describe.topo import LinkSpec, NodeSpec, natural
from hybridnet.describe.topo.roles import ROLES
from hybridnet.errors import PlanError
from hybridnet.plan.choices.options import AUTO, MachineSpec
from hybridnet.plan.placement.partition import Groups, parts_of
from hybridnet.plan.placement.pins import Pins

__all__ = ["Division", "divide", "expected_mbps", "follow_neighbours"]

UNLIMITED_MBPS = 1000
SHORT_DELAY_FACTOR = 10
"""A link whose delay is the least that a cut one may have costs so much more than one with so many times that delay."""
_WHOLE = 10_000  # weight of all nodes of a machine, and of all traffic on it


@dataclass(frozen=True)
class Division:
    """The instances of every machine.

    Args:
        instance_of: by node.
        instances: of each machine, those that were there before first.
        notes: what was chosen for the user.
    """

    instance_of: dict[str, str]
    instances: dict[str, list[str]]
    notes: list[str]


def divide(
    nodes: Mapping[str, NodeSpec],
    links: Sequence[LinkSpec],
    machine_of: Mapping[str, str],
    machines: Sequence[MachineSpec],
    wanted: int | str,
    least_delay_ns: Callable[[tuple[str, str]], int],
    pins: Pins,
) -> Division:
    """Give every node an instance of its machine; one that runs stays where it is.

    Args:
        wanted: how many instances of a machine, or ``"auto"``.
        least_delay_ns: what a cut link between instances of two machines takes, or of one.

    Raises:
        PlanError: an instance is asked for on two machines.
    """
    own_links = [link for link in links if machine_of[link.a.node] == machine_of[link.b.node]]
    placed = {
        name: pins.instance_of.get(name) or _name(machine_of[name], spec.instance)
        for name, spec in nodes.items()
        if name in pins.instance_of or spec.instance is not None
    }
    home = {name: machine for machine, own in pins.instances_on.items() for name in own}
    home |= {each.name: each.name for each in machines}
    for node, instance in placed.items():
        there = home.setdefault(instance, machine_of[node])
        if there != machine_of[node]:
            raise PlanError(
                f"node {node}: instance {instance!r} is on machine {there}, and the node on {machine_of[node]}; name "
                "another instance, or another machine"
            )
    notes: list[str] = []
    for machine in machines:
        own = {name: spec for name, spec in nodes.items() if machine_of[name] == machine.name}
        if machine.name in pins.instances_on:
            continue
        if any(name in placed for name in own):
            if wanted != 1:
                notes.append(
                    f"machine {machine.name}: instances_per_machine={wanted!r} (--instances) has no effect, because "
                    "its nodes name their instances (instance=)"
                )
            continue
        here = [link for link in own_links if machine_of[link.a.node] == machine.name]
        count = _count(machine, own.values(), wanted, notes)
        least_ns = least_delay_ns((machine.name, machine.name))
        parts = _parts(machine.name, own, here, count, least_ns, pins)
        made = len(set(parts.values()))
        if own and wanted != AUTO and made < count > 1:
            what = (
                f"{_instances(made)} and not {count}"
                if made
                else f"instances_per_machine={count} (--instances) has no effect"
            )
            notes.append(
                f"machine {machine.name}: {what}, because simulated links of {format_delay(least_ns)} or more, which "
                "can be cut, join no more parts"
            )
        placed |= parts

    def cannot_be_cut(link: LinkSpec) -> bool:
        machine = machine_of[link.a.node]
        return _least_ns(link) < least_delay_ns((machine, machine))

    follow_neighbours(nodes, own_links, placed, cannot_be_cut)
    follow_neighbours(nodes, own_links, placed, lambda _: True)
    instances = {each.name: list(pins.instances_on.get(each.name, ())) for each in machines}
    for name in sorted(placed, key=lambda name: natural(placed[name])):
        if placed[name] not in instances[machine_of[name]]:
            instances[machine_of[name]].append(placed[name])
    for name in nodes:
        own_names = instances[machine_of[name]]
        if name not in placed:
            if not own_names:
                own_names.append(machine_of[name])
            placed[name] = own_names[0]
    return Division({name: placed[name] for name in nodes}, instances, notes)


def expected_mbps(links: Iterable[tuple[int | None, ...]]) -> int:
    """What links may carry together, in Mbit/s, by the rates (bit/s; None: no limit) of their directions."""
    return sum(
        UNLIMITED_MBPS if rate is None else max(rate // 1_000_000, 1) for rates in links for rate in rates
    )


def follow_neighbours(
    nodes: Iterable[str],
    links: Iterable[LinkSpec],
    placed: dict[str, str],
    along: Callable[[LinkSpec], bool],
) -> None:
    """Spread the places in `placed` breadth first, so that the nearest neighbour that has one decides."""
    neighbours: dict[str, list[str]] = {name: [] for name in nodes}
    for link in links:
        if along(link):
            neighbours[link.a.node].append(link.b.node)
            neighbours[link.b.node].append(link.a.node)
    reached = [name for name in neighbours if name in placed]
    for node in reached:  # which grows meanwhile
        for other in neighbours[node]:
            if other not in placed:
                placed[other] = placed[node]
                reached.append(other)


def is_simulated(link: LinkSpec, nodes: Mapping[str, NodeSpec], pins: Pins) -> bool:
    """Whether the simulator is this link, where both its ends are on one machine."""
    ends = [nodes[end.node] for end in (link.a, link.b)]
    emulated = all(not end.simulated and end.role not in ("external", "guest") for end in ends)
    return not emulated or link.shaped or link.name in pins.simulated


def _name(machine: str, asked: str | int | None) -> str:
    return asked if isinstance(asked, str) else f"{machine}.{asked}"


def _instances(number: int) -> str:
    return f"{number} instance{'s' * (number != 1)}"


def _count(machine: MachineSpec, nodes: Iterable[NodeSpec], wanted: int | str, notes: list[str]) -> int:
    if wanted != AUTO:
        return int(wanted)
    kinds = {spec.simulated for spec in nodes}
    if True not in kinds:
        return 1
    processors = max(len(machine.processors), 1)
    count = processors if kinds == {True} else max(processors // 2, 1)
    why = "all of them simulate" if kinds == {True} else "what is emulated keeps half of them, at least"
    notes.append(
        f"machine {machine.name}: {_instances(count)} at most, for {processors} "
        f"processor{'s' * (processors != 1)} ({why})"
    )
    return count


def _parts(
    machine: str,
    nodes: Mapping[str, NodeSpec],
    links: Sequence[LinkSpec],
    count: int,
    least_ns: int,
    pins: Pins,
) -> dict[str, str]:
    """The instance of each node of a machine that is divided; nothing where there is one."""
    if count < 2:
        return {}
    simulated = [link for link in links if is_simulated(link, nodes, pins)]
    groups = _groups(nodes, links, {link.name for link in simulated}, least_ns)
    of = {name: groups.of(name) for name in nodes}
    elements: Counter[str] = Counter(of[name] for name, spec in nodes.items() if spec.simulated)
    traffic: Counter[str] = Counter()
    edges: Counter[tuple[str, str]] = Counter()
    for link in simulated:
        mbps = expected_mbps([(link.a_to_b.rate_bps, link.b_to_a.rate_bps)])
        for end in (link.a, link.b):
            elements[of[end.node]] += not nodes[end.node].simulated
            traffic[of[end.node]] += mbps
        short = -(-SHORT_DELAY_FACTOR * least_ns // max(_least_ns(link), 1))
        edges[of[link.a.node], of[link.b.node]] += mbps * max(min(short, SHORT_DELAY_FACTOR), 1)
    vertices = [group for group in dict.fromkeys(of.values()) if elements[group]]
    all_elements, all_traffic = max(elements.total(), 1), max(traffic.total(), 1)
    weights = {
        group: 1 + _WHOLE * elements[group] // all_elements + _WHOLE * traffic[group] // all_traffic
        for group in vertices
    }
    part_of = parts_of(weights, edges, [1 / count] * count)
    number_of = {part: number for number, part in enumerate(dict.fromkeys(part_of.values()), 1)}
    if len(number_of) < 2:
        return {}
    return {name: f"{machine}.{number_of[part_of[group]]}" for name, group in of.items() if group in part_of}


def _groups(
    nodes: Mapping[str, NodeSpec], links: Sequence[LinkSpec], simulated: set[str], least_ns: int
) -> Groups:
    groups = Groups(nodes)
    neighbours: dict[str, set[str]] = {name: set() for name in nodes}
    for link in links:
        neighbours[link.a.node].add(link.b.node)
        neighbours[link.b.node].add(link.a.node)
        if link.name not in simulated or _least_ns(link) < least_ns:
            groups.join(link.a.node, link.b.node)
    for name, others in neighbours.items():
        if _at_the_edge(nodes[name]) and len(others) == 1:
            groups.join(next(iter(others)), name)
    return groups


def _at_the_edge(spec: NodeSpec) -> bool:
    return spec.role == "external" or ROLES[spec.role].is_end


def _least_ns(link: LinkSpec) -> int:
    return min(link.a_to_b.least_delay_ns, link.b_to_a.least_delay_ns)
